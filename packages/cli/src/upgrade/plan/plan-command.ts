import { defineCommand } from '../../command/command.ts';
import { planFlags } from './plan-flags.ts';

export const planCommand = defineCommand({
  name: 'plan',
  summary: 'Plan the upgrade of a fleet to a bundle',
  description: [
    'Compares a bundle with a snapshot of the fleet, and lists the steps in an order that meets all version policies at every moment. If there ' +
      'is no such order, reports what blocks the upgrade and how to unblock it. Manifests are read from the paths in the bundle or from --manifests, and checked against their digests. Nothing is applied.',
    'Exits with 3 if the plan is blocked, with 2 if blocked clusters are left out, or if there are changes and --detailed-exitcode is set, with 1 for any error, and otherwise with 0.',
  ],
  operands: [],
  flags: planFlags,
  examples: [
    {
      does: 'Show a plan',
      line: 'isthmus upgrade plan --bundle bundle.yaml --snapshot fleet.yaml',
    },
    {
      does: 'Show a plan for the clusters of two contexts, which are read now',
      line: 'isthmus upgrade plan --bundle bundle.yaml --context north,east',
    },
    {
      does: 'Use it in a pipeline: exit code 0 for no changes, 2 for changes, 3 for blocked',
      line: 'isthmus upgrade plan --bundle bundle.yaml --snapshot fleet.yaml -o json --detailed-exitcode > plan.json',
    },
    {
      does: 'Check that a plan is still valid before you carry it out',
      line: 'isthmus upgrade plan --bundle bundle.yaml --snapshot now.yaml --check plan.json',
    },
  ],
  async run(io, flags) {
    const { makePlan } = await import('./make-plan.ts');
    return makePlan(io, flags);
  },
});

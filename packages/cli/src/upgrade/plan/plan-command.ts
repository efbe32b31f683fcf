import { defineCommand } from '../../command/command.ts';
import { planFlags } from './plan-flags.ts';

export const planCommand = defineCommand({
  name: 'plan',
  summary: 'Say how a fleet gets to a bundle, step by step',
  description: [
    'From a bundle and a snapshot of the fleet: what differs, and the steps in an order in which no promise about versions is broken at any moment. Where ' +
      'there is none, what blocks and how to unblock it. Manifests are read from where the bundle says, beside it, or from --manifests, and held to their digests.',
    'Ends with 3 where the plan is blocked. With --detailed-exitcode also with 2 where there are changes; otherwise with 0.',
  ],
  operands: [],
  flags: planFlags,
  examples: [
    {
      does: 'A plan to read, then as a file',
      line: 'isthmus upgrade plan --bundle bundle.yaml --snapshot fleet.yaml',
    },
    {
      does: 'For a pipeline: 0 nothing to do, 2 changes, 3 blocked',
      line: 'isthmus upgrade plan --bundle bundle.yaml --snapshot fleet.yaml -o json --detailed-exitcode > plan.json',
    },
    {
      does: 'Before it is carried out: has anything moved since?',
      line: 'isthmus upgrade plan --bundle bundle.yaml --snapshot now.yaml --check plan.json',
    },
  ],
  async run(io, flags) {
    const { makePlan } = await import('./make-plan.ts');
    return makePlan(io, flags);
  },
});

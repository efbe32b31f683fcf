import { defineCommand } from '../../../command/command.ts';
import { switchFlag, textFlag } from '../../../command/flag.ts';
import { findingsFlag } from '../../output/findings-flag.ts';
import { policyFlag } from '../../flags/policy-flag.ts';
import { minorOf } from '../../flags/server-flag.ts';
import { waiversFlag } from '../../flags/check-flags.ts';

export const checkSkewCommand = defineCommand({
  name: 'skew',
  summary: 'Check a fleet for incompatible versions',
  description: [
    'Checks the versions in a snapshot against the version skew, minimum versions and Kubernetes windows of all policies. Rules that apply when an upgrade ' +
      'has ended are warnings, because the snapshot may show an upgrade in progress.',
  ],
  flags: {
    snapshot: textFlag({ placeholder: 'file', summary: 'a FleetSnapshot' }),
    bundle: textFlag({
      placeholder: 'file',
      summary: 'a ComponentBundle, for the types of components and the Kubernetes minors that they support',
    }),
    policy: policyFlag,
    kubernetes: {
      placeholder: 'minor',
      summary: 'check Kubernetes windows as if every API server and kubelet had this minor, such as 1.32',
      parse: minorOf,
    },
    settled: switchFlag({ summary: 'the fleet has finished its upgrade: apply all rules at their full severity' }),
    waivers: waiversFlag,
    output: findingsFlag,
  },
  examples: [
    { does: 'Check the running versions', line: 'isthmus upgrade check skew --snapshot fleet.yaml' },
    {
      does: 'Check whether the fleet supports Kubernetes 1.36',
      line: 'isthmus upgrade check skew --snapshot fleet.yaml --bundle bundle-12.yaml --kubernetes 1.36',
    },
  ],
  async run(io, flags) {
    return (await import('./check-skew.ts')).checkSkew(io, flags);
  },
});

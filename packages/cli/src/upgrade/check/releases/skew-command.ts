import { defineCommand } from '../../../command/command.ts';
import { switchFlag, textFlag } from '../../../command/flag.ts';
import { outputFlag } from '../../flags/output-flag.ts';
import { policyFlag } from '../../flags/policy-flag.ts';
import { minorOf } from '../../flags/server-flag.ts';
import { waiversFlag } from '../../flags/check-flags.ts';

export const checkSkewCommand = defineCommand({
  name: 'skew',
  summary: 'Say which versions of a fleet do not go together',
  description: [
    'Version skew, least versions and Kubernetes windows of all policies, between all that the snapshot says is running. Rules that hold where an upgrade ' +
      'ends are warnings: what is seen may be in the middle of one.',
  ],
  flags: {
    snapshot: textFlag({ placeholder: 'file', summary: 'a FleetSnapshot' }),
    bundle: textFlag({
      placeholder: 'file',
      summary: 'a ComponentBundle that says of which type components are, and on which Kubernetes they run',
    }),
    policy: policyFlag,
    kubernetes: {
      placeholder: 'minor',
      summary: 'ask about the Kubernetes windows as if every API server and kubelet were at this minor, as 1.32',
      parse: minorOf,
    },
    settled: switchFlag({ summary: 'the fleet is where an upgrade ends: all rules count in full' }),
    waivers: waiversFlag,
    output: outputFlag,
  },
  examples: [
    { does: 'What runs, as it was written down', line: 'isthmus upgrade check skew --snapshot fleet.yaml' },
    {
      does: 'Whether all that runs also runs on Kubernetes 1.36',
      line: 'isthmus upgrade check skew --snapshot fleet.yaml --bundle bundle-12.yaml --kubernetes 1.36',
    },
  ],
  async run(io, flags) {
    return (await import('./check-skew.ts')).checkSkew(io, flags);
  },
});

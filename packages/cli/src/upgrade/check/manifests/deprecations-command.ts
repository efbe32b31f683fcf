import { defineCommand } from '../../../command/command.ts';
import { textFlag } from '../../../command/flag.ts';
import { outputFlag } from '../../flags/output-flag.ts';
import { policyFlag } from '../../flags/policy-flag.ts';
import { minorOf } from '../../flags/server-flag.ts';
import { historyFlag, waiversFlag } from '../../flags/check-flags.ts';

export const checkDeprecationsCommand = defineCommand({
  name: 'deprecations',
  summary: 'Say which API versions are deprecated wrongly, go too early, or are still used',
  description: [
    'For each cluster of a snapshot: its CRDs against those of the manifests that are to be applied, by the promises of the policies (versions that go before ' +
      'their time or were never marked, that nobody converts, that leave nothing as stable), and the objects of the snapshot and of the manifests that ' +
      'still use a version that is deprecated or gone, with who wrote them. The time is that of the snapshot.',
  ],
  flags: {
    snapshot: textFlag({ placeholder: 'file', summary: 'a FleetSnapshot, with definitions and objects' }),
    filename: textFlag({
      short: 'f',
      placeholder: 'paths',
      summary: 'manifests that are to be applied: files or folders, separated by commas',
    }),
    history: historyFlag,
    kubernetes: {
      placeholder: 'minor',
      summary: 'the Kubernetes minor to go to',
      absent: 'that of the oldest API server of each cluster',
      parse: minorOf,
    },
    policy: policyFlag,
    waivers: waiversFlag,
    output: outputFlag,
  },
  examples: [
    {
      does: 'Before Antrea 2.7 is applied',
      line: 'isthmus upgrade check deprecations --snapshot fleet.yaml -f antrea-2.7/ --history antrea-history.yaml',
    },
  ],
  async run(io, flags) {
    return (await import('./check-deprecations.ts')).checkDeprecations(io, flags);
  },
});

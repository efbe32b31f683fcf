import { defineCommand } from '../../../command/command.ts';
import { textFlag } from '../../../command/flag.ts';
import { findingsFlag } from '../../output/findings-flag.ts';
import { policyFlag } from '../../flags/policy-flag.ts';
import { minorOf } from '../../flags/server-flag.ts';
import { historyFlag, waiversFlag } from '../../flags/check-flags.ts';

export const checkDeprecationsCommand = defineCommand({
  name: 'deprecations',
  summary: 'Check for API versions that are removed too early, deprecated incorrectly, or still used',
  description: [
    'For each cluster of a snapshot, compares its CRDs with the CRDs of the manifests to apply. Reports versions that the policies do not ' +
      'allow: removed too early, never marked as deprecated, without conversion, or without a replacement that is as stable. Also lists the objects of the snapshot and of ' +
      'the manifests that still use a deprecated or removed version, with their writers. The time of the snapshot is used as the current time.',
  ],
  flags: {
    snapshot: textFlag({ placeholder: 'file', summary: 'a FleetSnapshot, with definitions and objects' }),
    filename: textFlag({
      isList: true,
      short: 'f',
      placeholder: 'paths',
      summary: 'the manifests to apply: files or folders, separated by commas',
    }),
    history: historyFlag,
    kubernetes: {
      placeholder: 'minor',
      summary: 'the target Kubernetes minor',
      absent: 'the minor of the oldest API server of each cluster',
      parse: minorOf,
    },
    policy: policyFlag,
    waivers: waiversFlag,
    output: findingsFlag,
  },
  examples: [
    {
      does: 'Check before applying Antrea 2.7',
      line: 'isthmus upgrade check deprecations --snapshot fleet.yaml -f antrea-2.7/ --history antrea-history.yaml',
    },
  ],
  async run(io, flags) {
    return (await import('./check-deprecations.ts')).checkDeprecations(io, flags);
  },
});

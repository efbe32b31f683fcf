import { defineCommand } from '../../../command/command.ts';
import { textFlag } from '../../../command/flag.ts';
import { outputFlag } from '../../flags/output-flag.ts';
import { policyFlag } from '../../flags/policy-flag.ts';
import { minorOf } from '../../flags/server-flag.ts';
import { waiversFlag } from '../../flags/check-flags.ts';

export const checkManifestsCommand = defineCommand({
  name: 'manifests',
  summary: 'Say which manifests the cluster would refuse at the step at which they are applied',
  description: [
    'Built-in API versions that the minor of Kubernetes does not serve, custom resources that the CRD that is live at that step refuses or prunes, and kinds that ' +
      'nobody defines. A CRD among the manifests counts where none is live.',
  ],
  flags: {
    filename: textFlag({
      short: 'f',
      placeholder: 'paths',
      summary: 'the manifests: files or folders, separated by commas',
    }),
    crd: textFlag({
      placeholder: 'paths',
      summary: 'the CRDs that are live when they are applied: files or folders, separated by commas',
    }),
    kubernetes: {
      placeholder: 'minor',
      summary: 'the minor of Kubernetes that they go to, as 1.32',
      absent: 'of built-in kinds those are told that never were',
      parse: minorOf,
    },
    policy: policyFlag,
    waivers: waiversFlag,
    output: outputFlag,
  },
  examples: [
    {
      does: 'A folder of manifests, for a cluster that goes to 1.32',
      line: 'isthmus upgrade check manifests -f manifests/ --crd live-crds.yaml --kubernetes 1.32',
    },
  ],
  async run(io, flags) {
    return (await import('./check-manifests.ts')).checkManifests(io, flags);
  },
});

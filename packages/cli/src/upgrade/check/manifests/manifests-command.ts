import { defineCommand } from '../../../command/command.ts';
import { textFlag } from '../../../command/flag.ts';
import { findingsFlag } from '../../output/findings-flag.ts';
import { policyFlag } from '../../flags/policy-flag.ts';
import { minorOf } from '../../flags/server-flag.ts';
import { waiversFlag } from '../../flags/check-flags.ts';

export const checkManifestsCommand = defineCommand({
  name: 'manifests',
  summary: 'Check for manifests that the cluster would reject when they are applied',
  description: [
    'Reports built-in API versions that the Kubernetes minor does not serve, custom resources that the live CRD rejects or prunes, and kinds ' +
      'without a CRD. A CRD among the manifests is used if the cluster does not have it.',
  ],
  flags: {
    filename: textFlag({
      isList: true,
      short: 'f',
      placeholder: 'paths',
      summary: 'the manifests: files or folders, separated by commas',
    }),
    crd: textFlag({
      isList: true,
      placeholder: 'paths',
      summary: 'the CRDs that are live when the manifests are applied: files or folders, separated by commas',
    }),
    kubernetes: {
      placeholder: 'minor',
      summary: 'the target Kubernetes minor, such as 1.32',
      absent: 'only unknown built-in kinds are reported, not removed versions',
      parse: minorOf,
    },
    policy: policyFlag,
    waivers: waiversFlag,
    output: findingsFlag,
  },
  examples: [
    {
      does: 'Check a folder of manifests for a cluster of Kubernetes 1.32',
      line: 'isthmus upgrade check manifests -f manifests/ --crd live-crds.yaml --kubernetes 1.32',
    },
  ],
  async run(io, flags) {
    return (await import('./check-manifests.ts')).checkManifests(io, flags);
  },
});

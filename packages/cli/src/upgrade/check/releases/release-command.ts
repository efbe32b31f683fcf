import { defineCommand } from '../../../command/command.ts';
import { demandFlags } from '../../bundle/demand-flags.ts';
import { findingsFlag } from '../../output/findings-flag.ts';
import { policyFlag } from '../../flags/policy-flag.ts';
import { historyFlag, waiversFlag } from '../../flags/check-flags.ts';

export const checkReleaseCommand = defineCommand({
  name: 'release',
  summary: 'Check a bundle against the previous one and the policies',
  description: [
    'Patch releases must not change API versions, break the compatibility of CRDs, or change the minors of their dependencies; removed API versions must have been ' +
      'deprecated long enough. CRDs are read from the manifests beside the bundles. Also lists release notes of the policies.',
  ],
  operands: [
    { name: 'old', summary: 'the earlier ComponentBundle' },
    { name: 'new', summary: 'the new ComponentBundle' },
  ],
  flags: {
    history: historyFlag,
    policy: policyFlag,
    ...demandFlags,
    waivers: waiversFlag,
    output: findingsFlag,
  },
  examples: [
    { does: 'Compare two bundles of a channel', line: 'isthmus upgrade check release bundle-11.yaml bundle-12.yaml' },
  ],
  async run(io, flags, [old = '', next = '']) {
    return (await import('./check-release.ts')).checkRelease(io, flags, [old, next]);
  },
});

import { defineCommand } from '../../../command/command.ts';
import { demandFlags } from '../../bundle/demand-flags.ts';
import { outputFlag } from '../../flags/output-flag.ts';
import { policyFlag } from '../../flags/policy-flag.ts';
import { historyFlag, waiversFlag } from '../../flags/check-flags.ts';

export const checkReleaseCommand = defineCommand({
  name: 'release',
  summary: 'Say which promises a bundle breaks against the one before it',
  description: [
    'Patch releases leave API versions, the compatibility of CRDs and the minors of what they are built from alone; API versions that go were deprecated long ' +
      'enough. CRDs are read from the manifests that stand beside the bundles. What a person should know of the releases is told as well.',
  ],
  operands: [
    { name: 'old', summary: 'the ComponentBundle before' },
    { name: 'new', summary: 'the new ComponentBundle' },
  ],
  flags: {
    history: historyFlag,
    policy: policyFlag,
    ...demandFlags,
    waivers: waiversFlag,
    output: outputFlag,
  },
  examples: [{ does: 'Two bundles of a channel', line: 'isthmus upgrade check release bundle-11.yaml bundle-12.yaml' }],
  async run(io, flags, [old = '', next = '']) {
    return (await import('./check-release.ts')).checkRelease(io, flags, [old, next]);
  },
});

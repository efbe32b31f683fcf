import { defineCommand } from '../../command/command.ts';
import { textFlag } from '../../command/flag.ts';
import { outputFlag } from '../flags/output-flag.ts';
import { policyFlag } from '../flags/policy-flag.ts';

export const bundleLintCommand = defineCommand({
  name: 'lint',
  summary: 'Say all that is wrong with a bundle',
  description: [
    'Components without digest, content that changed without its build and the reverse (against --older), requirements that the bundle does not ' +
      'meet or that run in a circle, versions and ranges that cannot be read, parts of the management cluster that differ between Kubernetes ' +
      'minors, unknown policies, and a bundle that is for another isthmus.',
  ],
  operands: [{ name: 'file', summary: 'a ComponentBundle' }],
  flags: {
    older: textFlag({ placeholder: 'files', summary: 'bundles that were published before, separated by commas' }),
    policy: policyFlag,
    output: outputFlag,
  },
  examples: [
    {
      does: 'A new bundle, against the two before it',
      line: 'isthmus upgrade bundle lint bundle-12.yaml --older bundle-10.yaml,bundle-11.yaml',
    },
  ],
  async run(io, flags, [path = '']) {
    const { lintFile } = await import('./lint-file.ts');
    return lintFile(io, path, {
      older: flags.older?.split(',') ?? [],
      policies: flags.policy?.split(',') ?? [],
      output: flags.output ?? 'text',
    });
  },
});

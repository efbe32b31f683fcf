import { defineCommand } from '../../command/command.ts';
import { textFlag } from '../../command/flag.ts';
import { outputFlag } from '../../command/output-flag.ts';
import { policyFlag } from '../flags/policy-flag.ts';

export const bundleLintCommand = defineCommand({
  name: 'lint',
  summary: 'Check a bundle for errors',
  description: [
    'Finds components without a digest, content that changed while the build did not and the reverse (with --older), requirements that the bundle does not ' +
      'meet, circular requirements, invalid versions and ranges, management components that differ between Kubernetes ' +
      'minors, unknown policies, and a bundle for another version of isthmus.',
  ],
  operands: [{ name: 'file', summary: 'a ComponentBundle, or a Bundles of EKS Anywhere' }],
  flags: {
    older: textFlag({
      isList: true,
      placeholder: 'files',
      summary: 'bundles that were published earlier, separated by commas',
    }),
    policy: policyFlag,
    output: outputFlag,
  },
  examples: [
    {
      does: 'Compare a new bundle with the two previous ones',
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

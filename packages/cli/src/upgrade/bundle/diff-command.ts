import { defineCommand } from '../../command/command.ts';
import { switchFlag } from '../../command/flag.ts';
import { outputFlag } from '../../command/output-flag.ts';

export const bundleDiffCommand = defineCommand({
  name: 'diff',
  summary: 'Show the differences between two bundles by component',
  operands: [
    { name: 'old', summary: 'a ComponentBundle, or a Bundles of EKS Anywhere' },
    { name: 'new', summary: 'the bundle to compare it with' },
  ],
  flags: {
    'detailed-exitcode': switchFlag({ summary: 'exit with 2 if the bundles differ' }),
    output: outputFlag,
  },
  examples: [{ does: 'Changes in a new bundle', line: 'isthmus upgrade bundle diff bundle-11.yaml bundle-12.yaml' }],
  async run(io, flags, [old = '', next = '']) {
    const { diffFiles } = await import('./diff-files.ts');
    return diffFiles(io, old, next, {
      output: flags.output ?? 'text',
      tellsChanges: flags['detailed-exitcode'] ?? false,
    });
  },
});

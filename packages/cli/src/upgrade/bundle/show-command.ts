import { defineCommand } from '../../command/command.ts';
import { choiceFlag, textFlag } from '../../command/flag.ts';

export const bundleShowCommand = defineCommand({
  name: 'show',
  summary: 'Show what a bundle consists of',
  description: [
    'Also reads a Bundles of EKS Anywhere; with -o yaml it is printed as a ComponentBundle, to be completed (digests of manifests) and signed.',
  ],
  operands: [{ name: 'file', summary: 'a ComponentBundle, or a Bundles of EKS Anywhere' }],
  flags: {
    kubernetes: textFlag({ placeholder: 'minor', summary: 'for clusters of this Kubernetes alone, as 1.31' }),
    output: choiceFlag(['text', 'json', 'yaml'], {
      placeholder: 'format',
      short: 'o',
      summary: 'text for people, json of a fixed shape, or yaml: the bundle itself',
      absent: 'text',
    }),
  },
  examples: [
    {
      does: 'What clusters of Kubernetes 1.31 get',
      line: 'isthmus upgrade bundle show bundle-12.yaml --kubernetes 1.31',
    },
  ],
  async run(io, { kubernetes, output }, [path = '']) {
    const { showFile } = await import('./show-file.ts');
    return showFile(io, path, { kubernetes, output: output ?? 'text' });
  },
});

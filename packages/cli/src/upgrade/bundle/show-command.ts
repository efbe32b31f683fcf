import { defineCommand } from '../../command/command.ts';
import { formatFlag } from '../../command/flag.ts';
import { outputFormats } from '../../command/output-flag.ts';
import { minorOf } from '../flags/server-flag.ts';

export const bundleShowCommand = defineCommand({
  name: 'show',
  summary: 'Show the components of a bundle',
  description: [
    'Also reads a Bundles of EKS Anywhere. -o yaml prints it as a ComponentBundle, which you can complete with `isthmus upgrade bundle resolve` and sign.',
  ],
  operands: [{ name: 'file', summary: 'a ComponentBundle, or a Bundles of EKS Anywhere' }],
  flags: {
    kubernetes: {
      placeholder: 'minor',
      summary: 'only for clusters of this Kubernetes minor, such as 1.31',
      parse: minorOf,
    },
    output: formatFlag(outputFormats, 'text, json (stable fields), or yaml: the bundle itself'),
  },
  examples: [
    {
      does: 'Show the components for clusters of Kubernetes 1.31',
      line: 'isthmus upgrade bundle show bundle-12.yaml --kubernetes 1.31',
    },
  ],
  async run(io, { kubernetes, output }, [path = '']) {
    const { showFile } = await import('./show-file.ts');
    return showFile(io, path, { kubernetes, output: output ?? 'text' });
  },
});

import { defineCommand } from '../../../command/command.ts';
import { resolveFlags } from './resolve-flags.ts';

export const bundleResolveCommand = defineCommand({
  name: 'resolve',
  summary: 'Print a bundle with the digests and sizes of its artifacts',
  description: [
    'Looks up each artifact without a digest: an image or an OCI chart at its registry, a file at its https URL or in the folder of the bundle. Also reads a Bundles of EKS Anywhere, ' +
      'and prints a ComponentBundle in any case. The result goes to stdout; redirect it to another file.',
    'An artifact that cannot be resolved stays as it is and is reported with the cause; the others are completed, and the command exits with 3. To retry only the ' +
      'missing ones, pass the result to the command again. A completed bundle is printed without its signature.',
    'Registries get no credentials, unless --registry-config contains some. Credential helpers (credHelpers, credsStore) are not supported.',
  ],
  operands: [{ name: 'file', summary: 'a ComponentBundle, or a Bundles of EKS Anywhere' }],
  flags: resolveFlags,
  examples: [
    {
      does: 'Complete a bundle of EKS Anywhere, so that it can be signed and planned with',
      line: 'isthmus upgrade bundle resolve bundles-56.yaml > bundle-56.yaml',
    },
    {
      does: 'Complete it from a mirror with its own certificate authority and credentials',
      line: 'isthmus upgrade bundle resolve bundles-56.yaml --mirror public.ecr.aws=mirror.example:5000/ecr --certificate-authority mirror.example:5000=ca.pem --registry-config config.json > bundle-56.yaml',
    },
  ],
  async run(io, flags, [path = '']) {
    const { resolveFile } = await import('./resolve-file.ts');
    return resolveFile(io, path, flags);
  },
});

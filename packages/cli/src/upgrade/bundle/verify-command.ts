import { defineCommand } from '../../command/command.ts';
import { outputFlag } from '../../command/output-flag.ts';
import { demandFlags } from './demand-flags.ts';

export const bundleVerifyCommand = defineCommand({
  name: 'verify',
  summary: 'Verify a bundle: signature, expiry, files beside it, supported isthmus versions',
  description: [
    'The signature covers apiVersion, kind, metadata.name and the complete spec (ECDSA P-256 over SHA-256 of canonical JSON, RFC 8785), so every ' +
      'digest of every component. Manifests, programs and charts beside the bundle are checked against their digests; missing files are listed.',
  ],
  operands: [{ name: 'file', summary: 'a ComponentBundle, or a Bundles of EKS Anywhere' }],
  flags: { ...demandFlags, output: outputFlag },
  examples: [
    {
      does: 'Reject bundles that the publisher did not sign or that have expired',
      line: 'isthmus upgrade bundle verify bundle-12.yaml --public-key publisher.pub.pem --expired refuse',
    },
  ],
  async run(io, flags, [path = '']) {
    const { verifyFile } = await import('./verify-file.ts');
    return verifyFile(io, path, flags);
  },
});

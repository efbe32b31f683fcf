import { defineCommand } from '../../command/command.ts';
import { outputFlag } from '../flags/output-flag.ts';
import { demandFlags } from './demand-flags.ts';

export const bundleVerifyCommand = defineCommand({
  name: 'verify',
  summary: 'Say whether a bundle may be used: its signature, its time, its files, this isthmus',
  description: [
    'The signature covers apiVersion, kind, metadata.name and the whole of spec (ECDSA P-256 over SHA-256 of canonical JSON, RFC 8785), so every ' +
      'digest of every component. Manifests that stand beside the bundle are held against their digests.',
  ],
  operands: [{ name: 'file', summary: 'a ComponentBundle' }],
  flags: { ...demandFlags, output: outputFlag },
  examples: [
    {
      does: 'Refuse what the publisher did not sign, and what has expired',
      line: 'isthmus upgrade bundle verify bundle-12.yaml --public-key publisher.pub.pem --expired refuse',
    },
  ],
  async run(io, flags, [path = '']) {
    const { verifyFile } = await import('./verify-file.ts');
    return verifyFile(io, path, flags);
  },
});

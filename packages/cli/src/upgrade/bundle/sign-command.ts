import { defineCommand } from '../../command/command.ts';
import { textFlag } from '../../command/flag.ts';
import { UsageError } from '../../command/usage-error.ts';

export const bundleSignCommand = defineCommand({
  name: 'sign',
  summary: 'Print a bundle with a signature',
  description: [
    'Only `signature` changes: comments and order are kept if the file is YAML in block style. YAML in flow style and JSON are printed again from their data.',
    'The key is PKCS#8 PEM on the curve P-256, not encrypted; `openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256` creates one, ' +
      '`openssl pkey -pubout` prints its public key. The result goes to stdout: redirect it to another file.',
  ],
  operands: [{ name: 'file', summary: 'a ComponentBundle' }],
  flags: { key: textFlag({ placeholder: 'file', summary: 'the private key; required' }) },
  examples: [
    {
      does: 'Sign a bundle',
      line: 'isthmus upgrade bundle sign bundle-12.yaml --key publisher.pem > signed/bundle-12.yaml',
    },
  ],
  async run(io, { key }, [path = '']) {
    if (key === undefined) throw new UsageError('signing needs a private key; name its file with --key');
    const { signFile } = await import('./sign-file.ts');
    return signFile(io, path, key);
  },
});

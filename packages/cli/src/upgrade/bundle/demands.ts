import { errorMessage } from '@isthmus/machinery';
import type { GivenFlags } from '../../command/flag.ts';
import type { Io } from '../../world/io.ts';
import { UsageError } from '../../command/usage-error.ts';
import { readText } from '../input/read-input.ts';
import type { demandFlags } from './demand-flags.ts';
import type { BundleDemands } from './load-bundle.ts';

/**
 * The requirements of the flags, with the keys read. Errors: UsageError for a file without a public
 * key of P-256.
 */
export async function demandsOf(io: Io, flags: GivenFlags<typeof demandFlags>): Promise<BundleDemands> {
  const files = flags['public-key']?.split(',') ?? [];
  const publicKeys = await Promise.all(files.map((file) => publicKeyIn(io, file)));
  return {
    publicKeys,
    signature: flags.signature ?? (publicKeys.length > 0 ? 'require' : 'warn'),
    expired: flags.expired ?? 'warn',
    now: new Date(io.clock.now()).toISOString(),
  };
}

async function publicKeyIn(io: Io, file: string): Promise<string> {
  const pem = await readText(io, file);
  return withKey(file, () => {
    // Also rejects a private key, which has a key ID of the same value.
    io.bundleCrypto.verify(pem, '', '');
    return pem;
  });
}

/** Uses a key file. Errors name the file and its format, never its content. */
export function withKey<T>(file: string, use: () => T): T {
  try {
    return use();
  } catch (error) {
    throw new UsageError(`${file} holds ${errorMessage(error)}`, { cause: error });
  }
}

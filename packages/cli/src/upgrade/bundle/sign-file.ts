import { errorMessage } from '@isthmus/machinery';
import { componentBundle, problemLine, putSignature, readFile, signBundle, signedText } from '@isthmus/upgrade';
import type { WrittenFile } from '@isthmus/upgrade';
import { ExitCode } from '../../command/exit-code.ts';
import type { Io } from '../../world/io.ts';
import { UsageError } from '../../command/usage-error.ts';
import { readText, wrongFile } from '../input/read-input.ts';
import { withKey } from './demands.ts';

/** Prints the bundle in `path` with a signature by the key in `keyPath`. */
export async function signFile(io: Io, path: string, keyPath: string): Promise<ExitCode> {
  const [text, pem] = [await readText(io, path), await readText(io, keyPath)];
  const result = readFile(componentBundle, text, path);
  if (result.kind === 'refused') throw wrongFile(path, result.problems, result.unlisted);
  demandSignable(result.written, path);
  const signature = withKey(keyPath, () => signBundle(result.written, pem, io.bundleCrypto));
  const signed = putSignature(text, signature);
  const again = readFile(componentBundle, signed.text, path);
  if (again.kind === 'refused') {
    throw new Error(`the signed bundle cannot be read back: ${again.problems.map(problemLine).join('; ')}`);
  }
  io.stdout.write(signed.text);
  io.stderr.write(
    `signed with the key ${signature.keyID}${signed.kept ? '' : '; printed again from its data, without comments'}\n`,
  );
  return ExitCode.ok;
}

/**
 * A text with half of a surrogate pair has no canonical form: the error is in the bundle, not in
 * the key.
 */
function demandSignable(written: WrittenFile, path: string): void {
  try {
    signedText(written);
  } catch (error) {
    throw new UsageError(`${path}: ${errorMessage(error)}`, { cause: error });
  }
}

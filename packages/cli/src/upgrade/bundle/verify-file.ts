import type { GivenFlags } from '../../command/flag.ts';
import type { OutputFormat } from '../../command/output-flag.ts';
import { documentText } from '../../command/document-text.ts';
import type { ExitCode } from '../../exit-code.ts';
import type { Io } from '../../io.ts';
import { exitOf, findingsText, styledFindings } from '../output/findings.ts';
import type { demandFlags } from './demand-flags.ts';
import { demandsOf } from './demands.ts';
import { loadBundle } from './load-bundle.ts';

export interface VerifyFlags extends GivenFlags<typeof demandFlags> {
  readonly output: OutputFormat | undefined;
}

/** Prints what speaks against the use of a bundle; nothing where all that was demanded holds. */
export async function verifyFile(io: Io, path: string, flags: VerifyFlags): Promise<ExitCode> {
  const { loaded, input, findings } = await loadBundle(io, path, await demandsOf(io, flags));
  const { signature, metadata, spec } = input.bundle;
  const valid = signature !== undefined && findings.every(({ rule }) => rule !== 'bundle.signature');
  const keyID = valid ? signature.keyID : null;
  if (flags.output !== undefined && flags.output !== 'text') {
    const shown = { bundle: metadata.name, number: spec.number, source: path, digest: loaded.digest, keyID, findings };
    io.stdout.write(documentText(shown, flags.output));
  } else {
    const by = keyID === null ? 'no trusted signature' : `signed by ${keyID}`;
    const files = loaded.contents.size === 1 ? '1 manifest' : `${loaded.contents.size} manifests`;
    io.stdout.write(`${metadata.name} (number ${spec.number}) ${loaded.digest}\n${by}; ${files} beside it\n`);
    io.stdout.write(...styledFindings(findingsText(findings)));
  }
  return exitOf(findings);
}

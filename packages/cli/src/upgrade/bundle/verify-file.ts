import { visibleText } from '@isthmus/machinery';
import type { GivenFlags } from '../../command/flag.ts';
import type { OutputFormat } from '../../command/output-flag.ts';
import { documentText } from '../../render/document-text.ts';
import type { ExitCode } from '../../command/exit-code.ts';
import type { Io } from '../../world/io.ts';
import { exitOf, findingsText, styledFindings } from '../output/findings.ts';
import type { demandFlags } from './demand-flags.ts';
import { demandsOf } from './demands.ts';
import { orderedFindings } from '@isthmus/upgrade';
import { contradictoryDigests } from './files-beside.ts';
import { loadBundle, withoutDigest } from './load-bundle.ts';
import { verifyOtherFiles } from './other-files.ts';
import { shownAt } from './read-bundle.ts';

export interface VerifyFlags extends GivenFlags<typeof demandFlags> {
  readonly output: OutputFormat | undefined;
}

/** Prints the findings against the use of a bundle; nothing if all requirements are met. */
export async function verifyFile(io: Io, path: string, flags: VerifyFlags): Promise<ExitCode> {
  const { loaded, input, files: named, ...ofBundle } = await loadBundle(io, path, await demandsOf(io, flags));
  const { signature, metadata, spec } = input.bundle;
  const others = await verifyOtherFiles(io, named, path.slice(0, path.lastIndexOf('/') + 1));
  const ofFiles = [...contradictoryDigests(named), ...others.findings].map((one) => shownAt(input, one));
  const findings = orderedFindings([...ofBundle.findings, ...withoutDigest(input), ...ofFiles]);
  const missing = [...ofBundle.missing, ...others.missing];
  const valid = signature !== undefined && findings.every(({ rule }) => rule !== 'bundle.signature');
  const keyID = valid ? signature.keyID : null;
  if (flags.output !== undefined && flags.output !== 'text') {
    const { digest } = loaded;
    const shown = { bundle: metadata.name, number: spec.number, source: path, digest, keyID, missing, findings };
    io.stdout.write(documentText(shown, flags.output));
  } else {
    const by = keyID === null ? 'no trusted signature' : `signed by ${keyID}`;
    const files = loaded.contents.size === 1 ? '1 manifest' : `${loaded.contents.size} manifests`;
    const more = others.verified === 0 ? '' : `, ${others.verified} other file${others.verified === 1 ? '' : 's'}`;
    io.stdout.write(`${metadata.name} (number ${spec.number}) ${loaded.digest}\n${by}; ${files}${more} beside it\n`);
    if (missing.length > 0) io.stdout.write(`missing, and not verified: ${visibleText(missing.join(', '))}\n`);
    io.stdout.write(...styledFindings(findingsText(findings)));
  }
  return exitOf(findings);
}

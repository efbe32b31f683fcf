import { lintBundle, orderedFindings } from '@isthmus/upgrade';
import type { OutputFormat } from '../../command/output-flag.ts';
import { documentText } from '../../render/document-text.ts';
import type { ExitCode } from '../../command/exit-code.ts';
import type { Io } from '../../world/io.ts';
import { isthmusVersion } from '../../version/version.ts';
import { exitOf, findingsText, styledFindings } from '../output/findings.ts';
import { loadPolicies } from '../input/load-policies.ts';
import { readBundle, shownAt } from './read-bundle.ts';

export interface LintOptions {
  /** Files of bundles that were published before. */
  readonly older: readonly string[];
  /** Files of policies. */
  readonly policies: readonly string[];
  readonly output: OutputFormat;
}

/** Lints the bundle in a file and prints the findings. */
export async function lintFile(io: Io, path: string, options: LintOptions): Promise<ExitCode> {
  const input = await readBundle(io, path);
  const older = await Promise.all(options.older.map((one) => readBundle(io, one)));
  const { digests } = await loadPolicies(io, options.policies);
  const linted = lintBundle(input.bundle, {
    lineOf: input.lineOf,
    older: older.map(({ bundle }) => bundle),
    engineVersion: isthmusVersion,
    policies: [...digests.keys()],
    policyDigests: digests,
    now: new Date(io.clock.now()).toISOString(),
  });
  const findings = orderedFindings([...linted.map((one) => shownAt(input, one)), ...(input.conversion ?? [])]);
  if (options.output !== 'text') {
    const { metadata, spec } = input.bundle;
    io.stdout.write(
      documentText({ bundle: metadata.name, number: spec.number, source: path, findings }, options.output),
    );
  } else io.stdout.write(...styledFindings(findingsText(findings)));
  return exitOf(findings);
}

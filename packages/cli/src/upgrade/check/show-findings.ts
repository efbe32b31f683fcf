import type { Finding } from '@isthmus/upgrade';
import type { ExitCode } from '../../exit-code.ts';
import type { Io } from '../../io.ts';
import { exitOf, findingsText } from '../findings.ts';

/**
 * Prints what a check found, for people or as JSON: what was asked about, then the findings, then what could not be looked at. Gives the code to end
 * with.
 */
export function showFindings(
  io: Pick<Io, 'stdout'>,
  output: 'text' | 'json' | undefined,
  about: Readonly<Record<string, string | null>>,
  { findings, notExamined = [] }: { readonly findings: readonly Finding[]; readonly notExamined?: readonly string[] },
): ExitCode {
  if (output === 'json') io.stdout.write(`${JSON.stringify({ ...about, findings, notExamined }, null, 2)}\n`);
  else io.stdout.write(findingsText(findings) + notExamined.map((line) => `Not examined: ${line}.\n`).join(''));
  return exitOf(findings);
}

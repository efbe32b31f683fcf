import { componentBundle, lintBundle, policy } from '@isthmus/upgrade';
import type { ExitCode } from '../../exit-code.ts';
import type { Io } from '../../io.ts';
import { isthmusVersion } from '../../version/version.ts';
import { exitOf, findingsText } from '../findings.ts';
import { readInput } from '../read-input.ts';

export interface LintOptions {
  /** Files of bundles that were published before. */
  readonly older: readonly string[];
  /** Files of policies. */
  readonly policies: readonly string[];
  readonly output: 'text' | 'json';
}

/** Lints the bundle in a file and prints what was found. */
export async function lintFile(io: Io, path: string, options: LintOptions): Promise<ExitCode> {
  const { value, lineOf } = await readInput(io, componentBundle, path);
  const older = await Promise.all(options.older.map((one) => readInput(io, componentBundle, one)));
  const policies = await Promise.all(options.policies.map((one) => readInput(io, policy, one)));
  const findings = lintBundle(value, {
    lineOf,
    older: older.map((one) => one.value),
    engineVersion: isthmusVersion,
    policies: policies.map((one) => one.value.metadata.name),
    now: new Date(io.clock.now()).toISOString(),
  });
  if (options.output === 'json') {
    const { name } = value.metadata;
    io.stdout.write(
      `${JSON.stringify({ bundle: name, number: value.spec.number, source: path, findings }, null, 2)}\n`,
    );
  } else {
    io.stdout.write(findingsText(findings.map((one) => ({ ...one, place: `${path}:${one.line}` }))));
  }
  return exitOf(findings);
}

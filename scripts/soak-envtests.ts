/**
 * A program: runs each of these files of tests on real API servers or real Nodes, one after the
 * other and with every test of it, and prints a JSON document per line and case (a check of
 * `scripts/soak.ts`).
 */
import type { SoakCheck } from './soak.ts';
import type { ReportedCase } from './test-envtest.ts';
import { testEnvtest } from './test-envtest.ts';

/** A case as a check of the soak; one that was skipped has shown nothing. */
function checkOf({ title, status, failureMessages = [] }: ReportedCase): SoakCheck {
  return { title, ok: status === 'passed', detail: [status, ...failureMessages].join('\n') };
}

/**
 * Runs files of tests and prints their cases. `env`: beside the environment of this process.
 * Resolves to the exit code.
 */
export async function soakEnvtests(files: readonly string[], env: Readonly<Record<string, string>>): Promise<number> {
  let exitCode = 0;
  for (const file of files) {
    const { verdict, cases } = await testEnvtest([file], { env, quiet: true });
    for (const each of cases) process.stdout.write(`${JSON.stringify(checkOf(each))}\n`);
    process.stderr.write(`${verdict.line}\n`);
    if (verdict.exitCode !== 0 || cases.length === 0) exitCode = 1;
  }
  return exitCode;
}

if (import.meta.main) process.exitCode = await soakEnvtests(process.argv.slice(2), { SWEEPS: 'whole' });

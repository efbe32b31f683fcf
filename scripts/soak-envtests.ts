/**
 * A program: runs each of these files of tests on real API servers or real Nodes, one after the other and with every test of it, and prints a JSON
 * document per line and case (a check of `scripts/soak.ts`).
 */
import type { SoakCheck } from './soak.ts';
import type { ReportedCase } from './test-envtest.ts';
import { testEnvtest } from './test-envtest.ts';

/** A case as a check of the soak; one that was skipped has shown nothing. */
function checkOf({ title, status, failureMessages = [] }: ReportedCase): SoakCheck {
  return { title, ok: status === 'passed', detail: [status, ...failureMessages].join('\n') };
}

for (const file of process.argv.slice(2)) {
  const options = { env: { SWEEPS: 'whole' }, quiet: true };
  const { verdict, cases } = await testEnvtest([file, '--reporter=verbose'], options);
  for (const each of cases) process.stdout.write(`${JSON.stringify(checkOf(each))}\n`);
  process.stderr.write(`${verdict.line}\n`);
  if (verdict.exitCode !== 0 || cases.length === 0) process.exitCode = 1;
}

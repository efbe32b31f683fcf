/**
 * `npm run losses [-- vitest arguments]`: loses what a leader and members have, one loss after the
 * other, on real API servers (packages/controlplane/src/scenarios/losses.envtest.test.ts), and
 * prints what became of 30 imports. Exit code: that of the tests.
 */
import { textTable } from '@isthmus/machinery';
import { unlessHelp } from './script-arguments.ts';
import type { ReportedCase } from './test-envtest.ts';
import { testEnvtest } from './test-envtest.ts';

/** The record of a case about a loss. */
interface LossReport {
  readonly kept: number;
  readonly of: number;
  readonly heldMs: number;
  readonly curedMs?: number | undefined;
}

/** A table with a line for each loss; undefined where no case was about one. */
export function lossTable(cases: readonly ReportedCase[]): string | undefined {
  const rows = cases.flatMap(({ title, status, meta }) => {
    const report = meta['loss'] as LossReport | undefined;
    if (report === undefined) return [];
    const { kept, of, heldMs, curedMs } = report;
    const cured = curedMs === undefined ? 'none needed' : seconds(curedMs);
    return [[title, `${kept} of ${of}`, seconds(heldMs), cured, status]];
  });
  if (rows.length === 0) return undefined;
  const table = [['loss', 'kept', 'whole again', 'after the cure', 'test'], ...rows];
  return textTable(table).join('\n');
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

if (import.meta.main) {
  const scenario = 'packages/controlplane/src/scenarios/losses';
  const { verdict, cases } = await testEnvtest([scenario, ...unlessHelp('losses')], { env: { SWEEPS: 'whole' } });
  const table = lossTable(cases);
  if (table !== undefined) console.log(`\n${table}\n`);
  (verdict.exitCode === 0 ? console.log : console.error)(verdict.line);
  process.exitCode = verdict.exitCode;
}

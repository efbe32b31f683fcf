import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { seededRequestLog } from './testing/seeded-scenario.ts';

const program = fileURLToPath(new URL('testing/run-seeded-scenario.ts', import.meta.url));

/** Runs in a separate process. */
async function fresh(seed: number): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [program, String(seed)]);
  return stdout.trim();
}

it('gives byte-identical request logs for the same seed in three processes, and others for another seed', async () => {
  // The third run is in this process, in which other tests may have run.
  const [first, second, third] = await Promise.all([fresh(7), fresh(7), seededRequestLog(7)]);
  const other = await seededRequestLog(8);
  expect(other).toMatch(/^[0-9a-f]{64} \d{3,}$/);
  expect(first).toMatch(/^[0-9a-f]{64} \d{3,}$/);
  expect([second, third]).toEqual([first, first]);
  expect(other).not.toEqual(first);
});

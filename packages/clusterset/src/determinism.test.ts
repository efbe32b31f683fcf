import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const scenario = fileURLToPath(new URL('testing/seeded-scenario.ts', import.meta.url));

/** In a process of their own, one line for each seed. */
async function requestLogsOf(...seeds: readonly number[]): Promise<readonly string[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [scenario, ...seeds.map(String)]);
  return stdout.trim().split('\n');
}

it('gives byte-identical request logs for the same seed in three processes, and others for another seed', async () => {
  const [[first], [second], [third, other]] = await Promise.all([
    requestLogsOf(7),
    requestLogsOf(7),
    requestLogsOf(7, 8),
  ]);
  expect(other).toMatch(/^[0-9a-f]{64} \d{3,}$/);
  expect(first).toMatch(/^[0-9a-f]{64} \d{3,}$/);
  expect([second, third]).toEqual([first, first]);
  expect(other).not.toEqual(first);
});

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const scenario = fileURLToPath(new URL('testing/seeded-scenario.ts', import.meta.url));

async function requestLogOf(seed: number): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [scenario, String(seed)]);
  return stdout.trim();
}

it('gives byte-identical request logs for the same seed in three processes, and others for another seed', async () => {
  const [first, second, third, other] = await Promise.all([7, 7, 7, 8].map(requestLogOf));
  expect(first).toMatch(/^[0-9a-f]{64} \d{3,}$/);
  expect([second, third]).toEqual([first, first]);
  expect(other).not.toEqual(first);
});

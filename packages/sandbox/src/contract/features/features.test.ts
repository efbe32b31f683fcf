import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import type { FeatureVerdict } from './feature.ts';
import { features } from './features.ts';

/** Modules can be changed on their way in by Node alone, not within the test runner: hence a process. */
async function verdictsOfAll(): Promise<readonly FeatureVerdict[]> {
  const program = fileURLToPath(new URL('./testing/run-features.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [program], { maxBuffer: 2 ** 24 });
  return JSON.parse(stdout) as readonly FeatureVerdict[];
}

describe('some case of the contract suite turns red where', () => {
  let verdicts: ReadonlyMap<string, FeatureVerdict>;
  beforeAll(async () => {
    verdicts = new Map((await verdictsOfAll()).map((verdict) => [verdict.title, verdict]));
  }, 120_000);

  it.each(features.map(({ title }) => title))('%s', (title) => {
    expect(verdicts.get(title)?.noticedBy).toEqual(expect.any(String));
  });

  it('has at least 40 features to switch off', () => {
    expect(features.length).toBeGreaterThanOrEqual(40);
  });
});

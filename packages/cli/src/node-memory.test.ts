import { expect, it } from 'vitest';
import { nodeMemory } from './node-memory.ts';

it('collects what nobody holds any more', () => {
  const memory = nodeMemory();
  memory.compact();
  let garbage: unknown[] | undefined = Array.from({ length: 200_000 }, (_, index) => ({ index }));
  const full = memory.heap();
  expect(garbage.length).toBe(200_000);
  garbage = undefined;
  memory.compact();
  const { totalBytes, usedBytes } = memory.heap();
  expect(usedBytes).toBeLessThan(full.usedBytes - 4 * 2 ** 20);
  expect(totalBytes).toBeLessThan(full.totalBytes);
  expect(memory.busyShare()).toBeGreaterThanOrEqual(0);
});

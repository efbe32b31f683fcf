import { createVirtualClock } from '@isthmus/testkit';
import { describe, expect, it } from 'vitest';
import type { ProcessMemory } from '../io.ts';
import { giveBackMemory, shouldCompact } from './give-back-memory.ts';

const MB = 2 ** 20;

describe('shouldCompact', () => {
  const last = { atMs: 3_000, totalBytes: 20 * MB };
  const look = { atMs: 60_000, totalBytes: 60 * MB, usedBytes: 50 * MB, busyShare: 0.01 };

  it.each([
    ['at rest, after the heap has grown', look, true],
    ['while it works', { ...look, busyShare: 0.4 }, false],
    ['where the heap has hardly grown', { ...look, totalBytes: 25 * MB }, false],
    ['soon after the last time', { ...look, atMs: 20_000 }, false],
    ['where it would stop the process for long', { ...look, usedBytes: 200 * MB }, false],
  ])('is decided %s', (_, seen, expected) => {
    expect(shouldCompact(seen, last)).toBe(expected);
  });

  it('the first time it does so under load, unless that would stop the process for long', () => {
    expect(shouldCompact({ ...look, busyShare: 1 }, undefined)).toBe(true);
    expect(shouldCompact({ ...look, busyShare: 1, usedBytes: 200 * MB }, undefined)).toBe(false);
  });
});

describe('giveBackMemory', () => {
  it('compacts soon after the start, and once after each burst of work, when it is over', async () => {
    const clock = createVirtualClock({ startMs: 0 });
    const stop = new AbortController();
    const compacted: number[] = [];
    const now = { totalBytes: 20 * MB, busyShare: 1 };
    const memory: ProcessMemory = {
      heap: () => ({ totalBytes: now.totalBytes, usedBytes: now.totalBytes / 2 }),
      busyShare: () => now.busyShare,
      compact() {
        compacted.push(clock.monotonic());
        now.totalBytes = 20 * MB;
      },
    };
    const ended = giveBackMemory(memory, clock, stop.signal);
    await clock.advance(30_000);
    expect(compacted).toEqual([3_000]);
    now.totalBytes = 80 * MB;
    await clock.advance(30_000);
    expect(compacted).toEqual([3_000]);
    now.busyShare = 0;
    await clock.advance(300_000);
    expect(compacted).toEqual([3_000, 63_000]);
    stop.abort();
    await ended;
    expect(clock.pending).toBe(0);
  });
});

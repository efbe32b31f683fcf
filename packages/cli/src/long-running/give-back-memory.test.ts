import { createVirtualClock } from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import type { ProcessMemory } from '../world/io.ts';
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

  it.each([
    ['at rest, however small it is', { ...look, totalBytes: 10 * MB }, true],
    ['under load, where it has become large', { ...look, busyShare: 1 }, true],
    ['under load, where it is small', { ...look, busyShare: 1, totalBytes: 30 * MB }, false],
    ['where it would stop the process for long', { ...look, busyShare: 1, usedBytes: 200 * MB }, false],
  ])('of a heap that was never collected is decided %s', (_, seen, expected) => {
    expect(shouldCompact(seen, undefined)).toBe(expected);
  });
});

describe('giveBackMemory', () => {
  it('compacts once the work of the start is done, and once after each burst of work, when it is over', async () => {
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
      optimize() {},
    };
    const ended = giveBackMemory(memory, clock, stop.signal);
    await clock.advance(10_000);
    expect(compacted).toEqual([]);
    now.busyShare = 0;
    await clock.advance(20_000);
    expect(compacted).toEqual([12_000]);
    now.busyShare = 1;
    now.totalBytes = 80 * MB;
    await clock.advance(30_000);
    expect(compacted).toEqual([12_000]);
    now.busyShare = 0;
    await clock.advance(300_000);
    expect(compacted).toEqual([12_000, 63_000]);
    stop.abort();
    await ended;
    expect(clock.pending).toBe(0);
  });

  it.each([
    [
      'a process that starts, works for two seconds and then rests: once, when the two seconds are over',
      [0.3, 0.3, 0.01, 0.01, 0.1, 1],
      [15_000],
    ],
    ['a process of which all threads work: at its first look', [1.5, 1.5], [3_000]],
    ['a process at rest, however old it is: never', Array.from({ length: 2_000 }, () => 0.05), []],
  ])('has V8 optimize for %s', async (_, shares, expected) => {
    const clock = createVirtualClock({ startMs: 0 });
    const stop = new AbortController();
    const optimized: number[] = [];
    const left = [...shares];
    const memory: ProcessMemory = {
      heap: () => ({ totalBytes: MB, usedBytes: MB }),
      busyShare: () => left.shift() ?? 0,
      compact() {},
      optimize: () => void optimized.push(clock.monotonic()),
    };
    const ended = giveBackMemory(memory, clock, stop.signal);
    await clock.advance(3_000 * shares.length);
    expect(optimized).toEqual(expected);
    stop.abort();
    await ended;
  });
});

import { seededRandom } from '@isthmus/machinery';
import { describe, expect, it } from 'vitest';
import { backoffMs } from './backoff.ts';

const bounds = { minMs: 200, maxMs: 30_000 };

describe('backoffMs', () => {
  it.each([
    [1, 200],
    [2, 400],
    [5, 3_200],
    [8, 25_600],
    [9, 30_000],
    [5_000, 30_000],
  ])('after %d failures waits between half of %d ms and all of it', (failures, whole) => {
    expect(backoffMs(failures, bounds, { next: () => 0 })).toBe(whole / 2);
    expect(backoffMs(failures, bounds, { next: () => 0.999999 })).toBeCloseTo(whole, 0);
  });

  it('spreads those who failed together', () => {
    const random = seededRandom(1);
    const waits = new Set(Array.from({ length: 100 }, () => Math.round(backoffMs(9, bounds, random))));
    expect(waits.size).toBeGreaterThan(90);
  });
});

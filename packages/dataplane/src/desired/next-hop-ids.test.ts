import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nextHopIDs } from './next-hop-ids.ts';

describe('the IDs of next hops', () => {
  test('differ, and are positive numbers of 31 bits', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string(), { maxLength: 50 }), (names) => {
        const ids = nextHopIDs(names);
        expect(new Set(ids.values()).size).toBe(names.length);
        for (const id of ids.values())
          expect(id).toSatisfy((n: number) => Number.isInteger(n) && n > 0xffff && n < 2 ** 31);
      }),
    );
  });

  test('do not change when others come and go', () => {
    const names = Array.from({ length: 600 }, (_, n) => `to cluster-${n}`);
    const all = nextHopIDs(names);
    const half = nextHopIDs(names.filter((_, n) => n % 2 === 0));
    for (const [name, id] of half) expect(all.get(name)).toBe(id);
  });
});

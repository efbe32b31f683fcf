import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cellsOf, isWhole, shareOf } from './sweep.ts';

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);

describe('the share of a sweep', () => {
  it('is spread evenly', () => {
    expect(shareOf(upTo(12), { oneIn: 4 })).toEqual([0, 4, 8]);
    expect(shareOf(upTo(10), { oneIn: 4 })).toEqual([0, 3, 6]);
    expect(shareOf(upTo(5), { oneIn: 1 })).toEqual([0, 1, 2, 3, 4]);
  });

  it('has every row and every column of a grid', () => {
    const grid = ['a', 'b', 'c'].flatMap((kind) => [1, 2, 3].map((number) => `${kind}${number}`));
    const kindOf = (point: string) => point.slice(0, 1);
    expect(shareOf(grid, { oneIn: 3, kindOf })).toEqual(['a1', 'b2', 'c3']);
  });

  it('holds every kind, in the order of the points, and no more than its share', () => {
    const points = fc.array(fc.record({ kind: fc.constantFrom('a', 'b', 'c'), number: fc.nat() }));
    fc.assert(
      fc.property(points, fc.integer({ min: 1, max: 9 }), (all, oneIn) => {
        const kindOf = ({ kind }: { readonly kind: string }) => kind;
        const share = shareOf(all, { oneIn, kindOf });
        expect(share).toEqual(all.filter((point) => share.includes(point)));
        expect(new Set(share.map(kindOf))).toEqual(new Set(all.map(kindOf)));
        for (const ofKind of Map.groupBy(all, kindOf).values()) {
          expect(share.filter((point) => ofKind.includes(point))).toHaveLength(Math.ceil(ofKind.length / oneIn));
        }
      }),
    );
  });
});

it('a share of a grid has cells of every row and every column', () => {
  const rows = upTo(3).map((row) => {
    const next = cellsOf(row, 3);
    return upTo(5).map(() => (next() ? 'x' : '-'));
  });
  expect(rows.map((cells) => cells.join(''))).toEqual(['x--x-', '--x--', '-x--x']);
});

it('a sweep is whole where SWEEPS asks for it, and a value that means nothing is an error', () => {
  expect([{}, { SWEEPS: '' }, { SWEEPS: 'whole' }].map(isWhole)).toEqual([false, false, true]);
  expect(() => isWhole({ SWEEPS: 'all' })).toThrow('SWEEPS must be "whole" or not set, not "all"');
});

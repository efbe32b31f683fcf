import { describe, expect, it } from 'vitest';
import { gone, cameBack, missed, noted, onlyDoubted, partOf, published } from './missing-memory.ts';

describe('what is remembered of a missing import', () => {
  it('begins when it is missed first, and not again with each look', () => {
    expect(partOf(missed(missed(undefined, '', 5), '', 9), '')).toEqual({ sinceMs: 5 });
  });

  it('keeps what was found out about it until it comes back', () => {
    const lost = noted(missed(undefined, '', 5), '', { withArea: true });
    expect(partOf(missed(lost, '', 9), '')).toEqual({ sinceMs: 5, withArea: true });
    expect(partOf(cameBack(lost, '', false), '')).toEqual({});
  });

  it('keeps that it was held after it came back, also over the next loss', () => {
    const back = cameBack(missed(undefined, '', 5), '', true);
    expect(partOf(back, '')).toEqual({ wasHeld: true });
    expect(partOf(missed(back, '', 20), '')).toEqual({ wasHeld: true, sinceMs: 20 });
    expect(partOf(cameBack(missed(back, '', 20), '', false), '')).toEqual({ wasHeld: true });
  });

  it('keeps what it knows of other parts, and what was published, when one comes back', () => {
    const known = missed(missed(published(undefined, ['a'], true), 'west', 1), '', 2);
    const back = cameBack(known, '', false);
    expect([back?.seen.get('a'), [...(back?.doubted ?? [])], partOf(back, 'west')]).toEqual([
      true,
      ['west'],
      { sinceMs: 1 },
    ]);
    expect(partOf(noted(known, '', { withArea: true }), 'west')).toEqual({ sinceMs: 1 });
  });

  it('is nothing if it is never missed', () => {
    expect(partOf(undefined, 'west')).toEqual({});
    expect(cameBack(undefined, '', false)).toBeUndefined();
  });

  it('names the doubted parts of single clusters in the order in which they were missed', () => {
    const lost = missed(missed(missed(undefined, 'west', 1), '', 2), 'east', 3);
    expect([...lost.doubted]).toEqual(['west', 'east']);
    expect([...onlyDoubted(lost, new Set(['east', 'north'])).doubted]).toEqual(['east']);
  });

  it('knows of each published name whether it was withdrawn when last seen', () => {
    const seen = published(published(undefined, ['a', 'b'], false), ['b'], true);
    expect([...seen.seen]).toEqual([
      ['a', false],
      ['b', true],
    ]);
    expect(published(seen, ['a'], false)).toBe(seen);
  });

  it('is gone with the import, except that its parts were held', () => {
    const lost = cameBack(cameBack(missed(published(undefined, ['a'], true), 'west', 1), 'west', true), '', true);
    const left = lost && gone(lost);
    expect([partOf(left, ''), partOf(left, 'west'), left?.seen.size]).toEqual([{}, { wasHeld: true }, 0]);
    expect(gone(missed(undefined, '', 1))).toBeUndefined();
  });
});

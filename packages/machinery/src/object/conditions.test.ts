import { describe, expect, it } from 'vitest';
import { conditionOf, setCondition } from './conditions.ts';
import type { AnyCondition } from './conditions.ts';

const t1 = '2026-01-01T00:00:00Z';
const t2 = '2026-01-01T00:00:05Z';
const ready = { type: 'Ready', status: 'True', reason: 'Fine', message: 'as wished', lastTransitionTime: t1 };
const valid = { type: 'Valid', status: 'True', reason: 'Valid', message: '', lastTransitionTime: t1 };

describe('setCondition', () => {
  it('appends a type that is not there, with the time of now', () => {
    expect(
      setCondition<AnyCondition>(
        undefined,
        { type: 'Ready', status: 'True', reason: 'Fine', message: 'as wished' },
        t1,
      ),
    ).toEqual([ready]);
  });

  it('takes the time of now when the status changes', () => {
    const next = setCondition([valid, ready], { type: 'Ready', status: 'False', reason: 'Broken', message: 'no' }, t2);
    expect(next).toEqual([
      valid,
      { type: 'Ready', status: 'False', reason: 'Broken', message: 'no', lastTransitionTime: t2 },
    ]);
  });

  it('keeps the time when only reason or message change', () => {
    const next = setCondition([ready], { type: 'Ready', status: 'True', reason: 'Better', message: 'now' }, t2);
    expect(next).toEqual([{ ...ready, reason: 'Better', message: 'now' }]);
  });

  it('returns the same array when nothing changes', () => {
    const conditions = [valid, ready];
    const { lastTransitionTime: _, ...same } = ready;
    expect(setCondition(conditions, same, t2)).toBe(conditions);
  });

  it('replaces the whole condition: an observedGeneration that is no longer given goes away', () => {
    const before: readonly AnyCondition[] = [{ ...ready, observedGeneration: 3 }];
    const { lastTransitionTime: _, ...without } = ready;
    expect(setCondition(before, without, t2)).toEqual([ready]);
  });

  it('leaves the conditions of other types, as the same objects in their order', () => {
    const other: AnyCondition = { type: 'Other', status: 'Unknown' };
    const next = setCondition([valid, ready, other], { type: 'Ready', status: 'False' }, t2);
    expect(next[0]).toBe(valid);
    expect(next[2]).toBe(other);
  });

  it('leaves one condition where a type is given twice', () => {
    const { lastTransitionTime: _, ...same } = ready;
    expect(setCondition([ready, valid, { ...ready, status: 'False' }], same, t2)).toEqual([ready, valid]);
  });

  it('gives a time to a condition that has none', () => {
    const { lastTransitionTime: _, ...timeless } = ready;
    expect(setCondition<AnyCondition>([timeless], timeless, t2)).toEqual([{ ...ready, lastTransitionTime: t2 }]);
  });
});

describe('conditionOf', () => {
  it('finds by type', () => {
    expect(conditionOf([valid, ready], 'Ready')).toBe(ready);
    expect(conditionOf([valid], 'Ready')).toBeUndefined();
    expect(conditionOf(undefined, 'Ready')).toBeUndefined();
  });
});

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SortedObjects } from './sorted-objects.ts';

describe('SortedObjects', () => {
  it('orders by key bytewise, not by arrival and not by language', () => {
    const objects = new SortedObjects<string>();
    for (const key of ['b', 'a-1', 'a/1', 'B', 'a.1', 'a']) objects.put(key, key);
    expect(objects.values()).toEqual(['B', 'a', 'a-1', 'a.1', 'a/1', 'b']);
  });

  it('gives the same array until something changes, and leaves earlier ones as they were', () => {
    const objects = new SortedObjects<number>();
    objects.put('a', 1);
    const first = objects.values();
    expect(objects.values()).toBe(first);
    objects.put('a', 2);
    objects.put('b', 3);
    expect(objects.values()).toEqual([2, 3]);
    expect(first).toEqual([1]);
  });

  it('reads as a sorted map does after any puts, removals and reads', () => {
    const key = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
    const operation = fc.oneof(
      fc.record({ kind: fc.constant('put'), key, value: fc.nat(9) }),
      fc.record({ kind: fc.constant('remove'), key, value: fc.constant(0) }),
      fc.record({ kind: fc.constant('read'), key, value: fc.constant(0) }),
    );
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 40 }), (operations) => {
        const objects = new SortedObjects<string>();
        const model = new Map<string, string>();
        const read = () => {
          expect(objects.values()).toEqual([...model.keys()].sort().map((k) => model.get(k)));
          expect(objects.size).toBe(model.size);
        };
        for (const { kind, key, value } of operations) {
          if (kind === 'put') {
            objects.put(key, `${key}${value}`);
            model.set(key, `${key}${value}`);
          } else if (kind === 'remove') {
            objects.remove(key);
            model.delete(key);
          } else read();
        }
        read();
      }),
      { numRuns: 500 },
    );
  });
});

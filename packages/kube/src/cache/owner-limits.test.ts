import { seededRandom } from '@isthmus/machinery';
import { describe, expect, it } from 'vitest';
import type { OwnedSize } from './owner-limits.ts';
import { LimitedOwners } from './owner-limits.ts';

const size = (age: number, bytes: number, owner = 'east'): OwnedSize => ({
  owner,
  age: String(age).padStart(4, '0'),
  bytes,
});
const limits = { objects: 4, bytes: 100, allBytes: 1_000 };
const within = (owners: LimitedOwners, keys: string) =>
  keys
    .split('')
    .filter((key) => owners.isWithin(key))
    .join('');

describe('the limits of an owner', () => {
  it('keep the oldest objects, in whichever order they come', () => {
    const owners = new LimitedOwners(limits);
    expect(owners.put('c', size(3, 60))).toEqual({ out: [], in: [] });
    expect(owners.put('b', size(2, 50))).toEqual({ out: ['c'], in: [] });
    expect(owners.put('a', size(1, 50))).toEqual({ out: [], in: [] });
    expect(within(owners, 'abc')).toBe('ab');
    expect(owners.over()).toEqual([{ owner: 'east', objects: 3, bytes: 160, objectsOver: 1 }]);
  });

  it('end with the first object that does not fit: a smaller younger one does not overtake it', () => {
    const owners = new LimitedOwners(limits);
    [size(1, 60), size(2, 50), size(3, 1)].forEach((one, index) => owners.put('abc'.charAt(index), one));
    expect(within(owners, 'abc')).toBe('a');
  });

  it('count objects as well as bytes', () => {
    const owners = new LimitedOwners(limits);
    'abcdef'.split('').forEach((key, index) => owners.put(key, size(index, 1)));
    expect(within(owners, 'abcdef')).toBe('abcd');
  });

  it('name what fits again when an older object goes or shrinks', () => {
    const owners = new LimitedOwners(limits);
    'abcd'.split('').forEach((key, index) => owners.put(key, size(index, 50)));
    expect(owners.put('a', size(0, 10))).toEqual({ out: [], in: [] });
    expect(owners.put('a', size(0, 0))).toEqual({ out: [], in: ['c'] });
    expect(owners.remove('b')).toEqual({ out: [], in: ['d'] });
    expect(owners.over()).toEqual([]);
  });

  it('leave other owners alone, until all together have too much: then the largest are left less', () => {
    const owners = new LimitedOwners({ ...limits, allBytes: 150 });
    owners.put('a', size(1, 40, 'small'));
    owners.put('b', size(1, 50, 'large'));
    expect(owners.put('c', size(2, 50, 'large'))).toEqual({ out: [], in: [] });
    expect(owners.put('d', size(1, 50, 'other'))).toEqual({ out: ['c'], in: [] });
    expect(within(owners, 'abcd')).toBe('abd');
    expect(owners.remove('d')).toEqual({ out: [], in: ['c'] });
  });
});

it('what is within the limits is what a look at all objects at once finds, after any changes', () => {
  const random = seededRandom(11);
  const pick = (most: number) => Math.floor(random.next() * most);
  for (let run = 0; run < 30; run++) {
    const owners = new LimitedOwners(limits);
    const all = new Map<string, OwnedSize>();
    const kept = new Set<string>();
    for (let step = 0; step < 60; step++) {
      const key = String(pick(12));
      const before = all.get(key);
      const isRemoval = before !== undefined && pick(4) === 0;
      const next = size(pick(9), pick(60), `owner-${pick(3)}`);
      const moved = isRemoval ? owners.remove(key) : owners.put(key, next);
      if (isRemoval) all.delete(key);
      else all.set(key, next);
      for (const one of moved.out) expect(kept.delete(one)).toBe(true);
      for (const one of moved.in) expect(kept.has(one)).toBe(false);
      moved.in.forEach((one) => kept.add(one));
      if (!isRemoval && owners.isWithin(key)) kept.add(key);
      else kept.delete(key);
      expect([...kept].toSorted()).toEqual(fitting(all).toSorted());
    }
  }
});

/** The same by a plain look: of each owner the oldest, up to the first that does not fit. */
function fitting(all: ReadonlyMap<string, OwnedSize>): readonly string[] {
  return ['owner-0', 'owner-1', 'owner-2'].flatMap((owner) => {
    const entries = [...all]
      .filter(([, one]) => one.owner === owner)
      .toSorted(([a, x], [b, y]) => (x.age === y.age ? (a < b ? -1 : 1) : x.age < y.age ? -1 : 1));
    let bytes = 0;
    const end = entries.findIndex(([, one], index) => index === limits.objects || (bytes += one.bytes) > limits.bytes);
    return entries.slice(0, end < 0 ? entries.length : end).map(([key]) => key);
  });
}

import { Optional } from '@marcbachmann/cel-js';
import type { Library } from './library.ts';
import { compareValues, sameValue } from '../values/values.ts';

type List = readonly unknown[];

/** Lists and sets (Kubernetes' lists, cel-go's lists and sets extensions). */
export const listLibrary: Library = {
  namespaces: ['sets', 'lists'],
  functions: {
    'list<A>.isSorted(): bool': (list: List) =>
      list.every((item, index) => index === 0 || compareValues(list[index - 1], item) <= 0),
    'list<int>.sum(): int': (list: readonly bigint[]) => list.reduce((sum, item) => sum + item, 0n),
    'list<double>.sum(): double': (list: readonly number[]) => list.reduce((sum, item) => sum + item, 0),
    'list<A>.min(): A': (list: List) => extreme(list, 'min', -1),
    'list<A>.max(): A': (list: List) => extreme(list, 'max', 1),
    'list<A>.indexOf(A): int': (list: List, item: unknown) => BigInt(list.findIndex((one) => sameValue(one, item))),
    'list<A>.lastIndexOf(A): int': (list: List, item: unknown) =>
      BigInt(list.findLastIndex((one) => sameValue(one, item))),
    'list<A>.sort(): list<A>': (list: List) => list.toSorted(compareValues),
    'list<A>.slice(int, int): list<A>': slice,
    'list<A>.distinct(): list<A>': distinct,
    'list<A>.reverse(): list<A>': (list: List) => list.toReversed(),
    'list<A>.first(): optional<A>': (list: List) => Optional.of(list[0]),
    'list<A>.last(): optional<A>': (list: List) => Optional.of(list.at(-1)),
    'list<dyn>.flatten(): list<dyn>': (list: List) => list.flat(),
    'list<dyn>.flatten(int): list<dyn>': flatten,
    'ListsSpace.range(int): list<int>': (_: unknown, count: bigint) => range(count),
    'SetsSpace.contains(list<A>, list<A>): bool': (_: unknown, list: List, items: List) => containsAll(list, items),
    'SetsSpace.equivalent(list<A>, list<A>): bool': (_: unknown, a: List, b: List) =>
      containsAll(a, b) && containsAll(b, a),
    'SetsSpace.intersects(list<A>, list<A>): bool': (_: unknown, a: List, b: List) =>
      a.some((item) => includes(b, item)),
  },
};

function flatten(list: List, depth: bigint): List {
  if (depth < 0n) throw new Error('level must be non-negative');
  return list.flat(Number(depth));
}

const mostOfRange = 1_000_000n;

function range(count: bigint): List {
  if (count > mostOfRange) throw new Error(`lists.range: ${count} is more than ${mostOfRange}`);
  return Array.from({ length: Number(count < 0n ? 0n : count) }, (_, index) => BigInt(index));
}

function extreme(list: List, name: string, sign: number): unknown {
  if (list.length === 0) throw new Error(`${name} called on empty list`);
  return list.reduce((best, item) => (compareValues(item, best) * sign > 0 ? item : best));
}

function slice(list: List, start: bigint, end: bigint): List {
  if (start < 0n || end < 0n) throw new Error(`cannot slice(${start}, ${end}), negative indexes not supported`);
  if (start > end)
    throw new Error(`cannot slice(${start}, ${end}), start index must be less than or equal to end index`);
  if (end > BigInt(list.length)) throw new Error(`cannot slice(${start}, ${end}), list is length ${list.length}`);
  return list.slice(Number(start), Number(end));
}

function distinct(list: List): List {
  const kept: unknown[] = [];
  for (const item of list) if (!includes(kept, item)) kept.push(item);
  return kept;
}

function containsAll(list: List, items: List): boolean {
  return items.every((item) => includes(list, item));
}

function includes(list: List, item: unknown): boolean {
  return list.some((one) => sameValue(one, item));
}

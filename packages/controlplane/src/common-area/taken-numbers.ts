import type { ResourceImport } from '@isthmus/api';
import { Annotation } from '@isthmus/api';
import type { Indexes } from '@isthmus/kube';
import type { ExportDecision, HoldersOf, NumberQuota } from '@isthmus/wire';
import type { CommonArea } from './common-area.ts';
import type { Exchange } from '../define-exchange.ts';

/** The numbers of one exchange, which its imports share among all keys. */
export interface TakenNumbers {
  /**
   * The numbers for one reconcile of `key`. Its reservations end when it is disposed of: by then
   * the cache contains what was written.
   */
  of(key: string): KeyNumbers & Disposable;
  /**
   * The keys that a change of this import may concern: its own, and those of all imports with one
   * of its numbers.
   */
  keys(object: ResourceImport): readonly string[];
}

/** The numbers from the view of one key. */
export interface KeyNumbers {
  readonly holdersOf: HoldersOf;
  /**
   * The numbers of these imports of the key, or of its former imports if a client deleted them. A
   * restart loses the latter.
   */
  lastOf(imports: readonly ResourceImport[]): readonly number[];
  /**
   * Keeps the numbers of all wanted imports from other keys, in place of former reservations.
   * Returns the decision.
   */
  reserve(decision: ExportDecision): ExportDecision;
}

/**
 * Keys are decided in parallel, and a write takes time. So the numbers that one key has decided to
 * take are reserved until the cache shows them. Only one leader writes at a time, so no other
 * process takes numbers.
 */
export function createTakenNumbers({ name, leader }: Exchange, { imports }: Pick<CommonArea, 'imports'>): TakenNumbers {
  const { numbers } = leader;
  if (numbers === undefined) return { of: () => noNumbers, keys: leader.importKeys };
  const reserved = new Map<string, readonly ResourceImport[]>();
  const last = new Map<string, readonly number[]>();
  const having = (number: number) => imports.cache.byIndex(numberIndex(name), String(number));
  return {
    keys: (object) => [...leader.importKeys(object), ...numbers(object).flatMap(having).flatMap(leader.importKeys)],
    of(key) {
      return {
        holdersOf(number) {
          const written = having(number).filter((object) => !leader.importKeys(object).includes(key));
          const coming = [...reserved].flatMap(([other, objects]) => (other === key ? [] : objects));
          return [...written, ...coming.filter((object) => numbers(object).includes(number))];
        },
        lastOf(objects) {
          const found = objects.filter((object) => leader.importKeys(object).includes(key)).flatMap(numbers);
          if (found.length > 0) last.set(key, found);
          return last.get(key) ?? [];
        },
        reserve(decision) {
          reserved.set(key, decision.wanted);
          // A number that is withdrawn on purpose is not claimed.
          if (decision.wanted.length === 0 || decision.unwanted.length > 0) last.delete(key);
          return decision;
        },
        [Symbol.dispose]: () => void reserved.delete(key),
      };
    },
  };
}

const noNumbers: KeyNumbers & Disposable = {
  holdersOf: () => [],
  lastOf: () => [],
  reserve: (decision) => decision,
  [Symbol.dispose]() {},
};

/** The indexes of a cache of imports by their numbers. */
export function numberIndexes(exchanges: readonly Exchange[]): Indexes<ResourceImport> {
  return Object.fromEntries(
    exchanges.flatMap(({ name, leader: { numbers } }) =>
      numbers === undefined
        ? []
        : [
            [numberIndex(name), (object: ResourceImport) => numbers(object).map(String)],
            [
              numberedForIndex(name),
              (object: ResourceImport) => (numbers(object).length === 0 ? [] : numberedFor(object)),
            ],
          ],
    ),
  );
}

/**
 * How many numbers one cluster may have: one for each export that a leader accepts, and as many for
 * withdrawn ones.
 */
export function numberQuota(
  { name }: Exchange,
  { imports, exportLimits }: Pick<CommonArea, 'imports' | 'exportLimits'>,
): NumberQuota {
  const limit = 2 * exportLimits.objects;
  return {
    limit,
    isUsedUp: (clusterID) => imports.cache.byIndex(numberedForIndex(name), clusterID).length >= limit,
  };
}

function numberedFor({ metadata }: ResourceImport): readonly string[] {
  const clusterID = metadata.annotations?.[Annotation.numberedFor];
  return clusterID === undefined ? [] : [clusterID];
}

function numberedForIndex(exchange: string): string {
  return `${exchange} numbered for`;
}

function numberIndex(exchange: string): string {
  return `${exchange} number`;
}

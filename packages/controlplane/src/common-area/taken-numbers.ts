import type { ResourceImport } from '@isthmus/api';
import { Annotation } from '@isthmus/api';
import type { Indexes } from '@isthmus/kube';
import type { ExportDecision, HoldersOf, NumberQuota } from '@isthmus/wire';
import type { CommonArea } from './common-area.ts';
import type { Exchange } from '../define-exchange.ts';

/** The numbers of one exchange, which its imports share among all keys. */
export interface TakenNumbers {
  /** For one reconcile of `key`; what it reserved is free again when it is disposed of: by then the cache has what was written. */
  of(key: string): KeyNumbers & Disposable;
  /** The keys that a change of this import may concern: its own, and those of all that have one of its numbers as well. */
  keys(object: ResourceImport): readonly string[];
}

/** The numbers as one key sees them. */
export interface KeyNumbers {
  readonly holdersOf: HoldersOf;
  /** The numbers of these imports of the key, or of those that it had before somebody deleted them. Lost with the process. */
  lastOf(imports: readonly ResourceImport[]): readonly number[];
  /** Keeps the numbers of all that is wanted from other keys, in the place of what was reserved before. Returns the decision. */
  reserve(decision: ExportDecision): ExportDecision;
}

/**
 * Keys are decided side by side, and a write takes time: what one has decided to take is kept from the others until the cache shows it. One
 * leader writes at a time, so no other process takes numbers.
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
          // What is withdrawn on purpose has no claim.
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

/** How many numbers there may be for one cluster: for as many exports as a leader accepts, and for as many that it has withdrawn. */
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

import type { ClusterSet } from '@isthmus/api';
import type { ReadCache, Source } from '@isthmus/kube';
import { from } from '@isthmus/kube';
import type { Clock, KubernetesObject } from '@isthmus/machinery';
import { areRemovalsAllowed } from './removals-allowed.ts';

/** Up to this many removals at once are never doubted. */
const undoubted = 10;
/** How long a doubtful removal is held before the world is asked again. */
export const holdMs = 60_000;

export interface RemovalInput {
  /** The watch reported that the source was deleted: somebody meant it. */
  readonly deletedByWatch: boolean;
  /** A person allowed the removal. */
  readonly allowed: boolean;
  /** How many of all that exist have lost their source, this one included. */
  readonly missing: number;
  readonly total: number;
  /** How long this one has been held; undefined: it is asked about for the first time. */
  readonly heldMs: number | undefined;
}

export type RemovalVerdict =
  | { readonly kind: 'go' }
  | { readonly kind: 'hold'; readonly forMs: number }
  /** Held long enough: look once more, past the cache, and go if the source is still missing. */
  | { readonly kind: 'confirm' };

/**
 * Fail static (docs/spec/membership.md §7): where more than half of what was published or imported (and more than ten) has lost its source, and
 * nobody told so, it is likelier that the source is wrong: a server restored from a backup, a CRD re-installed, an empty answer. Held until
 * the world has said the same for a minute, or a person has.
 */
export function decideRemoval({ deletedByWatch, allowed, missing, total, heldMs }: RemovalInput): RemovalVerdict {
  if (deletedByWatch || allowed) return { kind: 'go' };
  // What is held stays so while the others come back: it may be the next.
  if (heldMs === undefined && (missing <= undoubted || missing <= total / 2)) return { kind: 'go' };
  const leftMs = holdMs - (heldMs ?? 0);
  return leftMs > 0 ? { kind: 'hold', forMs: leftMs } : { kind: 'confirm' };
}

export interface RemovalGuard {
  /** What to do about the thing of `key`, whose source is missing. */
  ask(key: string): RemovalVerdict;
  /** The source is there (again), or the thing is gone: forget what was noted. */
  clear(key: string): void;
  /** Wakes held keys when a person allows their removal; to be among the sources of the reconciler that asks. */
  readonly source: Source;
}

export interface RemovalGuardOptions<T extends KubernetesObject> {
  readonly clock: Clock;
  /** The cache of sources, and the keys that an object is a source of. */
  readonly cache: ReadCache<T>;
  readonly keys: (object: T) => readonly string[];
  /** Where a person allows the removal of what is held: the ClusterSet that is served, of these. */
  readonly served: () => ClusterSet | undefined;
  readonly clusterSets: ReadCache<ClusterSet>;
  /** Counts all that exists, and how much of it has no source. */
  readonly count: () => { readonly total: number; readonly missing: number };
}

/**
 * Notes, from now on and for as long as `cache` lives, which sources the watch reported as deleted, and what is held. Losing the notes means to
 * hold again.
 */
export function createRemovalGuard<T extends KubernetesObject>({
  clock,
  cache,
  keys,
  served,
  clusterSets,
  count,
}: RemovalGuardOptions<T>): RemovalGuard {
  const deletedByWatch = new Set<string>();
  const heldSince = new Map<string, number>();
  const isAllowed = () => areRemovalsAllowed(served(), clock.now());
  cache.subscribe(({ before, after, byList }) => {
    if (before === undefined || after !== undefined || byList === true) return;
    for (const key of keys(before)) deletedByWatch.add(key);
  });
  return {
    ask(key) {
      const nowMs = clock.monotonic();
      const since = heldSince.get(key);
      const heldMs = since === undefined ? undefined : nowMs - since;
      const verdict = decideRemoval({
        ...count(),
        deletedByWatch: deletedByWatch.has(key),
        allowed: isAllowed(),
        heldMs,
      });
      if (verdict.kind === 'hold') heldSince.set(key, since ?? nowMs);
      return verdict;
    },
    clear(key) {
      deletedByWatch.delete(key);
      heldSince.delete(key);
    },
    source: from(clusterSets, () => (isAllowed() ? [...heldSince.keys()] : [])),
  };
}

import type { ClusterSet } from '@isthmus/api';
import type { ReadCache, Source } from '@isthmus/kube';
import type { Clock, KubernetesObject } from '@isthmus/machinery';
import { areRemovalsAllowed } from './removals-allowed.ts';
import { servedClusterSet } from '../served-cluster-set.ts';

/** Up to this many removals at once are never doubted. */
const undoubted = 10;
/** How long a doubtful removal is held before the world is asked again. */
export const holdMs = 60_000;

export interface RemovalInput {
  /** The watch told that the source was deleted: somebody meant it. */
  readonly told: boolean;
  /** A person said that what is held may go. */
  readonly allowed: boolean;
  /** How much of what stands has lost its source, this one included. */
  readonly missing: number;
  readonly standing: number;
  /** How long this one has been held; undefined: it is asked about for the first time. */
  readonly heldMs: number | undefined;
}

export type RemovalVerdict =
  | { readonly kind: 'go' }
  | { readonly kind: 'hold'; readonly forMs: number }
  /** Held long enough: look once more, past the cache, and go if the source is still missing. */
  | { readonly kind: 'confirm' };

/**
 * Fail static (architecture.md §5.3): where more than half of what was published or imported (and more than ten) has lost its source, and
 * nobody told so, it is likelier that the source is wrong: a server restored from a backup, a CRD re-installed, an empty answer. Held until
 * the world has said the same for a minute, or a person has.
 */
export function decideRemoval({ told, allowed, missing, standing, heldMs }: RemovalInput): RemovalVerdict {
  if (told || allowed) return { kind: 'go' };
  // What is held stays so while the others come back: it may be the next.
  if (heldMs === undefined && (missing <= undoubted || missing <= standing / 2)) return { kind: 'go' };
  const leftMs = holdMs - (heldMs ?? 0);
  return leftMs > 0 ? { kind: 'hold', forMs: leftMs } : { kind: 'confirm' };
}

export interface RemovalGuard {
  /** What to do about the thing of `key`, whose source is missing. */
  ask(key: string): RemovalVerdict;
  /** The source is there (again), or the thing is gone: forget what was noted. */
  settled(key: string): void;
  /** Notes which sources the watch tells as deleted, and wakes what is held when a person allows it to go; to be among the sources of the reconciler that asks. */
  readonly source: Source;
}

export interface RemovalGuardOptions<T extends KubernetesObject> {
  readonly clock: Clock;
  /** The cache of sources, and the keys that an object is a source of. */
  readonly cache: ReadCache<T>;
  readonly keys: (object: T) => readonly string[];
  /** Where a person says that what is held may go. */
  readonly clusterSets: ReadCache<ClusterSet>;
  /** Counts what stands, and how much of it has no source. */
  readonly count: () => { readonly standing: number; readonly missing: number };
}

/** Remembers, for as long as the process lives, what was told and what is held; losing it means to hold again. */
export function createRemovalGuard<T extends KubernetesObject>({
  clock,
  cache,
  keys,
  clusterSets,
  count,
}: RemovalGuardOptions<T>): RemovalGuard {
  const told = new Set<string>();
  const heldSince = new Map<string, number>();
  const isAllowed = () => areRemovalsAllowed(servedClusterSet(clusterSets.list()), clock.now());
  return {
    ask(key) {
      const nowMs = clock.monotonic();
      const since = heldSince.get(key);
      const heldMs = since === undefined ? undefined : nowMs - since;
      const verdict = decideRemoval({ ...count(), told: told.has(key), allowed: isAllowed(), heldMs });
      if (verdict.kind === 'hold') heldSince.set(key, since ?? nowMs);
      return verdict;
    },
    settled(key) {
      told.delete(key);
      heldSince.delete(key);
    },
    source: {
      get synced() {
        return cache.synced;
      },
      whenSynced: (signal) => cache.whenSynced(signal),
      start(enqueue) {
        const stops = [
          cache.subscribe(({ before, after, byList }) => {
            if (before === undefined) return;
            for (const key of keys(before)) {
              if (after === undefined && byList !== true) told.add(key);
              enqueue(key);
            }
          }),
          clusterSets.subscribe(() => {
            if (isAllowed()) for (const key of heldSince.keys()) enqueue(key);
          }),
        ];
        return () => stops.forEach((stop) => stop());
      },
    },
  };
}

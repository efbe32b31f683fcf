import type { ResourceImport } from '@isthmus/api';
import { memberClusterSetStatus } from '@isthmus/api';
import type { Outcome, ReconcileContext, Source } from '@isthmus/kube';
import { again } from '@isthmus/kube';
import { createRemovalGuard, holdMs } from '../removal-guard.ts';
import { howToAllowRemovals } from '../removals-allowed.ts';
import type { ImportSource } from './import-source.ts';
import type { LeaderSession } from './leader-session.ts';
import type { OwnCluster } from './own-cluster.ts';

/**
 * How long an import stays after the leader has lost it. What somebody deleted by mistake on the leader (an import, an export, an announcement)
 * or replaced by delete and create in the exporting cluster is back within this time; without it, every importing cluster would
 * lose the Service's address and its connections.
 */
const graceMs = 500;

/** Doubts about imports that the leader does not have any more. */
export interface MissingImports {
  /** Wakes imports that are held; to be among the sources of the reconciler that asks. */
  readonly sources: readonly Source[];
  /** The outcome where the withdrawal of an import that exists here is not to be believed yet; undefined: withdraw it. */
  doubt(key: string, context: ReconcileContext): Promise<Outcome | undefined>;
  /** The leader has something of that name. */
  found(key: string): void;
  /** Forget all doubts: the import is wanted again, or gone. */
  clear(key: string): void;
}

/** What is imported, as one exchange knows it. */
export interface ImportedThings {
  /** For messages: `imported Services`. */
  readonly what: string;
  /** The keys that an import on the leader decides about; nothing for one that decides about none. */
  readonly keys: (object: ResourceImport) => readonly string[];
  /** The keys of all that was imported here by us. */
  readonly imported: () => readonly string[];
  /** Whether the leader has anything for the key. */
  readonly isOffered: (key: string) => boolean;
  /** Asks the leader, past the cache, whether it has nothing for the key. */
  readonly isGone: (session: LeaderSession, key: string, signal: AbortSignal) => Promise<boolean>;
}

/** Remembers since when an import is missing, for as long as the process lives; losing it costs half a second, or another hold. */
export function createMissingImports(own: OwnCluster, source: ImportSource, things: ImportedThings): MissingImports {
  if (source.kind === 'none') {
    return { sources: [], doubt: () => Promise.resolve(undefined), found() {}, clear() {} };
  }
  const { clock } = own.world;
  const { session } = source;
  const missingSince = new Map<string, number>();
  const guard = createRemovalGuard({
    clock,
    cache: session.imports.cache,
    keys: things.keys,
    served: own.served,
    clusterSets: own.clusterSets.cache,
    count: () => {
      const imported = things.imported();
      return { total: imported.length, missing: imported.filter((key) => !things.isOffered(key)).length };
    },
  });
  return {
    sources: [guard.source],
    doubt: async (key, context) => inGrace(key) ?? (await heldBack(key, context)),
    found: (key) => void missingSince.delete(key),
    clear(key) {
      missingSince.delete(key);
      guard.clear(key);
    },
  };

  /** The outcome where the leader may be about to bring the import back. */
  function inGrace(key: string): Outcome | undefined {
    const nowMs = clock.monotonic();
    const since = missingSince.get(key) ?? nowMs;
    missingSince.set(key, since);
    const leftMs = since + graceMs - nowMs;
    return leftMs > 0 ? again(leftMs, 'the import may come back') : undefined;
  }

  /** The outcome where it may be the leader that is wrong. */
  async function heldBack(key: string, { signal, log }: ReconcileContext): Promise<Outcome | undefined> {
    const verdict = guard.ask(key);
    const leader = session.spec.leaderClusterID;
    switch (verdict.kind) {
      case 'go':
        return undefined;
      case 'confirm':
        if (await things.isGone(session, key, signal)) return undefined;
        return again(holdMs, 'the leader has the import');
      case 'hold': {
        log.warn('more than half of the imports are missing on the leader; keeping them for now', { leader, key });
        const clusterSet = own.served();
        if (clusterSet !== undefined) {
          const message = `More than half of the ${things.what} are missing on leader ${leader}, and no deletion was observed. They are kept for a minute, and then removed only if they are still missing there. ${howToAllowRemovals(clusterSet)}`;
          own.events.report(clusterSet, memberClusterSetStatus, { reason: 'WithdrawalHeld', message });
        }
        return again(verdict.forMs, 'more than half of the imports are missing on the leader');
      }
    }
  }
}

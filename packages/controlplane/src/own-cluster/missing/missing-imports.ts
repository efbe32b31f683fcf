import type { ResourceImport } from '@isthmus/api';
import { Annotation, MemberClusterAnnounce, memberAnnounceName, memberClusterSetStatus } from '@isthmus/api';
import type { Outcome, ReconcileContext, Resource, Source } from '@isthmus/kube';
import type { KubernetesObject } from '@isthmus/machinery';
import { again, done, from } from '@isthmus/kube';
import { parseRfc3339 } from '@isthmus/machinery';
import {
  areRemovalsAllowed,
  carriesOurLabel,
  heldTimes,
  heldTimesText,
  importedFrom,
  isMeantFor,
  isWithdrawn,
  marksWithdrawals,
  recordSteps,
  withHeldTimes,
} from '@isthmus/wire';
import { createBeats } from '../../loss/beats.ts';
import { decideLoss, isLostWithArea, isMass } from '../../loss/decide-loss.ts';
import { heldMessage, importsLost } from '../../loss/held-condition.ts';
import type { HeldThing } from '../../loss/held.ts';
import { createSettling } from '../../loss/settling-losses.ts';
import type { ImportSource } from '../import-source.ts';
import type { LeaderSession } from '../leader-session.ts';
import type { OwnCluster } from '../own-cluster.ts';
import { commonAreaOf } from '../session-spec.ts';

/**
 * How long an import stays after it was withdrawn. What was replaced by delete and create in the exporting cluster is back within this time;
 * without it, every importing cluster would lose the Service's address and its connections.
 */
const graceMs = 500;
/** How long members are to be heard before it counts that they do not export what was imported from them. */
const patienceMs = 30_000;
/** How often the announcements are read while something is held: no cache of a member has those of others. */
const announcesMs = 5_000;
/** For how long it is believed how many imports are missing. */
const countedMs = graceMs / 5;
/** How often it is asked again whether what is exported is published. */
const exportedMs = 10_000;

/** Doubts about imports that the leader does not have any more. */
export interface MissingImports<T extends KubernetesObject> {
  /** Wakes imports that are held; to be among the sources of the reconciler that asks. */
  readonly sources: readonly Source[];
  /** The outcome where it is not to be believed yet that an import that exists here is gone; undefined: it goes. */
  doubt(missing: MissingImport, context: ReconcileContext): Promise<Outcome | undefined>;
  /**
   * Deletes an import that is one object, unless it is doubted that it is gone: then writes on it for how long it has been held. In no ClusterSet
   * only what carries our label goes: a name, or Antrea's mark, alone proves nothing.
   */
  withdraw(object: T, lost: LostObject, context: ReconcileContext): Promise<Outcome>;
  /** It is wanted again, or gone: forget all doubts. */
  clear(thing: Pick<MissingImport, 'key' | 'clusterID'>): void;
  /** Of the parts that single clusters have in it these alone are doubted: forget doubts about the others. */
  onlyParts(key: string, clusterIDs: ReadonlySet<string>): void;
  /** Whether the import says for how long it, or parts of it, have been held, up to the last hour; or nothing, where nothing of it is. */
  isRecorded(key: string): boolean;
  /** Writes that on the import. To be called when the import has been looked at, and written. */
  record(key: string, signal: AbortSignal): Promise<void>;
  /** Nothing of the key is imported: forget what is known of it. */
  gone(key: string): void;
}

/** Something that was imported and that the leader does not publish. */
export interface MissingImport {
  readonly key: string;
  /** The cluster whose part alone is missing; absent where the whole import is. */
  readonly clusterID?: string | undefined;
  /** The name of the ResourceImport that is missing. */
  readonly name: string;
  /** Whether the leader that published it marks what it withdraws. */
  readonly marks: boolean;
  /** The Common Area that it was imported from, as far as it is known. Where the ClusterSet names another by now, a person meant it to go. */
  readonly area?: string | undefined;
  /** The clusters that it was imported from, as far as they are known. */
  readonly clusterIDs: readonly string[];
}

/** A {@link MissingImport} of which the imported object has the rest. */
type LostObject = Pick<MissingImport, 'key' | 'name' | 'clusterIDs'> & {
  /** The leader publishes it, and it goes nonetheless: nothing is doubted. Default false. */
  readonly isOffered?: boolean;
};

/** What is imported, as one exchange knows it. */
export interface ImportedThings<T extends KubernetesObject> {
  /** The name of the exchange. */
  readonly exchange: string;
  /** For messages: `imported Services`. */
  readonly what: string;
  /** The keys that an import on the leader is for; nothing for one of other exchanges. */
  readonly keys: (object: ResourceImport) => readonly string[];
  /** Names by which {@link MissingImport.name} asks for parts of an import, beside its own. */
  readonly partNames?: ((object: ResourceImport) => readonly string[]) | undefined;
  /** The imports in this cluster, and that of one key. */
  readonly resource: Resource<T>;
  readonly importOf: (key: string) => T | undefined;
  /** The keys of all that was imported here by us. */
  readonly imported: () => readonly string[];
  /** Whether the leader has anything for the key. */
  readonly isOffered: (key: string) => boolean;
  /**
   * Whether what is lost is held until a person has the exporter export it again, where members of other makes export: none of these does so by
   * itself. Default false.
   */
  readonly outlastsOtherMakes?: boolean;
  /** Asks the leader, past the cache, whether it publishes this, or will: whether it has an export that it did not refuse. */
  readonly isOfferedOrExported: (
    session: LeaderSession,
    missing: MissingImport,
    signal: AbortSignal,
  ) => Promise<boolean>;
}

interface Counted {
  readonly missing: number;
  readonly total: number;
}

/**
 * Remembers since when an import is missing, for as long as the process lives; losing it costs half a second, or the part of a hold since its last
 * record.
 */
export function createMissingImports<T extends KubernetesObject>(
  own: OwnCluster,
  source: ImportSource,
  things: ImportedThings<T>,
): MissingImports<T> {
  const { exchange, resource } = things;
  own.held.clear(exchange);
  if (source.kind === 'none') {
    return {
      sources: [],
      doubt: () => Promise.resolve(undefined),
      async withdraw(object, _, { signal }) {
        if (carriesOurLabel(object)) await resource.delete(object, signal);
        return done;
      },
      clear() {},
      onlyParts() {},
      isRecorded: () => true,
      record: () => Promise.resolve(),
      gone() {},
    };
  }
  const { held } = own;
  const { clock } = own.world;
  const { session } = source;
  const beats = createBeats(clock, memberAnnounceName(session.spec.clusterID));
  const missingSince = new Map<string, number>();
  const settling = createSettling(clock);
  // What is held for a minute, whatever is announced.
  const forAMinute = new Set<string>();
  // What was lost together with more of the Common Area, also as an earlier process recorded it.
  const lostWithArea = new Set<string>();
  // By key, the clusters whose parts were doubted.
  const doubtedParts = new Map<string, Set<string>>();
  // What was held and is not any more: a record of it that could not be removed yet does not count for the next loss.
  const mended = new Set<string>();
  // By key, the names under which this process has seen anything published, and whether that was marked when it was last seen. Under the same name
  // there may be something else by now.
  const seen = new Map<string, Map<string, boolean>>();
  const isAllowed = () => areRemovalsAllowed(own.served(), clock.now());
  let counted: (Counted & { readonly atMs: number }) | undefined;
  let lookedMs = Number.NEGATIVE_INFINITY;
  let looking: Promise<void> | undefined;

  return {
    sources: [
      from(own.clusterSets.cache, () => (isAllowed() ? held.keys(exchange) : [])),
      from(session.imports.cache, (object) => {
        // A withdrawal is two writes: the mark is a fact also where the object is gone before anybody looked.
        const names = new Set([object.metadata.name, ...(things.partNames?.(object) ?? [])]);
        for (const key of things.keys(object)) {
          const known = seen.get(key) ?? new Map<string, boolean>();
          // What the leader offers to others alone is withdrawn here, and nobody lost it.
          const isOver = isWithdrawn(object) || !isMeantFor(object, session.spec.clusterID);
          for (const name of names) known.set(name, isOver);
          seen.set(key, known);
        }
        return [];
      }),
    ],
    doubt,
    async withdraw(object, lost, context) {
      if (lost.isOffered !== true) {
        const imported = { marks: marksWithdrawals(object), area: importedFrom(object) };
        const outcome = await doubt({ ...lost, ...imported }, context);
        if (outcome !== undefined) {
          if (!isRecorded(lost.key)) await record(lost.key, context.signal);
          return outcome;
        }
      }
      await resource.delete(object, context.signal);
      gone(lost.key);
      return done;
    },
    clear,
    onlyParts,
    isRecorded,
    record,
    gone,
  };

  function gone(key: string): void {
    clear({ key });
    onlyParts(key, new Set());
    seen.delete(key);
    mended.delete(idOf({ key }));
  }

  async function doubt(missing: MissingImport, context: ReconcileContext): Promise<Outcome | undefined> {
    const thing = thingOf(missing);
    if (missing.clusterID !== undefined)
      doubtedParts.set(missing.key, (doubtedParts.get(missing.key) ?? new Set()).add(missing.clusterID));
    const graceLeftMs = graceLeft(missing);
    const heldMs = held.forMs(thing);
    const input = {
      withdrawn: isOfAnotherArea(missing) || seen.get(missing.key)?.get(missing.name) === true,
      allowed: isAllowed(),
      marks: missing.marks,
      isOneOfMany: () => isOneOfMany(missing, heldMs),
      settlesMs: () => settling.waitMs(idOf(missing), count().total),
      heldMs,
      patienceMs,
      forgottenAfterMs: own.forgottenAfterMs,
    };
    const hears = missing.marks ? heldMs !== undefined : graceLeftMs === 0;
    // An exporter has had the grace to announce that it withdrew nothing.
    const notBeforeMs = missing.marks || heldMs !== undefined ? Number.NEGATIVE_INFINITY : graceOverMs(missing);
    if (hears && !input.withdrawn && !input.allowed) await hear(notBeforeMs, context.signal);
    const restoring = graceLeftMs === 0 ? beats.restoring(exportersOf(missing)) : undefined;
    const areaLost = noteAreaLost(missing);
    const verdict = decideLoss({
      ...input,
      restoring,
      areaLost,
      heardMs: areaLost && isLostForOtherMake(missing) ? undefined : heardMs(missing, heldMs),
    });
    switch (verdict.kind) {
      case 'go':
        if (graceLeftMs > 0) return again(graceLeftMs, 'the import may come back at once');
        // Of a withdrawal without a mark it is known that nobody exports it any more.
        if (input.withdrawn || input.allowed) return undefined;
        if (!(await things.isOfferedOrExported(session, missing, context.signal))) return undefined;
        forAMinute.add(idOf(missing));
        return hold(exportedMs);
      case 'confirm':
        return (await things.isOfferedOrExported(session, missing, context.signal))
          ? again(exportedMs, 'it is still exported')
          : undefined;
      case 'wait':
        return again(verdict.forMs, 'it may be one of many');
      case 'hold':
        return hold(missing.marks ? nextLookMs(verdict.forMs) : verdict.forMs);
    }

    /** Soon while exporters may be heard any moment, or are; ever more seldom where they have been silent for long. */
    function nextLookMs(forMs: number): number {
      const isHeard = heardMs(missing, heldMs) !== undefined;
      return Math.min(forMs, isHeard ? announcesMs : Math.max(announcesMs, (heldMs ?? 0) / 10));
    }

    function hold(forMs: number): Outcome {
      // Once for all that are lost together.
      if (held.keys(exchange).length === 0) report(missing, context);
      held.hold(thing, recordedMs(missing));
      return again(forMs, 'the leader has lost the import');
    }
  }

  function isRecorded(key: string): boolean {
    const object = things.importOf(key);
    return object === undefined || object.metadata.annotations?.[Annotation.heldFor] === recordOf(key);
  }

  async function record(key: string, signal: AbortSignal): Promise<void> {
    const object = things.importOf(key);
    if (object !== undefined) await resource.change(object, withHeldTimes(object, recordOf(key)), signal);
  }

  function onlyParts(key: string, clusterIDs: ReadonlySet<string>): void {
    const doubted = doubtedParts.get(key) ?? new Set();
    for (const clusterID of doubted) {
      if (clusterIDs.has(clusterID)) continue;
      clear({ key, clusterID });
      doubted.delete(clusterID);
    }
    if (doubted.size === 0) doubtedParts.delete(key);
  }

  function clear(thing: Pick<MissingImport, 'key' | 'clusterID'>): void {
    if (held.forMs(thingOf(thing)) !== undefined) mended.add(idOf(thing));
    held.release(thingOf(thing));
    missingSince.delete(idOf(thing));
    forAMinute.delete(idOf(thing));
    lostWithArea.delete(idOf(thing));
    settling.forget(idOf(thing));
  }

  function recordOf(key: string): string | undefined {
    const parts = ['', ...(doubtedParts.get(key) ?? [])];
    const times = parts.flatMap((clusterID) => {
      const forMs = held.forMs(thingOf({ key, clusterID }));
      return forMs === undefined ? [] : [[clusterID, forMs] as const];
    });
    return heldTimesText(new Map(times), own.forgottenAfterMs / recordSteps, (clusterID) =>
      lostWithArea.has(idOf({ key, clusterID })),
    );
  }

  function recordedMs(missing: MissingImport): number | undefined {
    const object = mended.has(idOf(missing)) ? undefined : things.importOf(missing.key);
    return object === undefined ? undefined : heldTimes(object).get(missing.clusterID ?? '');
  }

  /**
   * Whether it was lost with more of the Common Area. A leader that marks loses nothing else that this process has seen published: it was there, and is
   * gone without a mark. Under one that does not, nothing else is recorded: a hold is a minute there.
   */
  function noteAreaLost(missing: MissingImport): boolean {
    const isSeen = missing.marks && seen.get(missing.key)?.has(missing.name) === true;
    const isOutlasted = !missing.marks || isLostForOtherMake(missing);
    if (recordedMs(missing) !== undefined || (isOutlasted && (isSeen || isLostWithCommonArea(missing))))
      lostWithArea.add(idOf(missing));
    return lostWithArea.has(idOf(missing));
  }

  /**
   * Whether the leader lost what a member of another make exported, who does not export it again by itself: that such a member is heard says nothing. If a leader
   * that does not mark has taken over, a withdrawal may look the same.
   */
  function isLostForOtherMake({ marks, clusterIDs }: MissingImport): boolean {
    if (!marks || things.outlastsOtherMakes !== true || session.answers === false) return false;
    return clusterIDs.some((clusterID) => beats.marks(clusterID) === false);
  }

  function isOfAnotherArea({ area }: MissingImport): boolean {
    return area !== undefined && area !== commonAreaOf(session.spec);
  }

  function thingOf({ key, clusterID = '' }: Pick<MissingImport, 'key' | 'clusterID'>): HeldThing {
    return { exchange, key, clusterID };
  }

  function idOf({ key, clusterID = '' }: Pick<MissingImport, 'key' | 'clusterID'>): string {
    return `${key} ${clusterID}`;
  }

  function graceLeft(missing: MissingImport): number {
    return Math.max(0, graceOverMs(missing) - clock.monotonic());
  }

  /** Until when, by the monotonic clock, it may come back. */
  function graceOverMs(missing: MissingImport): number {
    const since = missingSince.get(idOf(missing)) ?? clock.monotonic();
    missingSince.set(idOf(missing), since);
    // Of what several clusters export, one may go at once.
    return missing.clusterID === undefined ? since + graceMs : since;
  }

  /** Whether it went missing when the Common Area lost more, and was imported before: a member that joins finds no announcement of its own either. */
  function isLostWithCommonArea(missing: MissingImport): boolean {
    const { areaLostMs } = session;
    if (areaLostMs === undefined) return false;
    const importedAtMs = parseRfc3339(things.importOf(missing.key)?.metadata.creationTimestamp) ?? 0;
    const lostAtMs = clock.now() - (clock.monotonic() - areaLostMs);
    // The time of a creation has no fractions.
    if (importedAtMs + 1_000 > lostAtMs) return false;
    return isLostWithArea(missingSince.get(idOf(missing)) ?? clock.monotonic(), areaLostMs);
  }

  /** Whether it was one of many when it was first missed: then it is held for a minute. */
  function isOneOfMany(missing: MissingImport, heldForMs: number | undefined): boolean {
    const isFirst = heldForMs === undefined && !forAMinute.has(idOf(missing));
    if (isFirst && isMass(missing.clusterID === undefined ? count() : countAll())) forAMinute.add(idOf(missing));
    return forAMinute.has(idOf(missing));
  }

  /**
   * Counts once for all that are missing at one time: with thousands of label identities each count costs as much as each look. What is counted may be
   * {@link countedMs} old, which the grace of whole imports exceeds: a loss of many is known before the first of them goes.
   */
  function count(): Counted {
    const nowMs = clock.monotonic();
    if (counted === undefined || nowMs - counted.atMs >= countedMs) counted = { atMs: nowMs, ...countAll() };
    return counted;
  }

  function countAll(): Counted {
    const imported = things.imported();
    return { total: imported.length, missing: imported.filter((key) => !things.isOffered(key)).length };
  }

  function heardMs({ clusterIDs }: MissingImport, heldForMs: number | undefined): number | undefined {
    // Of an import of whom nobody knows any member may be the exporter.
    const heard = beats.heardMs(clusterIDs);
    return heldForMs === undefined || heard === undefined ? undefined : Math.min(heldForMs, heard);
  }

  function exportersOf({ clusterID, clusterIDs }: MissingImport): readonly string[] {
    return clusterID === undefined ? clusterIDs : [clusterID];
  }

  /** Reads the announcements, once for all that is held; what was read before this time does not count. */
  async function hear(notBeforeMs: number, signal: AbortSignal): Promise<void> {
    if (lookedMs >= notBeforeMs && clock.monotonic() - lookedMs < announcesMs / 2) return;
    looking ??= (async () => {
      try {
        const { items } = await session.client.list(MemberClusterAnnounce, {
          namespace: session.spec.leaderNamespace,
          signal,
        });
        lookedMs = clock.monotonic();
        beats.note(items);
      } finally {
        looking = undefined;
      }
    })();
    await looking;
  }

  function report({ key, marks }: MissingImport, { log }: ReconcileContext): void {
    const { leaderClusterID, leaderNamespace } = session.spec;
    log.warn('imports are missing on the leader; keeping them', { leader: leaderClusterID, key });
    const clusterSet = own.served();
    if (clusterSet === undefined) return;
    // Until the leader is heard, the import shows of which make it was.
    const answers = session.answers ?? (marks ? undefined : false);
    const what = importsLost(`Some ${things.what}`, { leaderClusterID, leaderNamespace, answers });
    const message = heldMessage(clusterSet, what);
    own.events.report(clusterSet, memberClusterSetStatus, { reason: 'WithdrawalHeld', message });
  }
}

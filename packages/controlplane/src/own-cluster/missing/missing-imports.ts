import type { ResourceImport } from '@isthmus/api';
import { Annotation, memberAnnounceName, memberClusterSetStatus } from '@isthmus/api';
import type { Outcome, ReconcileContext, Resource, Source } from '@isthmus/kube';
import type { Clock, KubernetesObject } from '@isthmus/machinery';
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
import type { Beats } from '../../loss/beats.ts';
import { createBeats } from '../../loss/beats.ts';
import type { LossCount } from '../../loss/counted-losses.ts';
import { countedOnce } from '../../loss/counted-losses.ts';
import { isMass } from '../../loss/decide-loss.ts';
import { heldMessage, importsLost } from '../../loss/held-condition.ts';
import type { HeldThing } from '../../loss/held.ts';
import type { Settling } from '../../loss/settling-losses.ts';
import { createSettling } from '../../loss/settling-losses.ts';
import type { ImportSource } from '../import-source.ts';
import type { LeaderSession } from '../leader-session.ts';
import type { OwnCluster } from '../own-cluster.ts';
import { commonAreaOf } from '../session-spec.ts';
import { decideMissing, isLostWithCommonArea, implementationOf, readAnnouncesFromMs } from './decide-missing.ts';
import type { KeyMemory, PartMemory } from './missing-memory.ts';
import { gone, cameBack, missed, noted, onlyDoubted, partOf, published } from './missing-memory.ts';
import type { ReadAnnounces } from './read-announces.ts';
import { createReadAnnounces } from './read-announces.ts';

/**
 * How long an import stays after its withdrawal. An object that the exporting cluster replaced by
 * delete and create is back within this time. Without it, every importing cluster would lose the
 * Service's address and its connections.
 */
const graceMs = 500;
/**
 * For how long members must send heartbeats before it counts that they do not export what was
 * imported from them.
 */
const patienceMs = 30_000;
/** How long a count of missing imports is cached. */
const countedMs = graceMs / 5;

/** Doubts about imports that the leader no longer has. */
export interface MissingImports<T extends KubernetesObject> {
  /** Wakes imports that are held. The reconciler that uses this needs them among its sources. */
  readonly sources: readonly Source[];
  /**
   * The outcome if the loss of an existing import is not certain yet; undefined: it is removed.
   */
  doubt(missing: MissingImport, context: ReconcileContext): Promise<Outcome | undefined>;
  /**
   * Deletes an import that is a single object. If its withdrawal is doubted, it records on the
   * object for how long it has been held. Outside a ClusterSet, only objects with our label are
   * deleted: a name, or Antrea's mark, alone proves nothing.
   */
  withdraw(object: T, lost: LostObject, context: ReconcileContext): Promise<Outcome>;
  /** It is wanted again, or gone: forget all doubts. */
  clear(thing: Pick<MissingImport, 'key' | 'clusterID'>): void;
  /** Only the parts of these clusters are doubted: forget doubts about other parts. */
  onlyParts(key: string, clusterIDs: ReadonlySet<string>): void;
  /**
   * Whether the import records for how long it, or parts of it, have been held, accurate to the
   * last hour. If nothing is held, whether it has no record.
   */
  isRecorded(key: string): boolean;
  /** Writes that record on the import. Call it after the import was looked at and written. */
  record(key: string, signal: AbortSignal): Promise<void>;
  /** No object of the key is imported: forget the key. */
  gone(key: string): void;
}

/** An imported object, or part of one, that the leader does not publish. */
export interface MissingImport {
  readonly key: string;
  /** The cluster whose part alone is missing. Absent if the whole import is missing. */
  readonly clusterID?: string | undefined;
  /** The name of the ResourceImport that is missing. */
  readonly name: string;
  /** Whether the leader that published it marks withdrawals. */
  readonly marks: boolean;
  /**
   * The Common Area from which it was imported, if known. If the ClusterSet names another one by
   * now, a user wanted it to be removed.
   */
  readonly area?: string | undefined;
  /** The clusters from which it was imported, if known. */
  readonly clusterIDs: readonly string[];
}

/** The part of a {@link MissingImport} that the imported object itself does not contain. */
type LostObject = Pick<MissingImport, 'key' | 'name' | 'clusterIDs'> & {
  /** The leader publishes it, and it is removed nonetheless, without a doubt. Default false. */
  readonly isOffered?: boolean;
};

/** The imports of one exchange. */
export interface ImportedThings<T extends KubernetesObject> {
  /** The name of the exchange. */
  readonly exchange: string;
  /** For messages: `imported Services`. */
  readonly what: string;
  /** The keys that an import on the leader is for; empty for one of other exchanges. */
  readonly keys: (object: ResourceImport) => readonly string[];
  /** Further names by which {@link MissingImport.name} refers to parts of an import. */
  readonly partNames?: ((object: ResourceImport) => readonly string[]) | undefined;
  /** The imports in this cluster, and the import of one key. */
  readonly resource: Resource<T>;
  readonly importOf: (key: string) => T | undefined;
  /** The keys of all objects that we imported here. */
  readonly imported: () => readonly string[];
  /** Whether the leader has any import for the key. */
  readonly isOffered: (key: string) => boolean;
  /**
   * Whether a lost import of another product's member is held until a user makes the exporter
   * export it again: these members do not do so by themselves. Default false.
   */
  readonly outlastsOtherImplementations?: boolean;
  /**
   * Asks the leader, past the cache, whether it publishes this, or will publish it: whether it has
   * an export that it did not reject.
   */
  readonly isOfferedOrExported: (
    session: LeaderSession,
    missing: MissingImport,
    signal: AbortSignal,
  ) => Promise<boolean>;
}

/** Judges the imports of one exchange while there is a session. */
interface Doubts {
  readonly own: OwnCluster;
  readonly session: LeaderSession;
  readonly things: Omit<ImportedThings<KubernetesObject>, 'resource'>;
  readonly clock: Clock;
  /** By key. */
  readonly memories: Map<string, KeyMemory>;
  readonly beats: Beats;
  readonly settling: Settling;
  readonly count: () => LossCount;
  readonly readAnnounces: ReadAnnounces;
}

/** The import of a key, or the part of one cluster in it. */
type Part = Pick<MissingImport, 'key' | 'clusterID'>;

/** Without a session there are no doubts: every object that is certainly ours is removed. */
export function createMissingImports<T extends KubernetesObject>(
  own: OwnCluster,
  source: ImportSource,
  things: ImportedThings<T>,
): MissingImports<T> {
  own.held.clear(things.exchange);
  if (source.kind === 'session') return doubtingImports(own, source.session, things);
  return {
    sources: [],
    doubt: () => Promise.resolve(undefined),
    async withdraw(object, _, { signal }) {
      if (carriesOurLabel(object)) await things.resource.delete(object, signal);
      return done;
    },
    clear() {},
    onlyParts() {},
    isRecorded: () => true,
    record: () => Promise.resolve(),
    gone() {},
  };
}

function doubtingImports<T extends KubernetesObject>(
  own: OwnCluster,
  session: LeaderSession,
  things: ImportedThings<T>,
): MissingImports<T> {
  const { clock } = own.world;
  const beats = createBeats(clock, memberAnnounceName(session.spec.clusterID));
  const doubts: Doubts = {
    own,
    session,
    things,
    clock,
    memories: new Map(),
    beats,
    settling: createSettling(clock),
    // The grace of whole imports is longer: a loss of many is known before the first of them is
    // removed.
    count: countedOnce(clock, countedMs, () => countMissing(things)),
    readAnnounces: createReadAnnounces(session, beats, clock),
  };
  return {
    sources: [
      from(own.clusterSets.cache, () => (isAllowed(doubts) ? own.held.keys(things.exchange) : [])),
      from(session.imports.cache, (object) => {
        see(doubts, object);
        return [];
      }),
    ],
    doubt: (missing, context) => doubt(doubts, missing, context),
    async withdraw(object, lost, context) {
      const { key } = lost;
      if (lost.isOffered !== true) {
        const imported = { marks: marksWithdrawals(object), area: importedFrom(object) };
        const outcome = await doubt(doubts, { ...lost, ...imported }, context);
        if (outcome !== undefined) {
          if (!isRecorded(doubts, key)) await record(doubts, things, key, context.signal);
          return outcome;
        }
      }
      await things.resource.delete(object, context.signal);
      forget(doubts, key);
      return done;
    },
    clear: (part) => clear(doubts, part),
    onlyParts: (key, clusterIDs) => onlyParts(doubts, key, clusterIDs),
    isRecorded: (key) => isRecorded(doubts, key),
    record: (key, signal) => record(doubts, things, key, signal),
    gone: (key) => forget(doubts, key),
  };
}

/**
 * A withdrawal is two writes. The mark counts even if the object is gone before it is looked at.
 */
function see({ things, session, memories }: Doubts, object: ResourceImport): void {
  const names = new Set([object.metadata.name, ...(things.partNames?.(object) ?? [])]);
  // An import that the leader offers only to others is withdrawn here, not lost.
  const isOver = isWithdrawn(object) || !isMeantFor(object, session.spec.clusterID);
  for (const key of things.keys(object)) memories.set(key, published(memories.get(key), names, isOver));
}

async function doubt(doubts: Doubts, missing: MissingImport, context: ReconcileContext): Promise<Outcome | undefined> {
  const { own, session, things, clock, memories, beats, settling } = doubts;
  const { key, clusterID = '', name, marks } = missing;
  memories.set(key, missed(memories.get(key), clusterID, clock.monotonic()));
  const { sinceMs = clock.monotonic() } = partMemory(doubts, missing);
  // If several clusters export it, one part may be removed at once.
  const graceOverMs = missing.clusterID === undefined ? sinceMs + graceMs : sinceMs;
  const graceLeftMs = Math.max(0, graceOverMs - clock.monotonic());
  const heldMs = own.held.forMs(thingOf(doubts, missing));
  const isOfAnotherArea = missing.area !== undefined && missing.area !== commonAreaOf(session.spec);
  const withdrawn = isOfAnotherArea || memories.get(key)?.seen.get(name) === true;
  const allowed = isAllowed(doubts);
  const fromMs = readAnnouncesFromMs({ withdrawn, allowed, marks, heldMs, graceLeftMs, graceOverMs });
  if (fromMs !== undefined) await doubts.readAnnounces(fromMs, context.signal);
  const isOfOtherImplementation = isLostForOtherImplementation(doubts, missing);
  const isAreaLost =
    recordedMs(doubts, missing) !== undefined ||
    implementationOf(marks).isLostWithArea({
      isOfOtherImplementation,
      isSeen: memories.get(key)?.seen.has(name) === true,
      isLostWithArea: () => wasLostWithArea(doubts, missing),
    });
  if (isAreaLost) note(doubts, missing, { withArea: true });
  const exporters = missing.clusterID === undefined ? missing.clusterIDs : [missing.clusterID];
  const connected = beats.connectedMs(missing.clusterIDs);
  const verdict = decideMissing({
    withdrawn,
    allowed,
    marks,
    isOneOfMany: () => isOneOfMany(doubts, missing, heldMs),
    settlesMs: () => settling.waitMs(idOf(missing), doubts.count().total),
    restoring: graceLeftMs === 0 ? beats.restoring(exporters) : undefined,
    areaLost: partMemory(doubts, missing).withArea === true,
    heldMs,
    connectedMs: heldMs === undefined || connected === undefined ? undefined : Math.min(heldMs, connected),
    patienceMs,
    forgottenAfterMs: own.forgottenAfterMs,
    graceLeftMs,
    isOfOtherImplementation,
  });
  if (verdict.kind === 'go') return undefined;
  const isAsked = verdict.kind === 'ask';
  if (isAsked && !(await things.isOfferedOrExported(session, missing, context.signal))) return undefined;
  const kept = isAsked ? verdict.ifExported : verdict;
  if (kept.kind === 'wait') return again(kept.forMs, kept.why);
  if (kept.forAMinute === true) note(doubts, missing, { forAMinute: true });
  // One report for all imports that are lost together.
  if (own.held.keys(things.exchange).length === 0) report(doubts, missing, context);
  own.held.hold(thingOf(doubts, missing), recordedMs(doubts, missing));
  return again(kept.forMs, 'the leader has lost the import');
}

function isAllowed({ own, clock }: Doubts): boolean {
  return areRemovalsAllowed(own.served(), clock.now());
}

/**
 * Whether the leader lost an export of another product's member, which exports nothing again by
 * itself. A withdrawal may look the same if a leader that does not mark has taken over.
 */
function isLostForOtherImplementation(
  { things, session, beats }: Doubts,
  { marks, clusterIDs }: MissingImport,
): boolean {
  if (!marks || things.outlastsOtherImplementations !== true || session.answers === false) return false;
  return clusterIDs.some((clusterID) => beats.marks(clusterID) === false);
}

function wasLostWithArea(doubts: Doubts, part: Part): boolean {
  const { clock, session, things } = doubts;
  return isLostWithCommonArea({
    sinceMs: partMemory(doubts, part).sinceMs ?? clock.monotonic(),
    importedAtMs: parseRfc3339(things.importOf(part.key)?.metadata.creationTimestamp) ?? 0,
    areaLostMs: session.areaLostMs,
    nowMs: clock.now(),
    monotonicMs: clock.monotonic(),
  });
}

/** Whether it was one of many when it was first missing: then it is held for a minute. */
function isOneOfMany(doubts: Doubts, part: Part, heldMs: number | undefined): boolean {
  if (partMemory(doubts, part).forAMinute === true) return true;
  if (heldMs !== undefined || !isMass(doubts.count())) return false;
  note(doubts, part, { forAMinute: true });
  return true;
}

function countMissing({ imported, isOffered }: Doubts['things']): LossCount {
  const keys = imported();
  return { total: keys.length, missing: keys.filter((key) => !isOffered(key)).length };
}

function partMemory({ memories }: Doubts, { key, clusterID = '' }: Part): PartMemory {
  return partOf(memories.get(key), clusterID);
}

function note({ memories }: Doubts, { key, clusterID = '' }: Part, found: Parameters<typeof noted>[2]): void {
  memories.set(key, noted(memories.get(key), clusterID, found));
}

function clear(doubts: Doubts, part: Part): void {
  const { own, memories, settling } = doubts;
  const thing = thingOf(doubts, part);
  keep(memories, part.key, cameBack(memories.get(part.key), thing.clusterID, own.held.forMs(thing) !== undefined));
  own.held.release(thing);
  settling.forget(idOf(part));
}

function onlyParts(doubts: Doubts, key: string, clusterIDs: ReadonlySet<string>): void {
  const { memories } = doubts;
  for (const clusterID of memories.get(key)?.doubted ?? [])
    if (!clusterIDs.has(clusterID)) clear(doubts, { key, clusterID });
  const memory = memories.get(key);
  if (memory !== undefined) memories.set(key, onlyDoubted(memory, clusterIDs));
}

function forget(doubts: Doubts, key: string): void {
  clear(doubts, { key });
  onlyParts(doubts, key, new Set());
  const memory = doubts.memories.get(key);
  if (memory !== undefined) keep(doubts.memories, key, gone(memory));
}

function keep(memories: Map<string, KeyMemory>, key: string, memory: KeyMemory | undefined): void {
  if (memory === undefined) memories.delete(key);
  else memories.set(key, memory);
}

function isRecorded(doubts: Doubts, key: string): boolean {
  const object = doubts.things.importOf(key);
  return object === undefined || object.metadata.annotations?.[Annotation.heldFor] === recordOf(doubts, key);
}

async function record<T extends KubernetesObject>(
  doubts: Doubts,
  { importOf, resource }: ImportedThings<T>,
  key: string,
  signal: AbortSignal,
): Promise<void> {
  const object = importOf(key);
  if (object !== undefined) await resource.change(object, withHeldTimes(object, recordOf(doubts, key)), signal);
}

function recordOf(doubts: Doubts, key: string): string | undefined {
  const { own, memories } = doubts;
  const memory = memories.get(key);
  const times = ['', ...(memory?.doubted ?? [])].flatMap((clusterID) => {
    const forMs = own.held.forMs(thingOf(doubts, { key, clusterID }));
    return forMs === undefined ? [] : [[clusterID, forMs] as const];
  });
  return heldTimesText(
    new Map(times),
    own.forgottenAfterMs / recordSteps,
    (clusterID) => partOf(memory, clusterID).withArea === true,
  );
}

function recordedMs(doubts: Doubts, part: Part): number | undefined {
  const { key, clusterID = '' } = part;
  const object = partMemory(doubts, part).wasHeld === true ? undefined : doubts.things.importOf(key);
  return object === undefined ? undefined : heldTimes(object).get(clusterID);
}

function thingOf({ things }: Doubts, { key, clusterID = '' }: Part): HeldThing {
  return { exchange: things.exchange, key, clusterID };
}

function idOf({ key, clusterID = '' }: Part): string {
  return `${key} ${clusterID}`;
}

function report({ own, session, things }: Doubts, { key, marks }: MissingImport, { log }: ReconcileContext): void {
  const { leaderClusterID, leaderNamespace } = session.spec;
  log.warn('imports are missing on the leader; keeping them', { leader: leaderClusterID, key });
  const clusterSet = own.served();
  if (clusterSet === undefined) return;
  const answers = session.answers ?? implementationOf(marks).answers;
  const what = importsLost(`Some ${things.what}`, { leaderClusterID, leaderNamespace, answers });
  const message = heldMessage(clusterSet, what);
  own.events.report(clusterSet, memberClusterSetStatus, { reason: 'WithdrawalHeld', message });
}

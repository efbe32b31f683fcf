import type { ResourceExport, ResourceImport } from '@isthmus/api';
import { Annotation, leaderClusterSetStatus } from '@isthmus/api';
import type { ReconcileContext, Source, World } from '@isthmus/kube';
import { from, isReduced } from '@isthmus/kube';
import { isLive } from '@isthmus/machinery';
import type { Clock } from '@isthmus/machinery';
import { areRemovalsAllowed, heldTimes, heldTimesText, isWithdrawn, recordSteps, withHeldTimes } from '@isthmus/wire';
import type { ExportGroup, TracedImports } from '@isthmus/wire';
import type { CommonArea } from './common-area.ts';
import { AnnounceIndex } from './common-area.ts';
import type { Exchange } from '../define-exchange.ts';
import type { Beats } from '../loss/beats.ts';
import { createBeats } from '../loss/beats.ts';
import type { LossCount } from '../loss/counted-losses.ts';
import { countedOnce } from '../loss/counted-losses.ts';
import { decideLoss, isLostWithArea, holdMs, isMass } from '../loss/decide-loss.ts';
import { exportsLost, heldMessage } from '../loss/held-condition.ts';
import type { HeldThing } from '../loss/held.ts';
import type { Settling } from '../loss/settling-losses.ts';
import { createSettling } from '../loss/settling-losses.ts';
import type { ImportLoss, LostLook } from './find-losses.ts';
import { exporterMarks, findLosses, identityOf, lostLook, nothingLost, sourceOf } from './find-losses.ts';

/**
 * How long to hear from a member before it counts that it no longer exports what it exported
 * before.
 */
const patienceMs = 60_000;
/** How long a count of missing exports is cached. */
const countedMs = 100;

/** Publications whose exports are gone. */
export interface LostExports {
  /**
   * Wakes held keys on changes that may matter. The reconciler that uses this needs them among its
   * sources.
   */
  readonly sources: readonly Source[];
  /**
   * For how many milliseconds a member has sent heartbeats without a break, and without exports to
   * restore. Undefined: it sends no heartbeats.
   */
  readonly connectedMsOf: (clusterID: string) => number | undefined;
  /** Looks at publications under `key` that have no export. */
  look(key: string, group: Pick<ExportGroup, 'exports' | 'imports'>, context: ReconcileContext): Promise<LostLook>;
}

/** Judges the losses of one exchange. */
interface Judge {
  readonly exchange: Exchange;
  readonly traced: TracedImports;
  readonly area: CommonArea;
  readonly clock: Clock;
  readonly beats: Beats;
  readonly settling: Settling;
  readonly count: () => LossCount;
  /** For how long the exports have been readable; undefined: they are not. */
  readonly readableMs: () => number | undefined;
  /**
   * Ids of publications whose exports were lost together with more of the Common Area, seen by this
   * process or an earlier one.
   */
  readonly lostWithArea: Set<string>;
}

/**
 * Judges, for one exchange of a leader, which exports were withdrawn and which were lost
 * (docs/spec/membership.md §7).
 */
export function createLostExports(exchange: Exchange, area: CommonArea, { clock }: World): LostExports {
  const { name, leader } = exchange;
  const { traced } = leader;
  if (traced === undefined)
    return { sources: [], connectedMsOf: () => undefined, look: () => Promise.resolve(nothingLost) };
  const beats = createBeats(clock);
  const judge: Judge = {
    exchange,
    traced,
    area,
    clock,
    beats,
    settling: createSettling(clock),
    count: countedOnce(clock, countedMs, () => countUnexported(exchange, area, traced)),
    readableMs: createReadable(area, clock),
    lostWithArea: new Set(),
  };
  return {
    sources: [
      from(area.clusterSets.cache, () => (isAllowed(judge) ? area.held.keys(name) : [])),
      from(area.announces.cache, ({ clusterID, metadata }) => {
        beats.noteOne(metadata.name, area.announces.cache.get(metadata));
        if (!hasLeft(area, clusterID ?? '')) return area.held.keys(name);
        return area.imports.cache
          .list()
          .filter((object) => sourceOf(object, traced) === clusterID)
          .flatMap(leader.importKeys);
      }),
    ],
    connectedMsOf: (clusterID) => beats.connectedMs([clusterID]),
    look: (key, group, context) => look(judge, key, group, context),
  };
}

async function look(
  judge: Judge,
  key: string,
  group: Pick<ExportGroup, 'exports' | 'imports'>,
  context: ReconcileContext,
): Promise<LostLook> {
  const { area, traced, exchange } = judge;
  const losses = findLosses(group, traced, (clusterID) => isRefused(area, clusterID));
  const forMs = new Map<ImportLoss, number>();
  for (const loss of losses.traced) {
    const of = traced.objectOf?.(loss.object);
    const thing: HeldThing = { exchange: exchange.name, key, clusterID: loss.clusterID, of };
    const isLost = loss.lost.length > 0;
    const heldForMs = isLost ? await holdFor(judge, thing, { ...loss, exports: group.exports, context }) : undefined;
    if (heldForMs === undefined) release(judge, thing);
    else forMs.set(loss, heldForMs);
    if (heldForMs !== undefined || !isLost) await record(judge, loss.object, thing, context.signal);
  }
  const { shared, isOrphan } = losses;
  const orphan: HeldThing = { exchange: exchange.name, key, clusterID: '' };
  const orphanMs =
    isOrphan && shared !== undefined
      ? await holdFor(judge, orphan, { object: shared, lost: [], exports: group.exports, context })
      : undefined;
  if (orphanMs === undefined) area.held.release(orphan);
  if (shared !== undefined && (orphanMs !== undefined || !isOrphan))
    await record(judge, shared, orphan, context.signal);
  return lostLook(losses, { forMs, orphanMs }, group, traced);
}

/** How long to hold the publication of a lost export; undefined: it is removed. */
async function holdFor(
  judge: Judge,
  thing: HeldThing,
  loss: Pick<ImportLoss, 'object' | 'lost'> & {
    readonly exports: readonly ResourceExport[];
    readonly context: ReconcileContext;
  },
): Promise<number | undefined> {
  const { area, exchange, settling } = judge;
  const { object, lost, exports, context } = loss;
  const identities = new Set(lost.map((one) => identityOf(one, judge.traced)));
  const heldMs = area.held.forMs(thing);
  const marks = exporterMarks(thing.clusterID, object, judge.beats.marks(thing.clusterID));
  const verdict = decideLoss({
    withdrawn:
      isRefused(area, thing.clusterID) ||
      hasLeft(area, thing.clusterID) ||
      exports.some((one) => identities.has(identityOf(one, judge.traced)) && !isLive(one) && isWithdrawn(one)),
    allowed: isAllowed(judge),
    marks,
    isOneOfMany: () => heldMs !== undefined || isMass(judge.count()),
    settlesMs: () => settling.waitMs(idOf(thing), judge.count().total),
    // A member that does not mark withdrawals does not announce restoring either.
    restoring: undefined,
    areaLost: !marks && noteAreaLost(judge, thing, object),
    heldMs,
    connectedMs: connectedMs(judge, thing.clusterID, heldMs),
    patienceMs,
    forgottenAfterMs: area.forgottenAfterMs,
  });
  switch (verdict.kind) {
    case 'go':
      return undefined;
    case 'confirm':
      return (await area.isExported(exchange.leader.sources(object), context.signal)) ? holdMs : undefined;
    case 'wait':
      return verdict.forMs;
    case 'hold':
      // One report for all exports that are lost together.
      if (area.held.keys(exchange.name).length === 0) report(area, thing, context);
      area.held.hold(thing, heldTimes(object).get(thing.clusterID));
      return verdict.forMs;
  }
}

function release({ area, settling, lostWithArea }: Judge, thing: HeldThing): void {
  area.held.release(thing);
  settling.forget(idOf(thing));
  lostWithArea.delete(idOf(thing));
}

/** An administrator withdraws all of such a cluster, whatever it exports. */
function isRefused({ grants }: Pick<CommonArea, 'grants'>, clusterID: string): boolean {
  return grants.of(clusterID).state === 'Refused';
}

function isAllowed({ area, clock }: Judge): boolean {
  return areRemovalsAllowed(area.served(), clock.now());
}

/**
 * Whether the export was lost with more of the Common Area. This is the only fact recorded for a
 * member that does not mark withdrawals: its exports are held for a minute.
 */
function noteAreaLost({ area, clock, lostWithArea }: Judge, thing: HeldThing, object: ResourceImport): boolean {
  const heldMs = area.held.forMs(thing);
  const isRecorded = heldMs === undefined && heldTimes(object).has(thing.clusterID);
  if (isRecorded || isLostWithArea(clock.monotonic() - (heldMs ?? 0), area.lostMs())) lostWithArea.add(idOf(thing));
  return lostWithArea.has(idOf(thing));
}

/**
 * Records from time to time on a publication for how long it has been held. Removes the record if
 * it is not held.
 */
async function record(
  { area, lostWithArea }: Judge,
  object: ResourceImport,
  thing: HeldThing,
  signal: AbortSignal,
): Promise<void> {
  const forMs = area.held.forMs(thing);
  const times = new Map(forMs === undefined ? [] : [[thing.clusterID, forMs]]);
  const text = heldTimesText(times, area.forgottenAfterMs / recordSteps, () => lostWithArea.has(idOf(thing)));
  if (object.metadata.annotations?.[Annotation.heldFor] === text) return;
  await area.imports.change(object, withHeldTimes(object, text), signal);
}

function connectedMs({ beats, readableMs }: Judge, clusterID: string, heldMs: number | undefined): number | undefined {
  const readable = readableMs();
  const connected = beats.connectedMs(clusterID === '' ? [] : [clusterID]);
  if (readable === undefined || heldMs === undefined || connected === undefined) return undefined;
  return Math.min(heldMs, readable, connected);
}

/** A cache that cannot read does not know what is missing. */
function createReadable({ exports: { cache } }: CommonArea, clock: Clock): () => number | undefined {
  let sinceMs: number | undefined;
  return () => {
    const nowMs = clock.monotonic();
    sinceMs = cache.state.kind === 'watching' ? (sinceMs ?? nowMs) : undefined;
    return sinceMs === undefined ? undefined : nowMs - sinceMs;
  };
}

/**
 * Whether the member's announcement is being deleted because it left. Then all its objects are
 * removed first (docs/spec/membership.md §4).
 */
function hasLeft({ announces }: CommonArea, clusterID: string): boolean {
  return (
    clusterID !== '' &&
    announces.cache
      .byIndex(AnnounceIndex.clusterID, clusterID)
      .some((announce) => !isLive(announce) && isWithdrawn(announce))
  );
}

function countUnexported({ name, leader }: Exchange, area: CommonArea, traced: TracedImports): LossCount {
  const isThere = (found: ResourceExport) => isLive(found) && (isReduced(found) || (traced.isSeen?.(found) ?? true));
  const isExported = (one: ResourceExport) => {
    const isSame = (found: ResourceExport) => identityOf(found, traced) === identityOf(one, traced);
    const usual = area.exports.cache.get({ namespace: area.namespace, name: one.metadata.name });
    if (usual !== undefined && isSame(usual)) return isThere(usual);
    const others = traced.identityOf === undefined ? [] : leader.exportKeys(one);
    return others.some((key) => area.exports.cache.byIndex(name, key).some((found) => isSame(found) && isThere(found)));
  };
  const all = area.imports.cache.list().filter((object) => sourceOf(object, traced) !== undefined);
  const missing = all.filter((object) => !traced.substitutes(object, [object]).some(isExported));
  return { total: all.length, missing: missing.length };
}

function report(area: CommonArea, { key, clusterID }: HeldThing, { log }: ReconcileContext): void {
  log.warn('a published import has lost its exports; keeping it', { key, clusterID });
  const clusterSet = area.served();
  if (clusterSet === undefined) return;
  const message = heldMessage(clusterSet, exportsLost);
  area.events.report(clusterSet, leaderClusterSetStatus, { reason: 'WithdrawalHeld', message });
}

function idOf({ key, clusterID, of }: HeldThing): string {
  return JSON.stringify([key, clusterID, of]);
}

import type { ResourceExport, ResourceImport } from '@isthmus/api';
import { Annotation, leaderClusterSetStatus, marked } from '@isthmus/api';
import type { Outcome, ReconcileContext, Source, World } from '@isthmus/kube';
import { again, from, isReduced } from '@isthmus/kube';
import {
  areRemovalsAllowed,
  carriesOurLabel,
  heldTimes,
  heldTimesText,
  isClaimed,
  isLive,
  isWithdrawn,
  marksWithdrawals,
  recordSteps,
  withHeldTimes,
} from '@isthmus/wire';
import type { ExportGroup } from '@isthmus/wire';
import type { CommonArea } from './common-area.ts';
import { AnnounceIndex } from './common-area.ts';
import type { Exchange } from '../define-exchange.ts';
import { createBeats } from '../loss/beats.ts';
import { decideLoss, isLostWithArea, holdMs, isMass } from '../loss/decide-loss.ts';
import { exportsLost, heldMessage } from '../loss/held-condition.ts';
import type { HeldThing } from '../loss/held.ts';
import { createSettling } from '../loss/settling-losses.ts';

/** How long a member is to be heard before it counts that it does not export what it exported before. */
const patienceMs = 60_000;
/** For how long it is believed how many exports are missing. */
const countedMs = 100;

/** What is published of exports that are gone. */
export interface LostExports {
  /** Wakes held keys when that may matter; to be among the sources of the reconciler that asks. */
  readonly sources: readonly Source[];
  /** For how many milliseconds a member has been heard without a break, and without exports to restore; undefined: it is not heard. */
  readonly heardMsOf: (clusterID: string) => number | undefined;
  /** Looks at what is published under `key` and has no export. */
  look(key: string, group: Pick<ExportGroup, 'exports' | 'imports'>, context: ReconcileContext): Promise<LostLook>;
}

export interface LostLook {
  /** What was lost, as far as it is held, in the form of exports: what is decided with them stays as it is published. */
  readonly standIns: readonly ResourceExport[];
  /** Whether this import is to stay although nobody exports it. */
  readonly keeps: (object: ResourceImport) => boolean;
  /**
   * Of what is held not enough is published to decide it with the exports that are left: what would be published of these alone would say that the
   * others have withdrawn. Nothing is to be decided until it is restored, or given up.
   */
  readonly waits: boolean;
  /** When to look again; undefined: nothing is held. */
  readonly outcome: Outcome | undefined;
}

interface Counted {
  readonly missing: number;
  readonly total: number;
}

const nothingLost: LostLook = { standIns: [], keeps: () => false, waits: false, outcome: undefined };

/** Judges, for one exchange of a leader, which exports were withdrawn and which were lost (docs/spec/membership.md §7). */
export function createLostExports(exchange: Exchange, area: CommonArea, world: World): LostExports {
  const { name, leader } = exchange;
  const { traced } = leader;
  if (traced === undefined)
    return { sources: [], heardMsOf: () => undefined, look: () => Promise.resolve(nothingLost) };
  const { standIns: standInsOf, isSeen = () => true, isWhole = () => true } = traced;
  const { clock } = world;
  const { held } = area;
  const beats = createBeats(clock);
  const isAllowed = () => areRemovalsAllowed(area.served(), clock.now());
  const published = () => area.imports.cache.list().filter((object) => sourceOf(object) !== undefined);
  const settling = createSettling(clock);
  // What was lost together with more of the Common Area, also as an earlier process recorded it.
  const lostWithArea = new Set<string>();
  let counted: (Counted & { readonly atMs: number }) | undefined;
  // What a cache cannot read it cannot miss.
  let readableSinceMs: number | undefined;

  return {
    sources: [
      from(area.clusterSets.cache, () => (isAllowed() ? held.keys(name) : [])),
      from(area.announces.cache, ({ clusterID, metadata }) => {
        beats.noteOne(metadata.name, area.announces.cache.get(metadata));
        if (!hasLeft(clusterID ?? '')) return held.keys(name);
        return published()
          .filter((object) => sourceOf(object) === clusterID)
          .flatMap(leader.importKeys);
      }),
    ],
    heardMsOf: (clusterID) => beats.heardMs([clusterID]),
    async look(key, { exports, imports }, context) {
      const named = (found: readonly ResourceExport[]) => new Set(found.map(({ metadata }) => metadata.name));
      const live = named(exports.filter((one) => isLive(one) && !isReduced(one) && isSeen(one)));
      const ignored = named(exports.filter((one) => isLive(one) && isReduced(one)));
      const standIns: ResourceExport[] = [];
      const kept = new Set<string>();
      let judged = 0;
      let waits = false;
      let lookAgainMs = Number.POSITIVE_INFINITY;
      for (const object of imports) {
        const clusterID = sourceOf(object);
        if (clusterID === undefined) continue;
        const thing: HeldThing = { exchange: name, key, clusterID };
        // While the form of what is published changes, two imports have the endpoints of one cluster.
        const done = named(standIns);
        const gone = standInsOf(object, imports).filter(({ metadata }) => !live.has(metadata.name));
        // What is ignored stays as it was published, without anybody having lost it.
        const isIgnored = ({ metadata }: ResourceExport) => ignored.has(metadata.name);
        const lost = gone.filter((one) => !isIgnored(one));
        if (lost.length < gone.length) {
          standIns.push(...gone.filter((one) => isIgnored(one) && !done.has(one.metadata.name)));
          kept.add(object.metadata.name);
        }
        const forMs = lost.length === 0 ? undefined : await holdFor(thing, { object, lost, exports, context });
        if (lost.length > 0) judged++;
        if (forMs === undefined) {
          held.release(thing);
          settling.forget(idOf(thing));
          lostWithArea.delete(idOf(thing));
          if (lost.length === 0) await record(object, thing, context.signal);
          continue;
        }
        await record(object, thing, context.signal);
        lookAgainMs = Math.min(lookAgainMs, forMs);
        waits ||= live.size > 0 && !isWhole(object, imports);
        standIns.push(...lost.filter(({ metadata }) => !done.has(metadata.name)));
        kept.add(object.metadata.name);
      }
      // What all exporters share, and of which nobody's part is left: it is not known who exported it.
      const orphan: HeldThing = { exchange: name, key, clusterID: '' };
      const [shared] = imports.filter((object) => isOurs(object) && sourceOf(object) === undefined);
      const isUnclaimed = exports.every((one) => !(isLive(one) && isSeen(one)) && !isWithdrawn(one));
      const isOrphan = shared !== undefined && judged === 0 && isUnclaimed && !isWithdrawn(shared);
      const orphanMs = isOrphan ? await holdFor(orphan, { object: shared, lost: [], exports, context }) : undefined;
      if (orphanMs === undefined) held.release(orphan);
      if (shared !== undefined && (orphanMs !== undefined || !isOrphan)) await record(shared, orphan, context.signal);
      const outcomeMs = Math.min(lookAgainMs, orphanMs ?? lookAgainMs);
      return {
        standIns,
        waits,
        keeps: (object) =>
          orphanMs !== undefined ||
          kept.has(object.metadata.name) ||
          (kept.size > 0 && live.size === 0 && sourceOf(object) === undefined && !isWithdrawn(object)),
        outcome: outcomeMs === Number.POSITIVE_INFINITY ? undefined : again(outcomeMs, 'it has lost its exports'),
      };
    },
  };

  /** The cluster whose exports alone this import of ours publishes; undefined for others, and for one that is being withdrawn. */
  function sourceOf(object: ResourceImport): string | undefined {
    return isOurs(object) && !isWithdrawn(object) ? traced?.sourceOf(object) : undefined;
  }

  /** By the label, or, where somebody took that away, by the mark or the slices: no leader of another make writes them. */
  function isOurs(object: ResourceImport): boolean {
    if (carriesOurLabel(object)) return true;
    return !isClaimed(object) && (marksWithdrawals(object) || object.spec?.endpointSlices !== undefined);
  }

  /** How long to hold what is published for a lost export; undefined: it goes. */
  async function holdFor(
    thing: HeldThing,
    loss: {
      readonly object: ResourceImport;
      readonly lost: readonly ResourceExport[];
      readonly exports: readonly ResourceExport[];
      readonly context: ReconcileContext;
    },
  ): Promise<number | undefined> {
    const { object, lost, exports, context } = loss;
    const names = new Set(lost.map(({ metadata }) => metadata.name));
    const heldMs = held.forMs(thing);
    const verdict = decideLoss({
      withdrawn:
        hasLeft(thing.clusterID) ||
        exports.some((one) => names.has(one.metadata.name) && !isLive(one) && isWithdrawn(one)),
      allowed: isAllowed(),
      marks: marks(thing.clusterID, object),
      isOneOfMany: () => heldMs !== undefined || isMass(count()),
      settlesMs: () => settling.waitMs(idOf(thing), count().total),
      // Who does not mark does not announce it either.
      restoring: undefined,
      areaLost: noteAreaLost(thing, object),
      heldMs,
      heardMs: heardMs(thing.clusterID, heldMs),
      patienceMs,
      forgottenAfterMs: area.forgottenAfterMs,
    });
    switch (verdict.kind) {
      case 'go':
        return undefined;
      case 'confirm':
        return (await area.isExported(leader.sources(object), context.signal)) ? holdMs : undefined;
      case 'wait':
        return verdict.forMs;
      case 'hold':
        // Once for all that are lost together.
        if (held.keys(name).length === 0) report(thing, context);
        held.hold(thing, heldTimes(object).get(thing.clusterID));
        return verdict.forMs;
    }
  }

  /**
   * Whether it was lost with more of the Common Area. Of a member that does not mark nothing else is recorded: its exports are held for a minute.
   */
  function noteAreaLost(thing: HeldThing, object: ResourceImport): boolean {
    if (marks(thing.clusterID, object)) return false;
    const sinceMs = clock.monotonic() - (held.forMs(thing) ?? 0);
    const isRecorded = held.forMs(thing) === undefined && heldTimes(object).has(thing.clusterID);
    if (isRecorded || isLostWithArea(sinceMs, area.lostMs())) lostWithArea.add(idOf(thing));
    return lostWithArea.has(idOf(thing));
  }

  /** Writes on what is published for how long it has been held, now and then, and removes that where it is not. */
  async function record(object: ResourceImport, thing: HeldThing, signal: AbortSignal): Promise<void> {
    const forMs = held.forMs(thing);
    const times = new Map(forMs === undefined ? [] : [[thing.clusterID, forMs]]);
    const text = heldTimesText(times, area.forgottenAfterMs / recordSteps, () => lostWithArea.has(idOf(thing)));
    if (object.metadata.annotations?.[Annotation.heldFor] === text) return;
    await area.imports.change(object, withHeldTimes(object, text), signal);
  }

  /**
   * Whether the exporter marks what it withdraws: by its own word, or by what was published where it says nothing. What has lost the mark that each leader of
   * ours writes has lost what it said of the exporter as well: it is doubted like the rest.
   */
  function marks(clusterID: string, object: ResourceImport): boolean {
    if (clusterID === '') return true;
    const isMarked = object.metadata.annotations?.[Annotation.sourceWithdrawals] === marked;
    return beats.marks(clusterID) ?? (isMarked || !marksWithdrawals(object));
  }

  function heardMs(clusterID: string, heldForMs: number | undefined): number | undefined {
    const nowMs = clock.monotonic();
    if (area.exports.cache.state.kind === 'watching') readableSinceMs ??= nowMs;
    else readableSinceMs = undefined;
    const heard = beats.heardMs(clusterID === '' ? [] : [clusterID]);
    if (readableSinceMs === undefined || heldForMs === undefined || heard === undefined) return undefined;
    return Math.min(heldForMs, nowMs - readableSinceMs, heard);
  }

  /** Whether the member's announcement is being deleted because it left: everything of it goes first (docs/spec/membership.md §4). */
  function hasLeft(clusterID: string): boolean {
    return (
      clusterID !== '' &&
      area.announces.cache
        .byIndex(AnnounceIndex.clusterID, clusterID)
        .some((announce) => !isLive(announce) && isWithdrawn(announce))
    );
  }

  /** Counts once for all that go missing at one time: each count looks at all that is published. */
  function count(): Counted {
    const nowMs = clock.monotonic();
    if (counted === undefined || nowMs - counted.atMs >= countedMs) counted = { atMs: nowMs, ...countAll() };
    return counted;
  }

  function countAll(): Counted {
    const all = published();
    const isUnexported = (object: ResourceImport) =>
      standInsOf(object, [object]).every(
        ({ metadata }) => !isLiveName(metadata.namespace ?? area.namespace, metadata.name),
      );
    return { total: all.length, missing: all.filter(isUnexported).length };
  }

  function isLiveName(namespace: string, exportName: string): boolean {
    const found = area.exports.cache.get({ namespace, name: exportName });
    return found !== undefined && isLive(found) && (isReduced(found) || isSeen(found));
  }

  function report({ key, clusterID }: HeldThing, { log }: ReconcileContext): void {
    log.warn('a published import has lost its exports; keeping it', { key, clusterID });
    const clusterSet = area.served();
    if (clusterSet === undefined) return;
    const message = heldMessage(clusterSet, exportsLost);
    area.events.report(clusterSet, leaderClusterSetStatus, { reason: 'WithdrawalHeld', message });
  }
}

function idOf({ key, clusterID }: HeldThing): string {
  return JSON.stringify([key, clusterID]);
}

import { Annotation, MemberClusterAnnounce, memberAnnounceFinalizer, memberAnnounceName } from '@isthmus/api';
import type { Client, Resource, World } from '@isthmus/kube';
import { isConflict, isNotFound, orNotFound } from '@isthmus/kube';
import { jittered, sleep } from '@isthmus/machinery';
import type { AnnouncedSettings } from '@isthmus/wire';
import type { SessionSpec } from '../../own-cluster/session-spec.ts';
import type { SessionState } from '../../own-cluster/session-state.ts';
import type { RivalSighting } from './announce-owner.ts';
import { announceOwner, isAnnouncedBy } from './announce-owner.ts';
import { announcingUser } from './token-binding.ts';
import { noAnswer, readAnswer, readFailure, readRival } from './read-beat.ts';
import { beatAnnotations } from './beat-annotations.ts';
import type { BeatHistory, BeatResult } from './beat-history.ts';
import { afterBeat, firstBeat, nextBeatMs } from './beat-history.ts';

/** How long one beat may take: a hanging leader must not delay the next (defect B25). */
const beatTimeoutMs = 5_000;

export interface HeartbeatOptions {
  readonly client: Client;
  readonly announce: Resource<MemberClusterAnnounce>;
  readonly spec: SessionSpec;
  readonly version: string;
  /** The uid of Namespace kube-system of this cluster; empty where it can't be known. */
  readonly clusterUID: (signal: AbortSignal) => Promise<string>;
  readonly world: World;
  readonly settings: () => AnnouncedSettings;
  /** Whether exports were lost that have not been made again, or cannot be seen. */
  readonly isRestoring: () => boolean;
  /**
   * What this cluster cannot import, where the announcement has `found`; undefined: leave it as it
   * is.
   */
  readonly importProblems: (found: string) => string | undefined;
  /** Whether the leader's last answer may be that of a leader whose place another has taken. */
  readonly mayBeReplaced: () => boolean;
  /** Told when the leader answers after it did not. */
  readonly onRecovered: () => void;
  /** Told when the leader did not have our announcement, and has it now. */
  readonly onAnnounced: () => void;
}

/** A moment by both clocks. */
export interface Moment {
  readonly monotonicMs: number;
  /** Epoch milliseconds. */
  readonly wallMs: number;
}

export interface Heartbeat {
  readonly state: SessionState;
  /** When the leader last answered a beat; before the first answer, when the session began. */
  readonly answered: Moment;
  /**
   * Reports each change of `state`, and when `owns` begins to know this cluster. Returns the
   * unsubscriber.
   */
  onState(listener: () => void): () => void;
  /**
   * Whether this cluster made the announcement, rather than another one under our ID. False until
   * the first beat has found out which cluster this is: what is exported under our ID may be the
   * other's.
   */
  owns(announce: MemberClusterAnnounce): boolean;
  /** Beats at once rather than at the usual time: the announcement has vanished. */
  beatNow(): void;
  run(signal: AbortSignal): Promise<void>;
}

/** What a heartbeat remembers between beats. */
interface BeatMemory {
  readonly history: BeatHistory;
  readonly answered: Moment;
  /** The last beat failed: another cluster may have our place since. */
  readonly unheard: boolean;
  /** Another cluster that announces itself under our ID. */
  readonly rival: RivalSighting | undefined;
  /** Which cluster this is; undefined until the first beat has found out. */
  readonly ownUID: string | undefined;
}

function afterResult(memory: BeatMemory, result: BeatResult, now: Moment): BeatMemory {
  const answered = result.kind === 'answered' ? now : memory.answered;
  return { ...memory, answered, unheard: result.kind === 'failed', history: afterBeat(memory.history, result) };
}

/**
 * Keeps this member's announcement on the leader alive: a merge-patch of the time stamp each ten
 * seconds, which leaves the leader's finalizer alone; a creation where the announcement is missing
 * (docs/spec/membership.md §3, §6). Transient failures are repeated sooner, and only several in a
 * row count as a lost leader.
 */
export function createHeartbeat(options: HeartbeatOptions): Heartbeat {
  const { spec, world } = options;
  const { clock, random, log } = world;
  const listeners = new Set<() => void>();
  const notify = () => listeners.forEach((listener) => listener());
  let hurried = new AbortController();
  const now = (): Moment => ({ monotonicMs: clock.monotonic(), wallMs: clock.now() });
  let memory: BeatMemory = { history: firstBeat, answered: now(), unheard: false, rival: undefined, ownUID: undefined };

  const note = (result: BeatResult) => {
    const before = memory;
    memory = afterResult(before, result, now());
    if (before.unheard && !memory.unheard) options.onRecovered();
    const { state } = memory.history;
    if (JSON.stringify(before.history.state) === JSON.stringify(state)) return;
    const fields = { leader: spec.leaderClusterID, server: spec.server };
    if (state.kind === 'connected') log.info('connected to the leader', fields);
    else log.warn('not connected to the leader', { ...fields, why: state.why });
    notify();
  };

  return {
    get state() {
      return memory.history.state;
    },
    get answered() {
      return memory.answered;
    },
    onState(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    owns: (found) => memory.ownUID !== undefined && isAnnouncedBy(found, memory.ownUID),
    beatNow: () => hurried.abort(),
    async run(signal) {
      while (!signal.aborted) {
        hurried = new AbortController();
        const result = await beat(signal);
        if (signal.aborted) return;
        note(result);
        const restMs = jittered(random, nextBeatMs(memory.history) * 0.95, 0.05);
        await sleep(clock, restMs, AbortSignal.any([signal, hurried.signal])).catch(() => undefined);
      }
    },
  };

  async function beat(signal: AbortSignal): Promise<BeatResult> {
    const limit = new AbortController();
    const cancel = clock.after(beatTimeoutMs, () =>
      limit.abort(new Error(noAnswer(spec.server, beatTimeoutMs / 1000))),
    );
    try {
      return await beatOnce(AbortSignal.any([signal, limit.signal]));
    } catch (error) {
      return readFailure(error, spec);
    } finally {
      cancel();
    }
  }

  async function beatOnce(signal: AbortSignal): Promise<BeatResult> {
    const clusterUID = await options.clusterUID(signal);
    if (memory.ownUID !== clusterUID) {
      memory = { ...memory, ownUID: clusterUID };
      notify();
    }
    const found = await current(options, memory.unheard, signal);
    const owner = announceOwner(found, clusterUID, { last: memory.rival, nowMs: clock.monotonic() });
    memory = { ...memory, rival: owner.kind === 'rival' ? owner.sighting : undefined };
    if (owner.kind === 'rival') return readRival(spec, owner.sighting);
    if (found !== undefined && options.mayBeReplaced()) await takeAnswerAway(options, found, signal);
    // Only one of two clusters that take over at once succeeds.
    const resourceVersion = owner.kind === 'abandoned' ? found?.metadata.resourceVersion : undefined;
    return readAnswer(await touch(options, { clusterUID, resourceVersion }, signal), spec);
  }
}

/**
 * The answer goes with the finalizer that a leader of any make puts there: by that it shows whether
 * a controller runs. This happens once, because there is no answer afterwards.
 */
async function takeAnswerAway(
  { client }: HeartbeatOptions,
  { metadata, clusterID = '' }: MemberClusterAnnounce,
  signal: AbortSignal,
): Promise<void> {
  const ours = memberAnnounceFinalizer(clusterID);
  const body = {
    metadata: {
      resourceVersion: metadata.resourceVersion,
      finalizers: (metadata.finalizers ?? []).filter((finalizer) => finalizer !== ours),
      annotations: {
        [Annotation.answered]: null,
        [Annotation.leaderClusterSet]: null,
        [Annotation.settingsDiffer]: null,
      },
    },
  };
  try {
    await client.patch(MemberClusterAnnounce, metadata, { type: 'merge', body }, { signal });
  } catch (error) {
    // Written by the leader in between, or gone: a sign of life, or another matter.
    if (!isConflict(error) && !isNotFound(error)) throw error;
  }
}

/**
 * The announcement as it is: from the cache, or, where that may be behind, from the leader. After a
 * silence another cluster may have our place.
 */
async function current(
  { client, spec, announce }: HeartbeatOptions,
  unheard: boolean,
  signal: AbortSignal,
): Promise<MemberClusterAnnounce | undefined> {
  const ref = { namespace: spec.leaderNamespace, name: memberAnnounceName(spec.clusterID) };
  if (announce.cache.synced && !unheard) return announce.cache.get(ref);
  return orNotFound(client.get(MemberClusterAnnounce, ref, { signal }));
}

async function touch(
  options: HeartbeatOptions,
  { clusterUID, resourceVersion }: { readonly clusterUID: string; readonly resourceVersion: string | undefined },
  signal: AbortSignal,
): Promise<MemberClusterAnnounce> {
  const { client, announce, spec, world } = options;
  const name = memberAnnounceName(spec.clusterID);
  const namespace = spec.leaderNamespace;
  const { annotations, changes } = beatAnnotations({
    found: announce.cache.get({ namespace, name })?.metadata.annotations ?? {},
    nowMs: world.clock.now(),
    clusterUID,
    user: announcingUser(spec),
    version: options.version,
    settings: options.settings(),
    isRestoring: options.isRestoring(),
    importProblems: options.importProblems,
  });
  try {
    const body = {
      metadata: { annotations: changes, ...(resourceVersion === undefined ? {} : { resourceVersion }) },
    };
    return await client.patch(MemberClusterAnnounce, { namespace, name }, { type: 'merge', body }, { signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  const created = await announce.create(
    {
      metadata: { name, namespace, annotations },
      clusterID: spec.clusterID,
      clusterSetID: spec.clusterSet,
      leaderClusterID: spec.leaderClusterID,
    },
    signal,
  );
  options.onAnnounced();
  return created;
}

import { Annotation, MemberClusterAnnounce, memberAnnounceFinalizer, memberAnnounceName } from '@isthmus/api';
import type { Client, Resource, World } from '@isthmus/kube';
import { isConflict, isNotFound, limitedAbort, orNotFound } from '@isthmus/kube';
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

/** How long one heartbeat may take: an unresponsive leader must not delay the next (defect B25). */
const beatTimeoutMs = 5_000;

export interface HeartbeatOptions {
  readonly client: Client;
  readonly announce: Resource<MemberClusterAnnounce>;
  readonly spec: SessionSpec;
  /** The token that the client uses now. */
  readonly token: () => string;
  readonly version: string;
  /** The uid of Namespace kube-system of this cluster; empty if it is unknown. */
  readonly clusterUID: (signal: AbortSignal) => Promise<string>;
  readonly world: World;
  readonly settings: () => AnnouncedSettings;
  /** Whether exports were lost that have not been created again, or cannot be seen. */
  readonly isRestoring: () => boolean;
  /**
   * What this cluster cannot import, given the text `found` in the announcement. Undefined: leave
   * it unchanged.
   */
  readonly importProblems: (found: string) => string | undefined;
  /** Whether the leader answers heartbeats. Undefined: not known. */
  readonly answers: () => boolean | undefined;
  /** Whether the leader's last answer may be from a former leader that another has replaced. */
  readonly mayBeReplaced: () => boolean;
  /** Called with the announcement as the leader's API server has it after a heartbeat. */
  readonly onTouched: (announce: MemberClusterAnnounce) => void;
  /** Called when the leader answers again after failures. */
  readonly onRecovered: () => void;
  /** Called when the leader lacked our announcement, and has it now. */
  readonly onAnnounced: () => void;
}

/** One moment on both clocks. */
export interface Moment {
  readonly monotonicMs: number;
  /** Epoch milliseconds. */
  readonly wallMs: number;
}

export interface Heartbeat {
  readonly state: SessionState;
  /** When the leader last answered a heartbeat. Before the first answer, when the session began. */
  readonly answered: Moment;
  /**
   * Reports each change of `state`, and when `owns` first knows this cluster. Returns the
   * unsubscriber.
   */
  onState(listener: () => void): () => void;
  /**
   * Whether this cluster made the announcement, not another one under our ID. False until the first
   * heartbeat has found out which cluster this is: exports under our ID may belong to the other
   * cluster.
   */
  owns(announce: MemberClusterAnnounce): boolean;
  /** Sends a heartbeat now, before the usual time, because the announcement is missing. */
  beatNow(): void;
  run(signal: AbortSignal): Promise<void>;
}

/** The memory of a heartbeat between two beats. */
interface BeatMemory {
  readonly history: BeatHistory;
  readonly answered: Moment;
  /** The last heartbeat failed: another cluster may have replaced us since. */
  readonly unheard: boolean;
  /** Another cluster that announces itself under our ID. */
  readonly rival: RivalSighting | undefined;
  /** The identity of this cluster; undefined until the first heartbeat has found out. */
  readonly ownUID: string | undefined;
}

function afterResult(memory: BeatMemory, result: BeatResult, now: Moment): BeatMemory {
  const answered = result.kind === 'answered' ? now : memory.answered;
  return {
    ...memory,
    answered,
    unheard: result.kind === 'failed',
    history: afterBeat(memory.history, result, now.monotonicMs),
  };
}

/**
 * Keeps this member's announcement on the leader alive. Every ten or 15 seconds, a merge patch
 * updates its timestamp and leaves the leader's finalizer unchanged. If the announcement is
 * missing, it is created (docs/spec/membership.md §3, §6). Transient failures are repeated sooner,
 * and only several in a row count as a lost leader.
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
        // This cluster answers, not the leader: the time limit of a heartbeat does not apply.
        const clusterUID = await ownUID(signal);
        if (signal.aborted) return;
        const result = clusterUID === undefined ? unreadCluster : await beat(clusterUID, signal);
        if (signal.aborted) return;
        note(result);
        const restMs = jittered(random, nextBeatMs(memory.history, options.answers()) * 0.95, 0.05);
        await sleep(clock, restMs, AbortSignal.any([signal, hurried.signal])).catch(() => undefined);
      }
    },
  };

  /** Undefined: it took too long, or failed. */
  async function ownUID(signal: AbortSignal): Promise<string | undefined> {
    using limit = limitedAbort(signal, clock, ownAnswerMs, 'the Namespaces are not read');
    return await options.clusterUID(limit.signal).catch(() => undefined);
  }

  async function beat(clusterUID: string, signal: AbortSignal): Promise<BeatResult> {
    using limit = limitedAbort(signal, clock, beatTimeoutMs, noAnswer(spec.server, beatTimeoutMs / 1000));
    try {
      return await beatOnce(clusterUID, limit.signal);
    } catch (error) {
      return readFailure(error, { ...spec, token: options.token() }, clock.now());
    }
  }

  async function beatOnce(clusterUID: string, signal: AbortSignal): Promise<BeatResult> {
    if (memory.ownUID !== clusterUID) {
      memory = { ...memory, ownUID: clusterUID };
      notify();
    }
    const found = await current(options, memory.unheard, signal);
    const owner = announceOwner(found, clusterUID, { last: memory.rival, nowMs: clock.monotonic() });
    memory = { ...memory, rival: owner.kind === 'rival' ? owner.sighting : undefined };
    if (owner.kind === 'rival') return readRival(spec, owner.sighting);
    if (found !== undefined && options.mayBeReplaced()) await takeAnswerAway(options, found, signal);
    // If two clusters take over at once, only one succeeds.
    const resourceVersion = owner.kind === 'abandoned' ? found?.metadata.resourceVersion : undefined;
    return readAnswer(await touch(options, { clusterUID, resourceVersion }, signal), spec);
  }
}

/** How long this cluster may take to show which one it is. */
const ownAnswerMs = 20_000;
const unreadCluster: BeatResult = {
  kind: 'failed',
  why: 'no heartbeat is sent, because the API server of this cluster does not list its Namespaces. Check it: kubectl get namespaces',
};

/**
 * Removes the leader's answer together with the finalizer that every leader sets. If a controller
 * runs, it sets the finalizer again. This happens once, because no answer is left afterwards.
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
        [Annotation.dottedNames]: null,
        [Annotation.settingsDiffer]: null,
        [Annotation.otherMembers]: null,
      },
    },
  };
  try {
    await client.patch(MemberClusterAnnounce, metadata, { type: 'merge', body }, { signal });
  } catch (error) {
    // The leader wrote in between, which is a sign of life, or the announcement is gone, which is
    // handled elsewhere.
    if (!isConflict(error) && !isNotFound(error)) throw error;
  }
}

/**
 * The current announcement: from the cache, or from the leader if the cache may be outdated. After
 * a silence another cluster may have our place.
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
    const patched = await client.patch(MemberClusterAnnounce, { namespace, name }, { type: 'merge', body }, { signal });
    // It has the leader's last answer also while no watch shows it.
    options.onTouched(patched);
    return patched;
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

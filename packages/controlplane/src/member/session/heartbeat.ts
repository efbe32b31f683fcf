import { Annotation, MemberClusterAnnounce, memberAnnounceFinalizer, memberAnnounceName } from '@isthmus/api';
import type { Client, Resource, World } from '@isthmus/kube';
import { isConflict, isNotFound, orNotFound } from '@isthmus/kube';
import { jittered, rfc3339, sleep } from '@isthmus/machinery';
import type { AnnouncedSettings } from '@isthmus/wire';
import { announcedAtBeat, settingAnnotations, wireAtBeat } from '@isthmus/wire';
import type { SessionSpec } from '../../own-cluster/session-spec.ts';
import type { SessionState } from '../../own-cluster/session-state.ts';
import type { RivalSighting } from './announce-owner.ts';
import { announceOwner, isAnnouncedBy } from './announce-owner.ts';
import { announcingUser } from './token-binding.ts';
import { noAnswer, readAnswer, readFailure, readRival } from './read-beat.ts';
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
  /** What this cluster cannot import, where the announcement has `found`; undefined: leave it as it is. */
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
  /** Reports each change of `state`, and when `owns` begins to know this cluster. Returns the unsubscriber. */
  onState(listener: () => void): () => void;
  /**
   * Whether this cluster made the announcement, rather than another one under our ID. False until the first beat has found out which cluster this is: what is
   * exported under our ID may be the other's.
   */
  owns(announce: MemberClusterAnnounce): boolean;
  /** Beats at once rather than at the usual time: the announcement has vanished. */
  beatNow(): void;
  run(signal: AbortSignal): Promise<void>;
}

/**
 * Keeps this member's announcement on the leader alive: a merge-patch of the time stamp each ten seconds, which leaves the leader's
 * finalizer alone; a creation where the announcement is missing (docs/spec/membership.md §3, §6). Transient failures are repeated sooner, and
 * only several in a row count as a lost leader.
 */
export function createHeartbeat(options: HeartbeatOptions): Heartbeat {
  const { client, announce, spec, version, world } = options;
  const { clock, random, log } = world;
  const listeners = new Set<() => void>();
  const user = announcingUser(spec);
  let history: BeatHistory = firstBeat;
  let hurried = new AbortController();
  let rival: RivalSighting | undefined;
  let ownUID: string | undefined;

  const now = (): Moment => ({ monotonicMs: clock.monotonic(), wallMs: clock.now() });
  let answered = now();
  let unheard = false;
  const note = (result: BeatResult) => {
    if (result.kind === 'answered') answered = now();
    const recovered = unheard && result.kind !== 'failed';
    unheard = result.kind === 'failed';
    if (recovered) options.onRecovered();
    const before = history.state;
    history = afterBeat(history, result);
    if (JSON.stringify(before) === JSON.stringify(history.state)) return;
    const fields = { leader: spec.leaderClusterID, server: spec.server };
    if (history.state.kind === 'connected') log.info('connected to the leader', fields);
    else log.warn('not connected to the leader', { ...fields, why: history.state.why });
    for (const listener of listeners) listener();
  };

  return {
    get state() {
      return history.state;
    },
    get answered() {
      return answered;
    },
    onState(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    owns: (found) => ownUID !== undefined && isAnnouncedBy(found, ownUID),
    beatNow: () => hurried.abort(),
    async run(signal) {
      while (!signal.aborted) {
        hurried = new AbortController();
        const result = await beat();
        if (signal.aborted) return;
        note(result);
        const restMs = jittered(random, nextBeatMs(history) * 0.95, 0.05);
        await sleep(clock, restMs, AbortSignal.any([signal, hurried.signal])).catch(() => undefined);
      }

      async function beat(): Promise<BeatResult> {
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
    },
  };

  async function beatOnce(signal: AbortSignal): Promise<BeatResult> {
    const clusterUID = await options.clusterUID(signal);
    if (ownUID !== clusterUID) {
      ownUID = clusterUID;
      for (const listener of listeners) listener();
    }
    const found = await current(signal);
    const owner = announceOwner(found, clusterUID, { last: rival, nowMs: clock.monotonic() });
    rival = owner.kind === 'rival' ? owner.sighting : undefined;
    if (owner.kind === 'rival') return readRival(spec, owner.sighting);
    if (found !== undefined && options.mayBeReplaced()) await takeAnswerAway(found, signal);
    // Of two clusters that take over at once, one is too late.
    const resourceVersion = owner.kind === 'abandoned' ? found?.metadata.resourceVersion : undefined;
    return readAnswer(await touch({ clusterUID, resourceVersion }, signal), spec);
  }

  /** With the finalizer that a leader of any make puts there: by that it shows whether a controller runs. Once, for there is no answer afterwards. */
  async function takeAnswerAway(
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

  /** The announcement as it is: from the cache, or, where that may be behind, from the leader. After a silence another cluster may have our place. */
  async function current(signal: AbortSignal): Promise<MemberClusterAnnounce | undefined> {
    const ref = { namespace: spec.leaderNamespace, name: memberAnnounceName(spec.clusterID) };
    if (announce.cache.synced && !unheard) return announce.cache.get(ref);
    return orNotFound(client.get(MemberClusterAnnounce, ref, { signal }));
  }

  async function touch(
    { clusterUID, resourceVersion }: { readonly clusterUID: string; readonly resourceVersion: string | undefined },
    signal: AbortSignal,
  ): Promise<MemberClusterAnnounce> {
    const name = memberAnnounceName(spec.clusterID);
    const namespace = spec.leaderNamespace;
    const touchTs = rfc3339(clock.now());
    const found = announce.cache.get({ namespace, name })?.metadata.annotations ?? {};
    const known = found[Annotation.importProblems] ?? '';
    const problems = options.importProblems(known) ?? known;
    const annotations = {
      ...(clusterUID === '' ? {} : { [Annotation.clusterUID]: clusterUID }),
      [Annotation.touchTs]: touchTs,
      [Annotation.marksAt]: touchTs,
      ...(problems === '' ? {} : { [Annotation.importProblems]: problems }),
      ...(options.isRestoring() ? { [Annotation.restoring]: touchTs } : {}),
      ...settingAnnotations(options.settings()),
      [Annotation.version]: version,
      [Annotation.wire]: wireAtBeat(touchTs),
      ...(user === undefined ? {} : { [Annotation.announcedBy]: announcedAtBeat(user, touchTs) }),
    };
    // What this cluster said before and does not mean any more; of what it never said there is nothing to remove.
    const over = [Annotation.restoring, Annotation.withdrawn, Annotation.importProblems, Annotation.announcedBy].filter(
      (key) => found[key] !== undefined && !(key in annotations),
    );
    const changes = { ...annotations, ...Object.fromEntries(over.map((key) => [key, null])) };
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
}

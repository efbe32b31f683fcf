import { Annotation, MemberClusterAnnounce, memberAnnounceName, wireNumber } from '@isthmus/api';
import type { Client, Resource, World } from '@isthmus/kube';
import { isForbidden, isNotFound, isUnauthorized } from '@isthmus/kube';
import { jittered, rfc3339, sleep } from '@isthmus/machinery';
import type { SessionSpec } from '../membership.ts';
import type { BeatHistory, BeatResult, SessionState } from './session-state.ts';
import { afterBeat, firstBeat, nextBeatMs } from './session-state.ts';

/** How long one beat may take: a hanging leader must not delay the next (defect B25). */
const beatTimeoutMs = 5_000;

export interface HeartbeatOptions {
  readonly client: Client;
  readonly announce: Resource<MemberClusterAnnounce>;
  readonly spec: SessionSpec;
  readonly version: string;
  readonly world: World;
}

export interface Heartbeat {
  readonly state: SessionState;
  onState(listener: () => void): () => void;
  /** Beats at once rather than at the usual time: the announcement has vanished. */
  beatNow(): void;
  run(signal: AbortSignal): Promise<void>;
}

/**
 * Keeps this member's announcement on the leader alive: a merge-patch of the time stamp each ten seconds, which leaves the leader's
 * finalizer alone; a creation where the announcement is missing (control-plane.md §0, §4, §11). Transient failures are repeated sooner, and
 * only several in a row count as a lost leader.
 */
export function createHeartbeat({ client, announce, spec, version, world }: HeartbeatOptions): Heartbeat {
  const { clock, random, log } = world;
  const listeners = new Set<() => void>();
  let history: BeatHistory = firstBeat;
  let hurried = new AbortController();

  const note = (result: BeatResult) => {
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
    onState(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
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
          limit.abort(new Error(`no answer within ${beatTimeoutMs / 1000} s`)),
        );
        try {
          return judged(await touch(AbortSignal.any([signal, limit.signal])), spec);
        } catch (error) {
          return failure(error, spec);
        } finally {
          cancel();
        }
      }
    },
  };

  async function touch(signal: AbortSignal): Promise<MemberClusterAnnounce> {
    const name = memberAnnounceName(spec.clusterID);
    const namespace = spec.leaderNamespace;
    const annotations = {
      [Annotation.touchTs]: rfc3339(clock.now()),
      [Annotation.version]: version,
      [Annotation.wire]: String(wireNumber),
    };
    try {
      const body = { metadata: { annotations } };
      return await client.patch(MemberClusterAnnounce, { namespace, name }, { type: 'merge', body }, { signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    return announce.create(
      {
        metadata: { name, namespace, annotations },
        clusterID: spec.clusterID,
        clusterSetID: spec.clusterSet,
        leaderClusterID: spec.leaderClusterID,
      },
      signal,
    );
  }
}

function judged(found: MemberClusterAnnounce, spec: SessionSpec): BeatResult {
  const { name } = found.metadata;
  if (found.metadata.deletionTimestamp !== undefined) {
    return { kind: 'failed', why: `the leader is removing ${name}; it will be announced again when that is done` };
  }
  const wrong = (
    [
      ['clusterID', found.clusterID, spec.clusterID],
      ['clusterSetID', found.clusterSetID, spec.clusterSet],
      ['leaderClusterID', found.leaderClusterID, spec.leaderClusterID],
    ] as const
  ).find(([, theirs, ours]) => theirs !== ours);
  if (wrong === undefined) return { kind: 'answered' };
  const [field, theirs, ours] = wrong;
  const why = `MemberClusterAnnounce ${name} on the leader has ${field} ${JSON.stringify(theirs ?? '')}, but this cluster's ClusterSet says ${JSON.stringify(ours)}. Correct the ClusterSet, or delete the announcement on the leader.`;
  return { kind: 'refused', reason: 'Refused', why };
}

function failure(error: unknown, spec: SessionSpec): BeatResult {
  const why = error instanceof Error ? error.message : String(error);
  if (isUnauthorized(error)) {
    const advice = `Leader ${spec.leaderClusterID} does not accept the token: issue a new member token there and put it into the Secret. ${why}`;
    return { kind: 'refused', reason: 'Unauthorized', why: advice };
  }
  if (isForbidden(error)) {
    return { kind: 'refused', reason: 'Refused', why: `Leader ${spec.leaderClusterID} refuses this member: ${why}` };
  }
  return { kind: 'failed', why };
}

import { Annotation, Label, MemberClusterAnnounce, ResourceExport, memberAnnounceName } from '@isthmus/api';
import type { Client, World } from '@isthmus/kube';
import { isNotFound, limitedAbort } from '@isthmus/kube';
import { errorMessage, sleep } from '@isthmus/machinery';
import { withdrawnMark } from '@isthmus/wire';
import type { SessionSpec } from '../own-cluster/session-spec.ts';
import { noAnswer } from './session/read-beat.ts';

/**
 * How long the leader may take to answer before the member leaves without its answer
 * (docs/spec/membership.md §8).
 */
export const leaveWithinMs = 60_000;
const firstPollMs = 50;
const slowestPollMs = 1_000;
const callTimeoutMs = 5_000;

/** The leader's progress in removing this member. */
export type LeaveState =
  | { readonly kind: 'asking'; readonly why?: string | undefined }
  /** The announcement is gone, and all exports of this cluster are gone or marked as deleted. */
  | { readonly kind: 'left' };

export interface LeaveOptions {
  /** The uid of Namespace kube-system of this cluster; empty if it is unknown. */
  readonly clusterUID: (signal: AbortSignal) => Promise<string>;
  readonly world: World;
  readonly signal: AbortSignal;
  readonly note: (state: LeaveState) => void;
}

/**
 * Asks the leader to remove this cluster. Marks its announcement as withdrawn, deletes it, and
 * waits until the leader has removed its finalizer. The leader does that after it has removed all
 * exports of this cluster (docs/spec/membership.md §4).
 *
 * If a leader that is down never put its finalizer on the announcement, the announcement is gone at
 * once. Then this member deletes the exports, and the leader releases them when it is back. Asks
 * again until that is done, or `signal` aborts.
 */
export async function askToLeave(client: Client, spec: SessionSpec, options: LeaveOptions): Promise<void> {
  const { world, signal, note } = options;
  const ref = { namespace: spec.leaderNamespace, name: memberAnnounceName(spec.clusterID) };
  let marked = false;
  for (let pollMs = firstPollMs; !signal.aborted; pollMs = Math.min(2 * pollMs, slowestPollMs)) {
    try {
      // Another cluster is the member under our ID: we must not withdraw its objects.
      if (await isRivals()) return note({ kind: 'left' });
      if (await isLetGo()) {
        await deleteRest();
        return note({ kind: 'left' });
      }
      note({ kind: 'asking', why: `its controller has not removed MemberClusterAnnounce ${ref.name} yet` });
    } catch (error) {
      note({ kind: 'asking', why: errorMessage(error) });
    }
    await sleep(world.clock, pollMs, signal).catch(() => undefined);
  }

  async function isRivals(): Promise<boolean> {
    const clusterUID = await options.clusterUID(signal);
    let uid: string | undefined;
    await orMissing(async (limited) => {
      uid = (await client.get(MemberClusterAnnounce, ref, { signal: limited })).metadata.annotations?.[
        Annotation.clusterUID
      ];
      return true;
    });
    return uid !== undefined && clusterUID !== '' && uid !== clusterUID;
  }

  function isLetGo(): Promise<boolean> {
    return orMissing(async (limited) => {
      // Without the mark, a leader would first wait for more heartbeats of this cluster.
      const body = { metadata: { annotations: withdrawnMark(world.clock.now()) } };
      if (!marked) await client.patch(MemberClusterAnnounce, ref, { type: 'merge', body }, { signal: limited });
      marked = true;
      return (await client.delete(MemberClusterAnnounce, ref, { signal: limited })) === undefined;
    });
  }

  async function deleteRest(): Promise<void> {
    const labelSelector = `${Label.sourceClusterID}=${spec.clusterID}`;
    const selection = { namespace: spec.leaderNamespace, labelSelector };
    const { items } = await within((limited) => client.list(ResourceExport, { ...selection, signal: limited }));
    for (const { metadata, spec: exported } of items) {
      if (metadata.deletionTimestamp !== undefined || exported?.clusterID !== spec.clusterID) continue;
      const body = { metadata: { annotations: withdrawnMark(world.clock.now()) } };
      await orMissing(async (limited) => {
        await client.patch(ResourceExport, metadata, { type: 'merge', body }, { signal: limited });
        return (await client.delete(ResourceExport, metadata, { signal: limited })) === undefined;
      });
    }
  }

  /** A missing object counts as deleted. */
  async function orMissing(call: (limited: AbortSignal) => Promise<boolean>): Promise<boolean> {
    try {
      return await within(call);
    } catch (error) {
      if (isNotFound(error)) return true;
      throw error;
    }
  }

  async function within<T>(call: (limited: AbortSignal) => Promise<T>): Promise<T> {
    using limit = limitedAbort(signal, world.clock, callTimeoutMs, noAnswer(spec.server, callTimeoutMs / 1000));
    return await call(limit.signal);
  }
}

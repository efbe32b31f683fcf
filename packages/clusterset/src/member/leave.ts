import { MemberClusterAnnounce, memberAnnounceName } from '@isthmus/api';
import type { Client, World } from '@isthmus/kube';
import { isNotFound } from '@isthmus/kube';
import { sleep } from '@isthmus/machinery';
import type { SessionSpec } from './membership.ts';

/** How long the leader may take to answer before the member leaves without it (architecture.md §5.3). */
export const leaveWithinMs = 60_000;
const firstPollMs = 50;
const slowestPollMs = 1_000;
const callTimeoutMs = 5_000;

/** How far the leader has come with forgetting this member. */
export type LeaveState =
  | { readonly kind: 'asking'; readonly why?: string | undefined }
  /** The announcement is gone, and with it all that this cluster exported. */
  | { readonly kind: 'left' };

/**
 * Asks the leader to forget this cluster: deletes its announcement and waits until the leader has let it go, which it does after it
 * has removed everything that this cluster exported (control-plane.md §0, §3.3). Goes on asking until that is so, or `signal` aborts.
 */
export async function askToLeave(
  client: Client,
  spec: SessionSpec,
  options: { readonly world: World; readonly signal: AbortSignal; readonly note: (state: LeaveState) => void },
): Promise<void> {
  const { world, signal, note } = options;
  const ref = { namespace: spec.leaderNamespace, name: memberAnnounceName(spec.clusterID) };
  for (let pollMs = firstPollMs; !signal.aborted; pollMs = Math.min(2 * pollMs, slowestPollMs)) {
    const limit = new AbortController();
    const cancel = world.clock.after(callTimeoutMs, () => limit.abort(new Error('no answer within 5 s')));
    try {
      const held = await client.delete(MemberClusterAnnounce, ref, { signal: AbortSignal.any([signal, limit.signal]) });
      if (held === undefined) return note({ kind: 'left' });
      note({ kind: 'asking', why: 'the leader is removing what this cluster exported' });
    } catch (error) {
      if (isNotFound(error)) return note({ kind: 'left' });
      note({ kind: 'asking', why: error instanceof Error ? error.message : String(error) });
    } finally {
      cancel();
    }
    await sleep(world.clock, pollMs, signal).catch(() => undefined);
  }
}

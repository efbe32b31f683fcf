import { MemberClusterAnnounce } from '@isthmus/api';
import type { Clock } from '@isthmus/machinery';
import type { Beats } from '../../loss/beats.ts';
import type { LeaderSession } from '../leader-session.ts';
import { announcesMs } from './decide-missing.ts';

/** Reads the announcements again, unless there is a recent reading from after `notBeforeMs`. */
export type ReadAnnounces = (notBeforeMs: number, signal: AbortSignal) => Promise<void>;

/** Reads the announcements of all members, once for all callers that ask at the same time. */
export function createReadAnnounces({ client, spec }: LeaderSession, beats: Beats, clock: Clock): ReadAnnounces {
  let lookedMs = Number.NEGATIVE_INFINITY;
  let looking: Promise<void> | undefined;
  const look = async (signal: AbortSignal) => {
    try {
      const { items } = await client.list(MemberClusterAnnounce, { namespace: spec.leaderNamespace, signal });
      lookedMs = clock.monotonic();
      beats.note(items);
    } finally {
      looking = undefined;
    }
  };
  return async (notBeforeMs, signal) => {
    if (lookedMs >= notBeforeMs && clock.monotonic() - lookedMs < announcesMs / 2) return;
    looking ??= look(signal);
    await looking;
  };
}

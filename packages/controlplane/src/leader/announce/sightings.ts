import type { MemberClusterAnnounce } from '@isthmus/api';
import { Annotation } from '@isthmus/api';
import type { Clock } from '@isthmus/machinery';
import type { Sighting } from './liveness.ts';
import { sight } from './liveness.ts';

/**
 * When this process last received a heartbeat in each announcement. It is a cache: after a restart,
 * every member counts as just seen.
 */
export interface Sightings {
  /** Looks at the announcement now. Returns when it last changed. */
  look(announce: MemberClusterAnnounce): Sighting;
  /**
   * For how long the announcement has been seen in deletion with the same heartbeat. Undefined: it
   * has received a heartbeat since it was first seen that way.
   */
  deletedMs(announce: MemberClusterAnnounce): number | undefined;
  forget(name: string): void;
}

export function createSightings(clock: Clock): Sightings {
  const seen = new Map<string, Sighting>();
  const deleted = new Map<string, { readonly uid: string; readonly beat: string; readonly atMs: number }>();
  return {
    look(announce) {
      const { name, uid = '', annotations } = announce.metadata;
      const sighting = sight(seen.get(name), `${uid} ${annotations?.[Annotation.touchTs] ?? ''}`, clock.monotonic());
      seen.set(name, sighting);
      return sighting;
    },
    deletedMs({ metadata: { name, uid = '', annotations } }) {
      const beat = annotations?.[Annotation.touchTs] ?? '';
      const known = deleted.get(name);
      const found = known?.uid === uid ? known : { uid, beat, atMs: clock.monotonic() };
      deleted.set(name, found);
      return found.beat === beat ? clock.monotonic() - found.atMs : undefined;
    },
    forget(name) {
      seen.delete(name);
      deleted.delete(name);
    },
  };
}

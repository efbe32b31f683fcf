import type { MemberClusterAnnounce } from '@isthmus/api';
import { Annotation } from '@isthmus/api';
import type { Clock } from '@isthmus/machinery';
import type { Sighting } from './liveness.ts';
import { sight } from './liveness.ts';

/** When this process last saw each announcement beat. A cache: lost with the process, and then everybody counts as just seen. */
export interface Sightings {
  /** Looks at the announcement now and returns when it last changed. */
  look(announce: MemberClusterAnnounce): Sighting;
  /**
   * For how long, of an announcement that is being deleted, that and its beat have been seen as they are; undefined: it has beaten since it was
   * first seen so.
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

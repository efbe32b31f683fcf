import type { MemberClusterAnnounce } from '@isthmus/api';
import { Annotation } from '@isthmus/api';
import type { Clock } from '@isthmus/machinery';
import type { Sighting } from './liveness.ts';
import { sight } from './liveness.ts';

/** When this process last saw each announcement beat. A cache: lost with the process, and then everybody counts as just seen. */
export interface Sightings {
  /** Looks at the announcement now and returns when it last changed. */
  look(announce: MemberClusterAnnounce): Sighting;
  forget(name: string): void;
}

export function createSightings(clock: Clock): Sightings {
  const seen = new Map<string, Sighting>();
  return {
    look(announce) {
      const { name, uid = '', annotations } = announce.metadata;
      const sighting = sight(seen.get(name), `${uid} ${annotations?.[Annotation.touchTs] ?? ''}`, clock.monotonic());
      seen.set(name, sighting);
      return sighting;
    },
    forget(name) {
      seen.delete(name);
    },
  };
}

import type { Minor } from '../version/version.ts';

/** The API servers that a CRD is meant for, as far as their version decides their answers. */
export interface ServerVersion {
  /** The oldest minor that serves; absent: not known, then nothing is taken to be ratcheted. */
  readonly minor?: Minor | undefined;
}

import type { MemberClusterAnnounce } from '@isthmus/api';
import { Annotation } from '@isthmus/api';

/**
 * Records of announcers that were written while the API server checked them. An earlier record may
 * be forged, from a time without the policy. A restart loses this memory, and the next heartbeat
 * restores it.
 */
export interface ProvenRecords {
  /** Whether the API server is known to check records. */
  readonly isChecked: boolean;
  /**
   * The API server checks from now on. The current content of these announcements proves nothing.
   */
  checked(present: readonly MemberClusterAnnounce[]): void;
  /** The API server does not check, or no longer checks. */
  unchecked(): void;
  isProven(announce: MemberClusterAnnounce): boolean;
}

export function createProvenRecords(): ProvenRecords {
  const recordOf = ({ metadata }: MemberClusterAnnounce) => metadata.annotations?.[Annotation.announcedBy];
  let before: ReadonlyMap<string, string | undefined> | undefined;
  return {
    get isChecked() {
      return before !== undefined;
    },
    checked(present) {
      before ??= new Map(present.map((announce) => [announce.metadata.name, recordOf(announce)]));
    },
    unchecked() {
      before = undefined;
    },
    isProven(announce) {
      return before !== undefined && before.get(announce.metadata.name) !== recordOf(announce);
    },
  };
}

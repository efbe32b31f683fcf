import type { MemberClusterAnnounce } from '@isthmus/api';
import { Annotation } from '@isthmus/api';

/**
 * Which records of announcers were written while the API server checked them. A record that was there before may be forged: from a time without the policy.
 * Lost with the process, and known again one beat later.
 */
export interface ProvenRecords {
  /** Whether the API server is known to check records. */
  readonly isChecked: boolean;
  /** From now on it does: what these announcements say now proves nothing. */
  checked(present: readonly MemberClusterAnnounce[]): void;
  /** It does not, or not any more. */
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

import type { MemberClusterAnnounce } from '@isthmus/api';
import { Annotation, serviceAccountUser } from '@isthmus/api';

/** The admission policy, behind the Namespace, by which the API server checks the record of who announces a cluster. */
export const announcedByPolicy = 'announced-by';

/** Who wrote the present beat of an announcement: a ServiceAccount of the leader's Namespace, or somebody else. */
export interface Announcer {
  readonly account: string | undefined;
}

/**
 * Who announces a cluster, by the record that the API server checks. Undefined where there is none for the present beat: the member is older than the record or
 * of another make, which leaves a record of before beside a `touch-ts` of its own.
 */
export function announcerOf({ metadata }: MemberClusterAnnounce): Announcer | undefined {
  const { namespace = '', annotations = {} } = metadata;
  const { [Annotation.announcedBy]: record, [Annotation.touchTs]: touchTs } = annotations;
  if (record === undefined || touchTs === undefined || !record.endsWith(` ${touchTs}`)) return undefined;
  const user = record.slice(0, -touchTs.length - 1);
  const prefix = serviceAccountUser({ namespace, name: '' });
  return { account: user.startsWith(prefix) ? user.slice(prefix.length) : undefined };
}

/** What a member writes with each beat. */
export function announcedAtBeat(user: string, touchTs: string): string {
  return `${user} ${touchTs}`;
}

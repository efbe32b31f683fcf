import type { MemberClusterAnnounce } from '@isthmus/api';
import { Annotation, serviceAccountUser } from '@isthmus/api';

/**
 * The base name of the admission policy, before the Namespace. By this policy the API server checks
 * the record of the announcer of a cluster.
 */
export const announcedByPolicy = 'announced-by';

/** The same of the policy by which a suspended member can write nothing. */
export const suspendedMembersPolicy = 'suspended-members';

/**
 * The author of the latest heartbeat of an announcement: a ServiceAccount of the leader's
 * Namespace, or another user.
 */
export interface Announcer {
  readonly account: string | undefined;
}

/**
 * The user that announces a cluster, from the record that the API server checks. Undefined if the
 * latest heartbeat has no record. Then the member is older than the record, or of another
 * implementation, which keeps an old record beside its own `touch-ts`.
 */
export function announcerOf({ metadata }: MemberClusterAnnounce): Announcer | undefined {
  const { namespace = '', annotations = {} } = metadata;
  const { [Annotation.announcedBy]: record, [Annotation.touchTs]: touchTs } = annotations;
  if (record === undefined || touchTs === undefined || !record.endsWith(` ${touchTs}`)) return undefined;
  const user = record.slice(0, -touchTs.length - 1);
  const prefix = serviceAccountUser({ namespace, name: '' });
  return { account: user.startsWith(prefix) ? user.slice(prefix.length) : undefined };
}

/** The value that a member writes with each heartbeat. */
export function announcedAtBeat(user: string, touchTs: string): string {
  return `${user} ${touchTs}`;
}

import { parseRfc3339 } from '@isthmus/machinery';
import { forgottenAfterMs } from '../../announcements/silence.ts';

/** The sources for the age of an export: RFC 3339 texts, as the objects contain them. */
export interface AgeSources {
  /** `isthmus.dev/first-exported` on the per-cluster ResourceImport: the leader's own record. */
  readonly stamped?: string | undefined;
  /** The same annotation on the ResourceExport: the member's copy. */
  readonly echo?: string | undefined;
  /** `creationTimestamp` of the ResourceExport, by the leader's clock. */
  readonly created: string;
  /** An echo before this time is not valid: see {@link isStanding}. */
  readonly notBefore?: string | undefined;
}

/** An export of which the leader has published something. */
export interface PublishedAge {
  /** `isthmus.dev/first-exported` that the leader wrote. */
  readonly stamped: string;
  /**
   * `creationTimestamp` of the ResourceExport. For an export that is lost, and was not created
   * again as far as known: the stamp.
   */
  readonly created: string;
}

/**
 * Whether a published export has existed without a break since it was first exported, compared with
 * another one that was created at `otherCreated`. A leader that lost a part of its objects lost the
 * youngest ones, so an echo older than the remaining exports is not valid. If the others were
 * exported again too, within the time after which a silent member is forgotten, the leader may have
 * been rebuilt. Only then an echo is valid.
 */
export function existsUnbroken({ stamped, created }: PublishedAge, otherCreated: string): boolean {
  const [stampedMs, createdMs, otherMs] = [stamped, created, otherCreated].map(msOf);
  if (stampedMs === undefined || createdMs === undefined) return false;
  return createdMs <= stampedMs || (otherMs ?? 0) - createdMs > forgottenAfterMs;
}

/**
 * Since when a cluster exports a Service, for precedence (docs/spec/wire.md §9): the leader's own
 * stamp; after a rebuild, which has no stamp, the member's echo of it; otherwise the creation of
 * the ResourceExport.
 *
 * Guarantees: returns one of the given texts unchanged, so that stamping the result again changes
 * nothing. An echo later than `created` would make an export younger than the leader knows it to
 * be. One before `notBefore` would make it older than possible. Neither is valid. Within these
 * bounds a member may lie.
 */
export function effectiveFirstExported(sources: AgeSources): string {
  const { stamped, echo, created, notBefore } = sources;
  if (stamped !== undefined && msOf(stamped) !== undefined) return stamped;
  const echoMs = msOf(echo);
  if (echo === undefined || echoMs === undefined) return created;
  const tooLate = echoMs > (msOf(created) ?? -Infinity);
  const tooEarly = echoMs < (msOf(notBefore) ?? -Infinity);
  return tooLate || tooEarly ? created : echo;
}

function msOf(text: string | undefined): number | undefined {
  // The type of an annotation is text, but another cluster wrote it, so it is checked.
  return typeof text === 'string' ? parseRfc3339(text) : undefined;
}

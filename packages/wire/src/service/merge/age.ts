import { parseRfc3339 } from '@isthmus/machinery';
import { forgottenAfterMs } from '../../announcements/silence.ts';

/** Where the age of an export can be read. RFC 3339 texts, as they stand on the objects. */
export interface AgeSources {
  /** `isthmus.dev/first-exported` on the per-cluster ResourceImport: what the leader itself wrote down. */
  readonly stamped?: string | undefined;
  /** The same annotation on the ResourceExport: what the member remembers of it. */
  readonly echo?: string | undefined;
  /** `creationTimestamp` of the ResourceExport, by the leader's clock. */
  readonly created: string;
  /** What no echo can be older than: see {@link isStanding}. */
  readonly notBefore?: string | undefined;
}

/** An export of which the leader has published something. */
export interface PublishedAge {
  /** `isthmus.dev/first-exported` that the leader wrote. */
  readonly stamped: string;
  /** `creationTimestamp` of the ResourceExport. Of one that is lost, and was never seen to be created again: the stamp. */
  readonly created: string;
}

/**
 * Whether a published export has stood since it was first exported, as far as another one matters that was created at `newcomer`. A leader that lost
 * a part of its objects lost the youngest ones: then no echo is older than what stands. Only where the others were exported again as well, within the time for
 * which a silent member is remembered, the leader may have been rebuilt, and an echo counts.
 */
export function isStanding({ stamped, created }: PublishedAge, newcomer: string): boolean {
  const [stampedMs, createdMs, newcomerMs] = [stamped, created, newcomer].map(msOf);
  if (stampedMs === undefined || createdMs === undefined) return false;
  return createdMs <= stampedMs || (newcomerMs ?? 0) - createdMs > forgottenAfterMs;
}

/**
 * Since when a cluster exports a Service, as far as precedence goes (docs/spec/wire.md §9): the leader's own stamp; after a rebuild,
 * when there is none, the member's echo of it; otherwise the creation of the ResourceExport.
 *
 * Guarantees: returns one of the given texts unchanged, so that stamping the result again changes nothing. An echo later than
 * `created` would make an export younger than the leader knows it to be, one before `notBefore` older than it can be: neither counts.
 * Within these bounds a member may lie.
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
  // Annotations are texts, but what another cluster wrote is not taken for one unseen.
  return typeof text === 'string' ? parseRfc3339(text) : undefined;
}

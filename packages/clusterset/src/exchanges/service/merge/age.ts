import { parseRfc3339 } from '@isthmus/machinery';

/** Where the age of an export can be read. RFC 3339 texts, as they stand on the objects. */
export interface AgeSources {
  /** `isthmus.dev/first-exported` on the per-cluster ResourceImport: what the leader itself wrote down. */
  readonly stamped?: string | undefined;
  /** The same annotation on the ResourceExport: what the member remembers of it. */
  readonly echo?: string | undefined;
  /** `creationTimestamp` of the ResourceExport, by the leader's clock. */
  readonly created: string;
  /** `creationTimestamp` of the member's ServiceExport, where the leader knows it: no echo can be older. */
  readonly notBefore?: string | undefined;
}

/**
 * Since when a cluster exports a Service, as far as precedence goes (docs/spec/wire.md §9): the leader's own stamp; after a rebuild,
 * when there is none, the member's echo of it; otherwise the creation of the ResourceExport.
 *
 * Guarantees: returns one of the given texts unchanged, so that stamping the result again changes nothing. An echo later than
 * `created` would make an export younger than the leader knows it to be, one before `notBefore` older than it can be: neither counts.
 * Assumes that a member may lie within these bounds: who must not trust it passes no echo.
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

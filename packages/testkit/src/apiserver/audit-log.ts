/** One of the modules that may touch the world: it reads the audit log of a cluster (fs). */
import { readFileSync } from 'node:fs';

/** One request that the API server has answered, or has begun to answer (a watch). */
export interface AuditedRequest {
  /** E.g. `kubernetes-admin`, `system:serviceaccount:<namespace>:<name>`. */
  readonly user: string;
  readonly userAgent: string;
  /** The Kubernetes verb: get, list, watch, create, update, patch, delete, deletecollection. */
  readonly verb: string;
  /** Path and query. */
  readonly requestURI: string;
  /** Empty for the core group; undefined if the path does not name a resource. */
  readonly group: string | undefined;
  readonly resource: string | undefined;
  readonly subresource: string | undefined;
  readonly namespace: string | undefined;
  /** Undefined for a create, whose name is in the body. */
  readonly name: string | undefined;
  /** HTTP status. */
  readonly code: number;
}

/**
 * The requests in an audit log, in the order in which they were first logged; each once, however
 * many events it has.
 */
export function readAuditLog(path: string): readonly AuditedRequest[] {
  return parseAuditLog(readFileSync(path, 'utf8'));
}

/**
 * {@link readAuditLog} for text. An unfinished last line is left out: the server is still writing
 * it.
 */
export function parseAuditLog(text: string): readonly AuditedRequest[] {
  const requests = new Map<string, AuditedRequest>();
  for (const line of text.split('\n').slice(0, -1)) {
    const event = JSON.parse(line) as AuditEvent;
    const object = event.objectRef;
    requests.set(event.auditID, {
      user: event.user.username,
      userAgent: event.userAgent ?? '',
      verb: event.verb,
      requestURI: event.requestURI,
      group: object === undefined ? undefined : (object.apiGroup ?? ''),
      resource: object?.resource,
      subresource: object?.subresource,
      namespace: object?.namespace,
      name: object?.name,
      code: event.responseStatus?.code ?? 0,
    });
  }
  return [...requests.values()];
}

/** The part of audit.k8s.io/v1 Event that is read here. */
interface AuditEvent {
  readonly auditID: string;
  readonly verb: string;
  readonly requestURI: string;
  readonly userAgent?: string | undefined;
  readonly user: { readonly username: string };
  readonly objectRef?:
    | {
        readonly apiGroup?: string | undefined;
        readonly resource?: string | undefined;
        readonly subresource?: string | undefined;
        readonly namespace?: string | undefined;
        readonly name?: string | undefined;
      }
    | undefined;
  readonly responseStatus?: { readonly code?: number | undefined } | undefined;
}

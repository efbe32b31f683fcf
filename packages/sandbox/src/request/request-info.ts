import type { ApiRequest } from '@isthmus/kube';
import { unescaped } from './unescaped.ts';
import { verbOf } from './verbs.ts';
import type { RequestVerb } from './verbs.ts';

/** A path and a method, parsed before the resource is looked up. Authorization uses this. */
export type RequestInfo = ResourceRequest | NonResourceRequest;

export interface ResourceRequest {
  readonly kind: 'resource';
  readonly verb: RequestVerb;
  readonly group: string;
  readonly version: string;
  readonly namespace: string | undefined;
  readonly resource: string;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
  /** The one name that the field selector of a list admits. */
  readonly selectedName?: string | undefined;
}

export interface NonResourceRequest {
  readonly kind: 'non-resource';
  /** The method in lower case. */
  readonly verb: string;
  readonly path: string;
}

/** Sub-paths of a Namespace that are not collections within it. */
const namespaceSubresources: ReadonlySet<string> = new Set(['status', 'finalize']);

/**
 * Takes a request apart as kube-apiserver's RequestInfo does: `/api/v1/…` and
 * `/apis/<group>/<version>/…` are about resources.
 */
export function requestInfoOf(request: Pick<ApiRequest, 'method' | 'path' | 'query'>): RequestInfo {
  const nonResource = { kind: 'non-resource', verb: request.method.toLowerCase(), path: request.path } as const;
  // Escapes are read before the path is split: `%2F` is a slash. An empty part in between is a
  // part.
  const parts = withoutLastSlashes(unescaped(request.path).replace(/^\//, '')).split('/');
  const [prefix] = parts;
  const isCore = prefix === 'api';
  if ((!isCore && prefix !== 'apis') || parts.length < (isCore ? 3 : 4)) return nonResource;
  const group = isCore ? '' : (parts[1] ?? '');
  const version = (isCore ? parts[1] : parts[2]) ?? '';
  const rest = parts.slice(isCore ? 2 : 3);
  const inNamespace =
    rest[0] === 'namespaces' && rest.length > 2 && !namespaceSubresources.has(rest[2] ?? '')
      ? rest.slice(2)
      : undefined;
  const [resource = '', name, ...below] = inNamespace ?? rest;
  // `/api/v1/namespaces/x` is about the Namespace x, and happens within it.
  const namespace = rest[0] === 'namespaces' ? rest[1] : undefined;
  return {
    kind: 'resource',
    verb: verbOf(request.method, { isNamed: name !== undefined, watches: asksForStream(request) }),
    group,
    version,
    namespace,
    resource,
    name,
    subresource: below.length === 0 ? undefined : below.join('/'),
  };
}

function asksForStream({ query }: Pick<ApiRequest, 'query'>): boolean {
  const watch = query?.['watch'];
  return watch !== undefined && watch !== 'false' && watch !== '0';
}

/**
 * Not by a pattern: one for the slashes at the end tries every slash before them, in as many steps
 * as there follow.
 */
function withoutLastSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end--;
  return path.slice(0, end);
}

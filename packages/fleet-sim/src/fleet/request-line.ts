import { canonicalJson } from '@isthmus/machinery';
import type { ApiRequest } from '@isthmus/kube';

/**
 * A request and the code of its answer as one line. Requests with the same meaning have the same
 * line.
 */
export function requestLine(server: string, user: string, request: ApiRequest, code: number): string {
  const query = Object.entries(request.query ?? {})
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${value}`)
    .join('&');
  const path = query === '' ? request.path : `${request.path}?${query}`;
  return [server, user, request.method, path, code, canonicalBody(request.body)].join(' ').trimEnd();
}

function canonicalBody(body: string | undefined): string {
  if (body === undefined) return '';
  try {
    return canonicalJson(JSON.parse(body));
  } catch {
    // A body that is not JSON is printed unchanged, on one line.
    return JSON.stringify(body);
  }
}

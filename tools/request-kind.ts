import type { IncomingHttpHeaders } from 'node:http';

/** What requests have in common that a server handles alike. */
export interface RequestKind {
  readonly method: string;
  /** The path with words in place of names. */
  readonly path: string;
  /** Names of parameters, sorted. */
  readonly query: readonly string[];
  readonly contentType: string;
  readonly accept: string;
}

const groupOfRun = /^([a-z0-9-]+)\.example\.com$/;

/** Takes a request for what it is about. */
export function requestKindOf(method: string, url: string, headers: IncomingHttpHeaders): RequestKind {
  const { pathname, searchParams } = new URL(url, 'https://server');
  return {
    method,
    path: pathShape(pathname),
    query: [...new Set(searchParams.keys())].toSorted(),
    contentType: headers['content-type'] ?? '',
    accept: headers.accept ?? '',
  };
}

/** One line with all fields of a kind. */
export function printKind({ method, path, query, contentType, accept }: RequestKind): string {
  const asked = query.length === 0 ? '' : `?${query.join('&')}`;
  return `${method} ${path}${asked} | ${contentType || '-'} | ${accept || '-'}`;
}

/** `/api/v1/namespaces/shop/pods/web/log` is `/api/v1/namespaces/{namespace}/pods/{name}/log`. */
function pathShape(path: string): string {
  const parts = path
    .split('/')
    .slice(1)
    .map((part) => part.replace(groupOfRun, '{group}.example.com'));
  const start = parts[0] === 'api' ? 2 : parts[0] === 'apis' ? 3 : parts.length;
  const isOpenApi = parts[0] === 'openapi';
  if (isOpenApi || parts.length <= start) return `/${parts.join('/')}`;
  const [before, about] = [parts.slice(0, start), parts.slice(start)];
  const within = about[0] === 'namespaces' && about.length > 2 && !['status', 'finalize'].includes(about[2] ?? '');
  if (within) return shaped([...before, 'namespaces', '{namespace}'], about.slice(2));
  return shaped(before, about);
}

function shaped(before: readonly string[], [resource = '', name, ...below]: readonly string[]): string {
  return `/${[...before, resource, ...(name === undefined ? [] : ['{name}']), ...below].join('/')}`;
}

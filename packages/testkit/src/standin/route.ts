import { apiVersionOf } from '@isthmus/machinery';
import type { ApiRequest, Verb } from '@isthmus/kube';
import type { ServedType } from './served-type.ts';

type ServedVerb = Exclude<Verb, 'deletecollection' | 'escalate'>;

/** What a request asks of which object. */
export interface Route {
  readonly verb: ServedVerb;
  readonly type: ServedType;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
}

/** What authorization looks at: as {@link Route}, for an API path that no kind serves too. */
export interface ResourcePath {
  readonly apiVersion: string;
  readonly plural: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
}

/** Takes an API path apart; undefined where it is none (`/version`, `/healthz`). */
export function parsePath(path: string): ResourcePath | undefined {
  const parts = path.split('/').slice(1).map(decodeURIComponent);
  const core = parts[0] === 'api';
  if (!core && parts[0] !== 'apis') return undefined;
  const apiVersion = core ? (parts[1] ?? '') : `${parts[1] ?? ''}/${parts[2] ?? ''}`;
  const rest = parts.slice(core ? 2 : 3);
  // `namespaces/x` is itself an object; `namespaces/x/services` is a collection in it.
  const within = rest[0] === 'namespaces' && rest.length > 2 && rest[2] !== 'status' ? rest.slice(2) : rest;
  const [plural = '', name, subresource] = within;
  if (plural === '' || within.length > 3) return undefined;
  return { apiVersion, plural, namespace: within === rest ? undefined : rest[1], name, subresource };
}

/** The route of a request, or undefined where no served kind has this path and method. */
export function routeOf(request: ApiRequest, path: ResourcePath, types: Iterable<ServedType>): Route | undefined {
  for (const type of types) {
    if (type.plural !== path.plural || apiVersionOf(type) !== path.apiVersion) continue;
    const verb = verbOf(request, path.name !== undefined);
    const { namespace, name, subresource } = path;
    if (verb === undefined || (namespace !== undefined && !type.namespaced)) return undefined;
    if (type.namespaced && namespace === undefined && verb !== 'list' && verb !== 'watch') return undefined;
    if (subresource !== undefined && !(subresource === 'status' && type.statusSubresource)) return undefined;
    return { verb, type, namespace, name, subresource };
  }
  return undefined;
}

function verbOf(request: ApiRequest, named: boolean): ServedVerb | undefined {
  const watch = request.query?.['watch'];
  switch (request.method) {
    case 'GET':
      return named ? 'get' : watch === 'true' || watch === '1' ? 'watch' : 'list';
    case 'POST':
      return named ? undefined : 'create';
    case 'PUT':
      return named ? 'update' : undefined;
    case 'PATCH':
      return named ? 'patch' : undefined;
    case 'DELETE':
      return named ? 'delete' : undefined;
  }
}

/**
 * A Kubernetes API server in memory, as small as the virtual tests of this issue allow: promises and the clock that it is given, nothing else.
 * The sandbox replaces it. It has no managed fields, no server-side apply, no JSON or strategic patch, no CEL, no discovery, no deletecollection,
 * no PUT that creates, and of the validation of built-in kinds only what `admission.ts` names. What it does have answers as a real 1.36 does;
 * `standin.envtest.test.ts` compares the two.
 */
import { Namespace } from '@isthmus/api';
import type { Service } from '@isthmus/api';
import { failureStatus, keyOf, seededRandom } from '@isthmus/machinery';
import type { Clock } from '@isthmus/machinery';
import type { ApiRequest, Transport } from '@isthmus/kube';
import { createAdmin } from './admin.ts';
import type { Admin } from './admin.ts';
import { forbidden, isAllowed } from './access.ts';
import type { User } from './access.ts';
import { startCascades } from './cascades.ts';
import { customAdmission } from './custom-admission.ts';
import { metadataEncoding, wholeEncoding } from './encoding.ts';
import { startEndpointSlices } from './endpoint-slices.ts';
import { answerJson, memoryTransport } from './memory-transport.ts';
import type { Answer } from './memory-transport.ts';
import { listPage, watchStart } from './reads.ts';
import { badRequest, notFound, Refusal } from './refusal.ts';
import { parsePath, routeOf } from './route.ts';
import type { Route } from './route.ts';
import { selectedName, selectionOf } from './selection.ts';
import { requestLine } from './request-line.ts';
import { rulesOf, storageKeyOf } from './served-type.ts';
import type { ServedType, Stored } from './served-type.ts';
import { clusterIPsOf } from './services.ts';
import { Store } from './store.ts';
import { openWatch } from './watch.ts';
import { createObject, deleteObject, patchObject, updateObject } from './writes.ts';
import type { Preconditions, Server, Target } from './writes.ts';

export interface StandinOptions {
  /** Stands in the request log. */
  readonly name: string;
  readonly clock: Clock;
  /** Uids and generated names come out of it. Default 1. */
  readonly seed?: number | undefined;
  /** The kinds that it serves; Namespaces always. Versions of one kind share their objects. */
  readonly types: readonly ServedType[];
  /** Default 10.96.0.0/16. */
  readonly serviceCIDR?: string | undefined;
}

export interface Standin {
  readonly name: string;
  /** The way in. Without a user everything is allowed. */
  transport(user?: User): Transport;
  /** Direct access for tests, past authorization and the request log. */
  readonly admin: Admin;
  /** One line for each request in the order of their arrival: who, method, path, query, answer's code, body. Equal runs have equal logs. */
  requestLog(): readonly string[];
}

/** Starts a server that has the Namespaces `default` and `kube-system`. */
export function createStandin(options: StandinOptions): Standin {
  const { clock, name } = options;
  const types = [Namespace, ...options.types.filter((type) => storageKeyOf(type) !== '/namespaces')];
  const store = new Store();
  const takenIPs = new Set<string>();
  store.onChange(({ storageKey, before, after }) => {
    if (storageKey !== '/services') return;
    takenIPs.delete(clusterIPOf(before));
    takenIPs.add(clusterIPOf(after));
  });
  const server: Server = {
    store,
    origin: { clock, random: seededRandom(options.seed ?? 1) },
    facts: { clusterIPs: clusterIPsOf(options.serviceCIDR ?? '10.96.0.0/16'), takenIPs: () => takenIPs },
    admitCustom: customAdmission(),
  };
  const whole = wholeEncoding(new WeakMap());
  const log: string[] = [];
  startCascades(server, () => types);
  const sliceType = types.find((type) => storageKeyOf(type) === 'discovery.k8s.io/endpointslices');
  if (sliceType !== undefined) startEndpointSlices(server, sliceType);
  for (const namespace of ['default', 'kube-system']) {
    createObject(server, { type: Namespace, namespace: undefined }, { metadata: { name: namespace } });
  }

  function answer(request: ApiRequest, user: User | undefined): Answer {
    if (request.path === '/readyz' || request.path === '/livez' || request.path === '/healthz')
      return { code: 200, text: 'ok' };
    if (request.path === '/version') return answerJson(200, { major: '1', minor: '36', gitVersion: 'v1.36.0+standin' });
    const path = parsePath(request.path);
    const route = path === undefined ? undefined : routeOf(request, path, types);
    if (route === undefined) {
      const known = path !== undefined && types.some((type) => type.plural === path.plural);
      if (path?.apiVersion === 'v1' && !known) {
        const message = 'the server could not find the requested resource';
        throw new Refusal(failureStatus({ reason: 'NotFound', message, details: {} }));
      }
      return { code: 404, text: '404 page not found\n' };
    }
    const objectName = route.name ?? selectedName(request.query ?? {});
    if (user !== undefined && !isAllowed(user, route, objectName)) throw forbidden(user, route, objectName);
    return perform(route, request);
  }

  function perform(route: Route, request: ApiRequest): Answer {
    const { type, namespace, verb } = route;
    const query = request.query ?? {};
    const encoding = /\bas=PartialObjectMetadata/.test(request.headers?.['accept'] ?? '') ? metadataEncoding : whole;
    const part = route.subresource === 'status' ? 'status' : undefined;
    const target: Target = { type, namespace, name: route.name ?? '', part, dryRun: query['dryRun'] === 'All' };
    const sent = (code: number, object: Stored): Answer => ({ code, json: encoding.object(type, object) });
    switch (verb) {
      case 'get': {
        const found = store.get(storageKeyOf(type), keyOf(target));
        if (found === undefined) throw notFound(type, target.name);
        return sent(200, found);
      }
      case 'list':
        return {
          code: 200,
          json: listPage(store, { type, encoding, selection: selectionOf(namespace, query) }, query),
        };
      case 'watch': {
        const selection = selectionOf(namespace, query);
        const timeoutMs = 1000 * Number(query['timeoutSeconds'] ?? 1800);
        const bookmarks = query['allowWatchBookmarks'] === 'true';
        const watch = { type, selection, encoding, from: watchStart(query), bookmarks, timeoutMs };
        return { code: 200, stream: openWatch(store, clock, watch) };
      }
      case 'create':
        return sent(201, createObject(server, target, bodyOf(request)));
      case 'update':
        return sent(200, updateObject(server, target, bodyOf(request)));
      case 'patch':
        if (request.headers?.['content-type'] !== 'application/merge-patch+json') throw unknownPatchFormat();
        return sent(200, patchObject(server, target, bodyOf(request)));
      case 'delete': {
        const options =
          request.body === undefined || request.body === ''
            ? {}
            : (bodyOf(request) as { preconditions?: Preconditions });
        const { object, gone } = deleteObject(server, target, options.preconditions ?? {});
        return gone && rulesOf(type).deleteReturnsObject !== true
          ? answerJson(200, deletedStatus(type, object))
          : sent(200, object);
      }
    }
  }

  function handle(request: ApiRequest, user: User | undefined): Answer {
    let result: Answer;
    try {
      result = answer(request, user);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { status } = error;
      result = answerJson(status.code ?? 500, {
        ...status,
        metadata: { ...('metadata' in status ? (status.metadata as object) : {}) },
      });
    }
    log.push(requestLine(name, user?.name ?? 'admin', request, result.code));
    return result;
  }

  return {
    name,
    transport: (user) => memoryTransport((request) => handle(request, user)),
    admin: createAdmin(server),
    requestLog: () => log,
  };
}

/** The address of a Service; empty where it has none. */
function clusterIPOf(service: Service | undefined): string {
  return service?.spec?.clusterIP ?? '';
}

function bodyOf(request: ApiRequest): unknown {
  try {
    return JSON.parse(request.body ?? '');
  } catch {
    throw badRequest("the object provided is unrecognized: couldn't get version/kind; json parse error");
  }
}

function unknownPatchFormat(): Refusal {
  const types = 'application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml';
  const message = `the body of the request was in an unknown format - accepted media types include: ${types}`;
  return new Refusal(failureStatus({ reason: 'UnsupportedMediaType', message }));
}

function deletedStatus(type: ServedType, object: Stored): unknown {
  const { name, uid } = object.metadata;
  const details = { name, ...(type.group !== '' && { group: type.group }), kind: type.plural, uid };
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details };
}

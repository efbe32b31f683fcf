import { keyOf } from '@isthmus/machinery';
import type { Answer } from '../answer/answer.ts';
import type { ContainerStreams } from '../core/container-streams.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import type { Core } from '../core/core.ts';
import { badRequest, methodNotAllowed, notFound } from '../refusal/refusal.ts';
import type { ResourceRequest } from '../request/request-info.ts';
import type { RequestVerb } from '../request/verbs.ts';
import { podLog } from './pod-streams.ts';

const streamed: readonly RequestVerb[] = ['create', 'get'];
const proxied: readonly RequestVerb[] = ['create', 'delete', 'get', 'patch', 'update'];

/** Subresources that a real server forwards to a kubelet or a container, and their verbs. */
const passedOn: Readonly<Record<string, Readonly<Record<string, readonly RequestVerb[]>>>> = {
  '/pods': { log: ['get'], exec: streamed, attach: streamed, portforward: streamed, proxy: proxied },
  '/services': { proxy: proxied },
  '/nodes': { proxy: proxied },
};

/** The containers of the sandbox's Pods, if any run, and the query of the request. */
interface MachineParts {
  readonly containers: ContainerStreams | undefined;
  readonly query: Readonly<Record<string, string>>;
}

/**
 * Answers or rejects a request for a subresource that needs a machine (log, exec, proxy). Errors:
 * 404 with the real server's message if the object does not exist; 400 with a message of our own if
 * the sandbox runs no containers. Discovery does not list these subresources. Returns undefined for
 * any other subresource.
 */
export function machineAction(
  core: Core,
  { storageKey, group, plural }: ServedResource,
  info: ResourceRequest,
  machine: MachineParts,
): Answer | undefined {
  const { subresource = '', name = '', namespace, verb } = info;
  const [first = '', ...path] = subresource.split('/');
  const verbs = passedOn[storageKey];
  if (verbs === undefined || !Object.hasOwn(verbs, first)) return undefined;
  if (path.length > 0 && first !== 'proxy') return undefined;
  if (verbs[first]?.includes(verb) !== true) throw methodNotAllowed();
  if (core.store.get(storageKey, keyOf({ namespace, name })) === undefined) throw notFound({ group, plural }, name);
  const { containers, query } = machine;
  if (containers === undefined)
    throw badRequest(
      `${plural}/${first} of ${name}: nothing runs in a sandbox without networks: its Pods have no containers, its Nodes no machines; isthmus sandbox up --network starts one whose Pods run processes`,
    );
  if (storageKey === '/pods' && first === 'log') return podLog(core, containers, info, query);
  if (storageKey === '/pods' && first === 'exec') throw badRequest('Upgrade request required');
  throw badRequest(`${plural}/${first} of ${name}: this sandbox has only log and exec of Pods`);
}

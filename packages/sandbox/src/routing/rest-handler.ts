import type { ApiRequest } from '@isthmus/kube';
import type { Actions } from '../actions/actions.ts';
import { machineAction } from '../actions/machine-actions.ts';
import type { Answer } from '../answer/answer.ts';
import { checkAcceptable, negotiate, streams } from '../answer/negotiate.ts';
import type { ExecTarget } from '../actions/pod-streams.ts';
import { execTarget } from '../actions/pod-streams.ts';
import type { ContainerStreams } from '../core/container-streams.ts';
import type { Core } from '../core/core.ts';
import type { Target } from '../core/target.ts';
import type { Encoding } from '../encoding/encoding.ts';
import { pathSegmentName } from '../builtin/define.ts';
import { badRequest, methodNotAllowed, notFound, Refusal } from '../refusal/refusal.ts';
import type { ServedResource, Subresource } from '../registry/served-resource.ts';
import type { ResourceRequest } from '../request/request-info.ts';
import type { UserInfo } from '../request/user-info.ts';
import { verbForms } from '../request/verbs.ts';
import type { ResourceVerb } from '../request/verbs.ts';
import { checkBodySize } from './body-limit.ts';
import { perform } from './perform.ts';

export interface RestParts {
  readonly whole: Encoding;
  readonly actions: Actions;
  /** The containers of Pods; absent if none run. */
  readonly containers: ContainerStreams | undefined;
}

/**
 * Answers requests about the objects of served resources. Authorization is done. Throws Refusals.
 */
export function createRestHandler(core: Core, { whole, actions, containers }: RestParts): RestHandler {
  return {
    exec(info, given) {
      const resource = core.registry.find(info.group, info.version, info.resource);
      if (containers === undefined || resource === undefined || info.name === undefined) return undefined;
      if (resource.storageKey === '/pods' && info.subresource === 'exec')
        return execTarget(core, containers, info, given);
      // Throws for the other subresources that have streams.
      machineAction(core, resource, info, { containers, query: given.query });
      return undefined;
    },
    serves: (group) =>
      core.registry.all().some((resource) => resource.group === group && resource.origin === 'built-in'),
    async handle(info, request, user) {
      const resource = core.registry.find(info.group, info.version, info.resource);
      if (resource === undefined) return undefined;
      const subresource = subresourceOf(resource, info);
      if (info.subresource !== undefined && subresource === undefined && resource.origin === 'built-in')
        return machineAction(core, resource, info, { containers, query: request.query ?? {} });
      // A path with a Namespace has no cluster-wide objects. A path without one only has lists of
      // objects that are in Namespaces.
      const isNamespace = resource.storageKey === '/namespaces';
      if (info.namespace !== undefined && !resource.namespaced && !isNamespace) return undefined;
      if (resource.namespaced && info.namespace === undefined && info.name !== undefined) return undefined;
      if (isNamespace && info.namespace !== undefined && info.name !== info.namespace) return undefined;
      if (info.subresource !== undefined && subresource === undefined) throw withoutSubresource(resource, info);
      if (resource.virtual === true && info.name !== undefined) return undefined;
      const { verb } = info;
      if (verb === '' || !allows(resource, subresource, { ...info, verb })) throw methodNotAllowed();
      if ((request.method as string) === 'HEAD') throw methodNotAllowed();
      // A list and a watch are one route.
      const { method, on } = verbForms[verb];
      checkAcceptable(request.headers?.['accept'], method === 'GET' && on === 'collection' ? streams : []);
      checkBodySize(request);
      checkNameInPath(info.name);
      const target: Target = {
        resource,
        namespace: resource.namespaced ? info.namespace : undefined,
        name: info.name ?? '',
        subresource: info.subresource,
        user,
      };
      if (subresource?.kind === 'action') return actions.handle(core, target, request);
      return perform(core, {
        verb,
        request,
        target,
        subresource,
        form: negotiate(request.headers?.['accept'], resource.virtual !== true),
        whole,
        actions,
      });
    },
  };
}

export interface RestHandler {
  /**
   * Whether any built-in resource of the group is served. If so, a missing resource has another
   * error.
   */
  serves(group: string): boolean;
  /**
   * The program in a container that a request asks for; undefined for any other request, or if no
   * containers run. Errors: throws Refusals.
   */
  exec(
    info: ResourceRequest,
    given: { readonly query: Readonly<Record<string, string>>; readonly command: readonly string[] },
  ): ExecTarget | undefined;
  /** Undefined if no such path is served. */
  handle(info: ResourceRequest, request: ApiRequest, user: UserInfo): Promise<Answer | undefined>;
}

function subresourceOf({ subresources }: ServedResource, { subresource }: ResourceRequest): Subresource | undefined {
  return subresource === undefined ? undefined : subresources.find(({ name }) => name === subresource);
}

/**
 * Whether the path allows the verb. Objects are created in their collection, and changed under
 * their names. Across Namespaces they are only read.
 */
function allows(
  resource: ServedResource,
  subresource: Subresource | undefined,
  { verb, name, namespace }: ResourceRequest & { readonly verb: ResourceVerb },
): boolean {
  const { on, everywhere = false } = verbForms[verb];
  if (resource.namespaced && namespace === undefined && !everywhere) return false;
  if (subresource?.kind !== 'action' && (on === 'object') !== (name !== undefined)) return false;
  return (subresource ?? resource).verbs.includes(verb);
}

/**
 * For a missing subresource of a custom kind, the real server reports that the object does not
 * exist.
 */
function withoutSubresource(resource: ServedResource, { name = '' }: ResourceRequest): Refusal {
  const { deprecation } = resource;
  return new Refusal(notFound(resource, name).status, deprecation === undefined ? [] : [deprecation]);
}

/** Errors: 400 for a name that would be something else in a path of etcd. */
function checkNameInPath(name = ''): void {
  const [why] = pathSegmentName(name, false);
  if (why !== undefined) throw badRequest(`Name parameter invalid: ${JSON.stringify(name)}: ${why}`);
}

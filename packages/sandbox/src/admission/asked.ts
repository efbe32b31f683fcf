import { Authorizer } from '@isthmus/schema/cel';
import type { Asked } from '../builtin/admissionregistration/expressions.ts';
import type { AdmissionRequest, Core } from '../core/core.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import { accountGroups } from '../request/user-info.ts';
import type { UserInfo } from '../request/user-info.ts';
import { reviewRequest } from './review.ts';
import { inVersion } from './matching.ts';

/** A request as a webhook or an expression sees it, in the version `as` that a rule names. */
export async function askedOf(
  core: Core,
  request: AdmissionRequest,
  { as, uid }: { readonly as: ServedResource; readonly uid: string },
): Promise<Asked> {
  const { target, body } = request;
  const shown = (object: AdmissionRequest['object']) =>
    body === undefined && object !== undefined ? inVersion(core, as, object) : object;
  const { resource, subresource, namespace, name, user, ofCollection = false } = target;
  const isNamespace = resource.storageKey === '/namespaces';
  const requested = { group: resource.group, resource: resource.plural, subresource, namespace };
  return {
    review: reviewRequest(request, as, {
      uid,
      object: await shown(request.object),
      oldObject: await shown(request.before),
    }),
    authorizer: new Authorizer(
      (action, account) => core.authorizer.authorize(account === undefined ? user : accountUser(account), action),
      { ...requested, name: ofCollection ? '' : name || request.object?.metadata.name },
    ),
    namespace: isNamespace || namespace === undefined ? undefined : core.store.get('/namespaces', namespace),
  };
}

function accountUser({ namespace, name }: { readonly namespace: string; readonly name: string }): UserInfo {
  return { username: `system:serviceaccount:${namespace}:${name}`, groups: accountGroups(namespace) };
}

import { failureStatus } from '@isthmus/machinery';
import { about, Refusal } from './refusal.ts';
import type { Ask } from '../request/authorizer.ts';
import type { UserInfo } from '../request/user-info.ts';

/** 403 with the text of the RBAC authorizer. `reason`: its additional text. */
export function forbidden({ username }: UserInfo, info: Ask, reason = ''): Refusal {
  const tail = reason === '' ? '' : `: ${reason}`;
  if (info.kind === 'non-resource') {
    const message = `forbidden: User "${username}" cannot ${info.verb} path "${info.path}"${tail}`;
    return new Refusal(failureStatus({ reason: 'Forbidden', message, details: {} }));
  }
  const { group, resource, namespace, verb, name = info.selectedName ?? '' } = info;
  const where = namespace === undefined ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  const what = `User "${username}" cannot ${verb} resource "${pathOf(info)}" in API group "${group}" ${where}`;
  const qualified = group === '' ? resource : `${resource}.${group}`;
  const subject = name === '' ? qualified : `${qualified} "${name}"`;
  const message = `${subject} is forbidden: ${what}${tail}`;
  return about({ group, plural: resource }, name, { reason: 'Forbidden', message });
}

function pathOf({ resource, subresource }: Ask & { readonly kind: 'resource' }): string {
  return subresource === undefined ? resource : `${resource}/${subresource}`;
}

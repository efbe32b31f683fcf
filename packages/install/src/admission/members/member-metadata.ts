import { Finalizer, MemberClusterAnnounce, ResourceExport } from '@isthmus/api';
import type { AdmissionRule } from '../admission-rule.ts';
import { isController, isNoMember, isServiceAccount } from '../caller.ts';

const listOf = (object: 'object' | 'oldObject', field: 'finalizers' | 'ownerReferences') =>
  `${object === 'object' ? '' : 'oldObject == null ? [] : '}${object}.metadata.?${field}.orValue([])`;
const finalizers = listOf('object', 'finalizers');
const oldFinalizers = `(${listOf('oldObject', 'finalizers')})`;
const owners = listOf('object', 'ownerReferences');
const oldOwners = `(${listOf('oldObject', 'ownerReferences')})`;
/** Members write each of them once; both, while they are replaced. */
const ofMembers = [Finalizer.resourceExport, Finalizer.legacyResourceExport];
const usable = `(request.resource.resource == '${ResourceExport.plural}' ? ['${ofMembers.join("', '")}'] : [])`;

/**
 * A finalizer or an owner of another program keeps an object, and with it a foreground deletion by
 * another member, or the Namespace, from being deleted. What an object has already may stay, so
 * that no clean-up is blocked.
 */
export const memberMetadataRule: AdmissionRule = {
  name: 'member-metadata',
  docs: `Rejects ResourceExports and MemberClusterAnnounces to which a ServiceAccount with the Role of members adds an owner reference, or a finalizer other than \`${ofMembers.join('` and `')}\` of ResourceExports.`,
  types: [ResourceExport, MemberClusterAnnounce],
  operations: ['CREATE', 'UPDATE'],
  judges: (namespace) =>
    `${isServiceAccount} && !(${isController(namespace)}) && (${finalizers} != ${oldFinalizers} || ${owners} != ${oldOwners})`,
  requires: (namespace) => {
    // First, because the comparison of very long lists exceeds the limits of CEL, which rejects the
    // request.
    const ofOthers = (rule: string) => [isNoMember(namespace), rule].join(' || ');
    return [
      {
        expression: ofOthers(
          `(${finalizers}.size() <= ${ofMembers.length} || ${finalizers}.size() <= ${oldFinalizers}.size()) && ${finalizers}.all(one, one in ${usable} || one in ${oldFinalizers})`,
        ),
        message: `a member adds only the finalizer ${Finalizer.resourceExport}, and only to ResourceExports. Remove the other finalizers`,
      },
      {
        expression: ofOthers(`${owners}.all(one, one in ${oldOwners})`),
        message: 'a member adds no ownerReferences to ResourceExports and MemberClusterAnnounces. Remove them',
      },
    ];
  },
};

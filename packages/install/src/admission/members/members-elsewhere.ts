import { MemberClusterAnnounce, ResourceExport } from '@isthmus/api';
import type { AdmissionRule } from '../admission-rule.ts';
import { isNamespaceDeleted, isNoMember, isOfNamespace, isServiceAccount } from '../caller.ts';

/**
 * No annotation binds an account of another Namespace to a cluster, so nothing would separate it
 * from other members.
 */
export const membersElsewhereRule: AdmissionRule = {
  name: 'members-elsewhere',
  docs: 'Rejects every write of ResourceExports and MemberClusterAnnounces by a ServiceAccount that has the Role of members but is in another Namespace.',
  types: [ResourceExport, MemberClusterAnnounce],
  operations: ['CREATE', 'UPDATE', 'DELETE'],
  judges: (namespace) => `${isServiceAccount} && !${isOfNamespace(namespace)}`,
  requires: (namespace) => [
    {
      // ServiceAccounts of another Namespace also belong to the Namespace controller, to the
      // garbage collector, which removes its own finalizers, and to the migration of stored objects
      // to another version. They announce no cluster. If the authorizer fails, that is not certain,
      // and a Namespace that is being deleted must not wait for it.
      expression: [isNoMember(namespace), `(request.operation == 'DELETE' && ${isNamespaceDeleted})`].join(' || '),
      message: `a member must use a ServiceAccount of Namespace ${namespace}. Create the ServiceAccount there, and give the member its token`,
    },
  ],
};

import { Lease, gatewayLeaseName } from '@isthmus/api';
import type { AdmissionRule } from './admission-rule.ts';
import { isAccountNamed } from './caller.ts';

const prefix = gatewayLeaseName('');
// The tokens of Pods have it from Kubernetes 1.30 on; tokens that other programs request for an
// account do not.
const node = `request.userInfo.?extra[?'authentication.kubernetes.io/node-name'][?0]`;

/**
 * For agents with this ServiceAccount: the Namespace has Leases of others, and RBAC cannot select
 * names by their beginning.
 */
export const agentLeasesRule = (serviceAccount: string): AdmissionRule => ({
  name: 'agent-leases',
  docs: `Rejects writes by the agent of a Node to a Lease other than that of its own Node, \`${gatewayLeaseName('<node>')}\`.`,
  types: [Lease],
  operations: ['CREATE', 'UPDATE'],
  judges: (namespace) => isAccountNamed(namespace, serviceAccount),
  requires: () => [
    {
      expression: `object.metadata.name == '${prefix}' + ${node}.orValue(object.metadata.name.replace('${prefix}', ''))`,
      message: `the agent of a Node can write only the Lease of that Node, ${gatewayLeaseName('<node>')}`,
    },
  ],
});

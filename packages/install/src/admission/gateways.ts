import { Annotation, FixedName, Gateway } from '@isthmus/api';
import type { AdmissionRule } from './admission-rule.ts';
import { isController, isServiceAccount } from './caller.ts';

const fields = ['gatewayIP', 'internalIP', 'serviceCIDR', 'wireGuard'];
const isUnchanged = (field: string) => `object.?${field} == oldObject.?${field}`;
// In two parts, because this word in a manifest is replaced with the name of the controller's
// Namespace.
const [first, second] = FixedName.antreaNamespace.split('-');
const agent = `'system:serviceaccount:${first}-' + '${second}:${FixedName.antreaAgentServiceAccount}'`;
const agentBeside = (namespace: string) =>
  `'system:serviceaccount:${namespace}:${FixedName.antreaAgentServiceAccount}'`;

/**
 * A Gateway directs the tunnels of all other clusters to an address, so the rule restricts its
 * authors. The whole name of a ServiceAccount is compared, because a user with any Namespace can
 * create an account with the name of the controller's.
 */
export const gatewaysRule: AdmissionRule = {
  name: 'gateways',
  docs: "Rejects Gateways that a ServiceAccount creates or changes, except the ServiceAccounts of the Namespace's controller and of Antrea's agents. Users may create Gateways if their Roles allow it.",
  types: [Gateway],
  operations: ['CREATE', 'UPDATE'],
  // The garbage collector changes only metadata.
  judges: () => `${isServiceAccount} && (request.operation == 'CREATE' || !(${fields.map(isUnchanged).join(' && ')}))`,
  requires: (namespace) => [
    {
      expression: `${isController(namespace)} || request.userInfo.username in [${agentBeside(namespace)}, ${agent}]`,
      message: `the controller creates the Gateway: annotate a Node with ${Annotation.gateway}=true. Of ServiceAccounts, only ${FixedName.controllerServiceAccount} of Namespace ${namespace} and Antrea's ${FixedName.antreaAgentServiceAccount} write Gateways`,
    },
  ],
};

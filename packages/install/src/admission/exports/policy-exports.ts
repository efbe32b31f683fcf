import { FixedName, ResourceExport, SourceKind } from '@isthmus/api';
import type { AdmissionRule } from '../admission-rule.ts';
import { cannotAnnounce, isController, mayExportPolicies } from '../caller.ts';

const { exportPoliciesVerb } = FixedName;

/**
 * Policies are set by administrators, and not by members: an export of a policy reaches all
 * clusters with Antrea. An account that may announce a member counts as a member's, unless it may
 * also do what no member's Role grants.
 */
export const policyExportsRule: AdmissionRule = {
  name: 'policy-exports',
  docs: `Rejects ResourceExports of ClusterNetworkPolicies that a member's account creates, changes or deletes. A member's account is one that may create MemberClusterAnnounces in the Namespace and does not have the verb \`${exportPoliciesVerb}\` on ResourceExports there.`,
  types: [ResourceExport],
  operations: ['CREATE', 'UPDATE', 'DELETE'],
  judges: () => ['object', 'oldObject'].map(isPolicy).join(' || '),
  requires: (namespace) => [
    {
      expression: [isController, mayExportPolicies, cannotAnnounce].map((allows) => allows(namespace)).join(' || '),
      message: `a member's account cannot create, change or delete the export of a ClusterNetworkPolicy, which reaches all clusters. Use an administrator's account, or grant this one the verb ${exportPoliciesVerb} on resourceexports.${ResourceExport.group} in Namespace ${namespace}`,
    },
  ],
};

/** Whether the export is one of a policy: by its kind, or by its payload. */
function isPolicy(variable: string): string {
  const spec = `${variable}.spec`;
  const kind = `has(${spec}.kind) && ${spec}.kind == '${SourceKind.clusterNetworkPolicy}'`;
  return `${variable} != null && has(${spec}) && (${kind} || has(${spec}.clusterNetworkPolicy))`;
}

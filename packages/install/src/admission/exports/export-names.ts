import { ResourceExport, ServiceAccount, SourceKind } from '@isthmus/api';
import type { AdmissionRule } from '../admission-rule.ts';
import { boundCluster, isOfNamespace } from '../caller.ts';

const other = `${boundCluster}.orValue('')`;
const field = (name: string) => `object.?spec.?${name}.orValue('')`;

/**
 * A name that two clusters can derive belongs to the one with the longer ID, which has no other
 * names. So `evil` cannot use the names of `evil-shop`, even while the leader has lost the exports
 * of `evil-shop`. An existing object with the name stays.
 */
export const exportNamesRule: AdmissionRule = {
  name: 'export-names',
  docs: 'Rejects new exports of Services by ServiceAccounts of the Namespace if their names begin with the `cluster-id` of another ServiceAccount and a dash, and that ID is longer than the cluster ID of the export: these names belong to the other cluster.',
  types: [ResourceExport],
  operations: ['CREATE'],
  forEach: ServiceAccount,
  judges: (namespace) =>
    `${isOfNamespace(namespace)} && ${field('kind')} in ['${SourceKind.service}', '${SourceKind.endpoints}'] && ${other}.startsWith(${field('clusterID')} + '-')`,
  requires: () => [
    {
      expression: `!object.metadata.name.startsWith(${other} + '-')`,
      message:
        'the name begins with the cluster ID of another member and belongs to that member. Use another name for the Namespace or the Service, or give one of the two clusters another ID',
    },
  ],
};

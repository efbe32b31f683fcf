import { KnownCluster } from '@isthmus/api';
import { grantFields } from '@isthmus/wire';
import type { AdmissionRule } from './admission-rule.ts';
import { isController } from './caller.ts';

const isObserved = (object: string) => `${object}.spec.?origin.orValue('') == 'Observed'`;
const same = (field: string) => `object.spec.?${field} == oldObject.spec.?${field}`;

/**
 * RBAC lets the controllers of leaders and members create and change KnownClusters. A list that an
 * object lacks allows private ranges, so adding one restricts; only a range of the Internet in it
 * would widen the grant, which condition ObservedUnusual reports.
 */
export const knownClustersRule: AdmissionRule = {
  name: 'known-clusters',
  docs: 'Rejects KnownClusters that the controller of the Namespace creates with another origin than Observed, and its changes of their spec, except that it adds lists to those with origin Observed.',
  types: [KnownCluster],
  operations: ['CREATE', 'UPDATE'],
  judges: isController,
  requires: () => [
    {
      expression: `request.operation != 'CREATE' || (${isObserved('object')} && !has(object.spec.namespaces) && !has(object.spec.quotas))`,
      message: 'the controller creates KnownClusters with origin Observed only: administrators grant',
    },
    {
      expression: `request.operation != 'UPDATE' || object.spec == oldObject.spec || (${[
        isObserved('oldObject'),
        ...['clusterID', 'origin', 'state', 'namespaces', 'quotas'].map(same),
        ...grantFields.map((field) => `(!has(oldObject.spec.${field}) || ${same(field)})`),
      ].join(' && ')})`,
      message:
        'the controller does not change what is granted: it only adds lists that a KnownCluster with origin Observed lacks',
    },
  ],
};

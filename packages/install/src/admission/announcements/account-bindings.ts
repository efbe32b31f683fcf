import { Annotation, ServiceAccount } from '@isthmus/api';
import type { AdmissionRule } from '../admission-rule.ts';
import { isController } from '../caller.ts';

const annotations = (object: string) => `${object}.metadata.?annotations.orValue({})`;
const bound = (object: string) => `${object}.metadata.?annotations[?'${Annotation.clusterID}']`;
const fields = [
  'metadata.?labels',
  'metadata.?finalizers',
  'metadata.?ownerReferences',
  '?secrets',
  '?imagePullSecrets',
  '?automountServiceAccountToken',
];
const isKept = fields.map((field) => `object.${field} == oldObject.${field}`);
const isOtherwiseTheSame = `${annotations('object')}.all(key, key == '${Annotation.clusterID}' || (key in ${annotations('oldObject')} && ${annotations('oldObject')}[key] == ${annotations('object')}[key])) && ${annotations('oldObject')}.all(key, key in ${annotations('object')})`;

const types = [ServiceAccount];
const operations = ['UPDATE'] as const;

/** RBAC cannot restrict which fields of ServiceAccounts the controller changes. */
export const accountBindingsRule: AdmissionRule = {
  name: 'account-bindings',
  docs: "Rejects changes of a ServiceAccount by the leader's controller, except that it adds the annotation `cluster-id`.",
  types,
  operations,
  judges: isController,
  requires: () => [
    {
      expression: `!${bound('oldObject')}.hasValue() && ${[...isKept, isOtherwiseTheSame].join(' && ')}`,
      message: `the controller of a leader only adds the annotation ${Annotation.clusterID} to a ServiceAccount that lacks it`,
    },
  ],
};

/** For clusters in which only administrators annotate accounts. */
export const strictBindingsRule: AdmissionRule = {
  name: 'strict-bindings',
  docs: "Rejects every change of a ServiceAccount by the leader's controller, so that administrators alone decide which cluster uses which account.",
  types,
  operations,
  judges: isController,
  requires: (namespace) => [
    {
      expression: 'false',
      message: `on this leader, only administrators annotate ServiceAccounts: kubectl -n ${namespace} annotate serviceaccount <name> ${Annotation.clusterID}=<cluster ID>`,
    },
  ],
};

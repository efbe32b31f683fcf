import { Annotation, ServiceAccount } from '@isthmus/api';
import type { AdmissionRule } from '../admission-rule.ts';
import { isController } from '../caller.ts';

const annotations = (object: string) => `${object}.metadata.?annotations.orValue({})`;
const fields = [
  'metadata.?labels',
  'metadata.?finalizers',
  'metadata.?ownerReferences',
  '?secrets',
  '?imagePullSecrets',
  '?automountServiceAccountToken',
];
const isKept = fields.map((field) => `object.${field} == oldObject.${field}`);
const [own, old] = [annotations('object'), annotations('oldObject')];

/**
 * Whether an account is the same, except that it has these annotations and had not, and another
 * list of the accounts of its cluster.
 */
function adds(...added: readonly string[]): string {
  const keys = added.map((key) => `'${key}'`).join(', ');
  const isOtherwiseTheSame = [
    `${own}.all(key, key == '${Annotation.clusterAccounts}' || (key in ${old} ? ${old}[key] == ${own}[key] : key in [${keys}]))`,
    `${old}.all(key, key in ${own})`,
  ];
  return [...isKept, ...isOtherwiseTheSame].join(' && ');
}

const types = [ServiceAccount];
const operations = ['UPDATE'] as const;

/** RBAC cannot restrict which fields of ServiceAccounts the controller changes. */
export const accountBindingsRule: AdmissionRule = {
  name: 'account-bindings',
  docs: "Rejects changes of a ServiceAccount by the leader's controller, except that it adds the annotations `cluster-id` and `isthmus.dev/suspended`, and keeps `isthmus.dev/cluster-accounts`.",
  types,
  operations,
  judges: isController,
  requires: () => [
    {
      expression: adds(Annotation.clusterID, Annotation.suspended),
      message: `the controller of a leader only adds the annotations ${Annotation.clusterID} and ${Annotation.suspended} to a ServiceAccount that lacks them`,
    },
  ],
};

/** For clusters in which only administrators annotate accounts. */
export const strictBindingsRule: AdmissionRule = {
  name: 'strict-bindings',
  docs: "Rejects every change of a ServiceAccount by the leader's controller, except that it suspends one and keeps `isthmus.dev/cluster-accounts`, so that administrators alone decide which cluster uses which account.",
  types,
  operations,
  judges: isController,
  requires: (namespace) => [
    {
      expression: adds(Annotation.suspended),
      message: `on this leader, only administrators annotate ServiceAccounts: kubectl -n ${namespace} annotate serviceaccount <name> ${Annotation.clusterID}=<cluster ID>`,
    },
  ],
};

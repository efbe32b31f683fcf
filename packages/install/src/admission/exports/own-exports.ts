import { Finalizer, Label, ResourceExport, ServiceAccount, SourceKind } from '@isthmus/api';
import type { AdmissionRule, Requirement } from '../admission-rule.ts';
import { boundCluster, isAccount } from '../caller.ts';

const bound = `${boundCluster}.orValue('')`;
const text = (object: string, field: string) => `${object}.?spec.?${field}.orValue('')`;
const kind = text('object', 'kind');
const label = (name: string) => `object.metadata.?labels[?'${name}'].orValue('')`;
const isService = `${kind} in ['${SourceKind.service}', '${SourceKind.endpoints}']`;
const isHeld = (object: string) =>
  `${object}.metadata.?finalizers.orValue([]).exists(one, one in ['${Finalizer.resourceExport}', '${Finalizer.legacyResourceExport}'])`;
const same = (field: string) => `${text('object', field)} == ${text('oldObject', field)}`;
const isDNSLabel = (field: string) =>
  `${text('object', field)}.size() <= 63 && ${text('object', field)}.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')`;
/** With a dash or a dot between Namespace and name. */
const isServiceName = (end: string) =>
  `object.metadata.name in ['-', '.'].map(joint, ${bound} + '-' + ${text('object', 'namespace')} + joint + ${text('object', 'name')} + '${end}')`;

/**
 * The names of the exports of each kind (docs/spec/wire.md §5). CEL has no hash function, so only
 * the form of a hash is checked.
 */
const names: readonly (readonly [kind: SourceKind, expression: string])[] = [
  [SourceKind.service, isServiceName('-service')],
  [SourceKind.endpoints, isServiceName('-endpoints')],
  [SourceKind.clusterInfo, `object.metadata.name == ${bound} + '-clusterinfo'`],
  [
    SourceKind.labelIdentity,
    `object.?spec.?labelIdentity.hasValue() && object.metadata.name.startsWith(${bound} + '-') && object.metadata.name.substring(${bound}.size() + 1).matches('^[0-9a-f]{16}$')`,
  ],
];

/**
 * How a member whose ServiceAccount names its cluster may change exports: docs/spec/wire.md §10, in
 * the same order.
 */
export const ownExportsRule: AdmissionRule = {
  name: 'own-exports',
  docs: 'If the ServiceAccount has the annotation `cluster-id`, rejects ResourceExports of other clusters, and ResourceExports in a form that an Antrea leader does not accept. An account without the annotation can write all exports except policies.',
  types: [ResourceExport],
  operations: ['CREATE', 'UPDATE', 'DELETE'],
  forEach: ServiceAccount,
  judges: (namespace) => `${isAccount(namespace)} && ${boundCluster}.hasValue()`,
  requires: () => [
    {
      expression: `${bound} != ''`,
      message:
        "the annotation cluster-id of the caller's ServiceAccount is empty. Set it to the ID of the cluster that uses the account",
    },
    {
      expression: `request.operation == 'CREATE' || ${text('oldObject', 'clusterID')} == ${bound}`,
      message:
        "this ResourceExport belongs to another cluster: a member's account can change only the exports of its own cluster",
    },
    when('UPDATE', {
      expression: `!(${isHeld('oldObject')}) || ${isHeld('object')}`,
      message: 'only the leader removes the finalizer of a ResourceExport. Delete the ResourceExport instead',
    }),
    when('UPDATE', {
      expression: `!(${isService}) || ${['namespace', 'name', 'kind'].map(same).join(' && ')}`,
      message: 'spec.namespace, spec.name and spec.kind of a ResourceExport cannot be changed. Create another one',
    }),
    ofWritten({
      expression: `${kind} in [${names.map(([one]) => `'${one}'`).join(', ')}]`,
      message: `a member can export only the kinds ${names.map(([one]) => one).join(', ')}. Correct spec.kind`,
    }),
    ofWritten({
      expression: `${kind} == '${SourceKind.service}' ? object.?spec.?service.hasValue() : (${kind} != '${SourceKind.endpoints}' || object.?spec.?endpoints.hasValue())`,
      message: 'the payload is missing: spec.service of a Service, spec.endpoints of Endpoints',
    }),
    ofWritten({
      expression: `!(${isService}) || (${isDNSLabel('namespace')} && ${isDNSLabel('name')})`,
      message: 'spec.namespace and spec.name must be RFC 1123 labels of at most 63 characters',
    }),
    ofWritten({
      expression: `${text('object', 'clusterID')} == ${bound}`,
      message: "spec.clusterID must be the annotation cluster-id of the caller's ServiceAccount",
    }),
    ofWritten({
      expression: `${label(Label.sourceClusterID)} == ${bound} && ${label(Label.sourceKind)} == ${kind}`,
      message: `the labels ${Label.sourceClusterID} and ${Label.sourceKind} must equal spec.clusterID and spec.kind`,
    }),
    ofWritten({
      expression: `!(${isService}) || (${label(Label.sourceName)} == ${text('object', 'name')} && ${label(Label.sourceNamespace)} == ${text('object', 'namespace')})`,
      message: `the labels ${Label.sourceName} and ${Label.sourceNamespace} must equal spec.name and spec.namespace`,
    }),
    ofWritten({
      expression: names.map(([one, expression]) => `(${kind} == '${one}' && ${expression})`).join(' || '),
      message:
        'the name must be derived from the cluster: <cluster ID>-<namespace>-<name>-service, …-endpoints, either with a dot in place of the dash behind the namespace, <cluster ID>-clusterinfo, or <cluster ID>-<hash of the labels>',
    }),
    ofWritten({
      expression: `${kind} != '${SourceKind.clusterInfo}' || !object.?spec.?clusterInfo.hasValue() || object.?spec.?clusterInfo.?clusterID.orValue('') == ${bound}`,
      message: 'spec.clusterInfo.clusterID must equal spec.clusterID',
    }),
    when('CREATE', {
      expression: `${kind} == '${SourceKind.labelIdentity}' || ${isHeld('object')}`,
      message: `a new ResourceExport must have the finalizer ${Finalizer.resourceExport}`,
    }),
  ],
};

/** The requirement, for that operation only. */
function when(operation: 'CREATE' | 'UPDATE', { expression, message }: Requirement): Requirement {
  return { expression: `request.operation != '${operation}' || (${expression})`, message };
}

/** The requirement, for writes only: a deletion has no object. */
function ofWritten({ expression, message }: Requirement): Requirement {
  return { expression: `request.operation == 'DELETE' || (${expression})`, message };
}

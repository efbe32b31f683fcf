import {
  Annotation,
  ClusterNetworkPolicy,
  EndpointSlice,
  Endpoints,
  Label,
  LabelIdentity,
  Service,
  ServiceImport,
  importedPolicyName,
  importedServiceName,
  managedByIsthmus,
} from '@isthmus/api';
import type { AdmissionRule } from './admission-rule.ts';
import { isController } from './caller.ts';

const target = '(object == null ? oldObject : object)';
/** What the object was before: a new one counts as it is. */
const before = '(oldObject == null ? object : oldObject)';
const isNamed = (prefix: string) => `${target}.metadata.name.startsWith('${prefix}')`;
const manager = `${before}.metadata.?labels[?'${Label.managedBy}'].orValue('')`;
const isMarked = `${manager} == '${managedByIsthmus}'`;
/** Antrea leaves its objects unmarked, and a member takes them over. */
const isUnclaimed = `${manager} == '' && oldObject != null`;
const isImported = `${before}.metadata.?annotations[?'${Annotation.importedService}'].hasValue()`;
const isOneOf = (...marks: readonly string[]) => `(${marks.join(' || ')})`;

/** What another client added to an imported Service is removed by the next write. */
const leadsToEndpoints = `(object == null || (${[
  "object.spec.?type.orValue('ClusterIP') == 'ClusterIP'",
  'object.spec.?selector.orValue({}).size() == 0',
  'object.spec.?externalIPs.orValue([]).size() == 0',
].join(' && ')}))`;
/** By this label, kube-proxy adds a slice to a Service, whatever the name of the slice is. */
const isOfImport = `(object == null || object.metadata.?labels[?'${Label.serviceName}'].orValue('${importedServiceName('')}').startsWith('${importedServiceName('')}'))`;

/** Which objects of each kind the controller of a member writes; those of other kinds: any. */
const own: readonly (readonly [plural: string, expression: string])[] = [
  [Service.plural, `${isNamed(importedServiceName(''))} && ${isOneOf(isMarked, isImported)} && ${leadsToEndpoints}`],
  // Its name belongs to the Service, whatever its labels are by now.
  [EndpointSlice.plural, `${isNamed(importedServiceName(''))} && ${isOfImport}`],
  [Endpoints.plural, `${isNamed(importedServiceName(''))} && ${isImported}`],
  [ServiceImport.plural, isOneOf(isMarked, isUnclaimed)],
  [ClusterNetworkPolicy.plural, `${isNamed(importedPolicyName(''))} && ${isOneOf(isMarked, isUnclaimed)}`],
  [LabelIdentity.plural, isOneOf(isMarked, isUnclaimed)],
];

/**
 * RBAC lets the controller of a member write all objects of these kinds in the cluster. Without the
 * rule, its token could redirect kube-dns, or the Service of the API server.
 */
export const ownObjectsRule: AdmissionRule = {
  name: 'own-objects',
  docs: `Rejects writes of the member's controller to Services, EndpointSlices, Endpoints, ServiceImports, ClusterNetworkPolicies and LabelIdentities that are not imported: without the prefix \`${importedServiceName('')}\` in the names of the first three and of policies, or without the marks of Isthmus or Antrea.`,
  types: [Service, EndpointSlice, Endpoints, ServiceImport, ClusterNetworkPolicy, LabelIdentity],
  operations: ['CREATE', 'UPDATE', 'DELETE'],
  reach: 'cluster',
  judges: isController,
  requires: () => [
    {
      expression: own
        .map(([plural, expression]) => `(request.resource.resource == '${plural}' && ${expression})`)
        .join(' || '),
      message:
        "the controller of a member writes only imported objects: their names and the Services of slices begin with antrea-mc-, Services have no selector and no external IPs, and they carry the label app.kubernetes.io/managed-by=isthmus or Antrea's annotation multicluster.antrea.io/imported-service",
    },
  ],
};

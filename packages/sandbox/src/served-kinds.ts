import { resourceNameOf } from '@isthmus/machinery';
import { definitionResource } from './crd/definition-resource.ts';
import { builtInResources } from './builtin/built-in-resources.ts';

/**
 * The use of a kind's objects: controllers act on them, they are questions that are answered, or
 * they are only stored.
 */
export type KindUse = 'controlled' | 'answered' | 'stored';

/** A kind that the sandbox serves. */
export interface ServedKind {
  readonly kind: string;
  /** The name for kubectl: `jobs.batch`. */
  readonly resource: string;
  readonly use: KindUse;
  /** The effect of its objects, or its absence. */
  readonly what: string;
}

type Row = readonly [use: KindUse, resources: string, what: string];

const rows: readonly Row[] = [
  ['controlled', 'deployments.apps', 'one ReplicaSet for each revision; rollouts and rollbacks work'],
  ['controlled', 'replicasets.apps', 'Pods are created, replaced and counted'],
  ['controlled', 'statefulsets.apps', 'Pods are created, replaced and counted; volume claims are not created'],
  ['controlled', 'daemonsets.apps', 'one Pod on each Node that matches'],
  [
    'controlled',
    'jobs.batch',
    'Pods are created, and succeed after a second; failures, indexes and time limits are not simulated',
  ],
  [
    'controlled',
    'pods',
    'scheduled to a simulated Node; they get an address and report Running, but no container runs',
  ],
  [
    'controlled',
    'nodes',
    'the Nodes of the sandbox are simulated; others become Unknown if they do not report; cordoned Nodes get their taint',
  ],
  ['controlled', 'services', 'they get addresses and ports'],
  ['controlled', 'endpoints', 'Endpoints that a client wrote are mirrored to EndpointSlices'],
  [
    'controlled',
    'endpointslices.discovery.k8s.io',
    'they follow the Pods of a Service, or the Endpoints that a client wrote for it',
  ],
  [
    'controlled',
    'namespaces',
    'emptied before they are deleted; each gets its default ServiceAccount and its certificates',
  ],
  ['controlled', 'serviceaccounts', 'each Namespace gets one with the name default; tokens are issued'],
  ['controlled', 'secrets', 'token Secrets get their token'],
  ['controlled', 'configmaps', '`kube-root-ca.crt` is created in each Namespace'],
  ['controlled', 'clusterroles.rbac.authorization.k8s.io', 'enforced, and aggregated'],
  [
    'controlled',
    'clusterrolebindings.rbac.authorization.k8s.io roles.rbac.authorization.k8s.io rolebindings.rbac.authorization.k8s.io',
    'enforced',
  ],
  ['controlled', 'customresourcedefinitions.apiextensions.k8s.io', 'the kinds that they define are served'],
  [
    'controlled',
    'mutatingwebhookconfigurations.admissionregistration.k8s.io validatingwebhookconfigurations.admissionregistration.k8s.io',
    'the webhooks are called, by url only',
  ],
  [
    'controlled',
    'validatingadmissionpolicies.admissionregistration.k8s.io validatingadmissionpolicybindings.admissionregistration.k8s.io',
    'evaluated',
  ],
  ['controlled', 'servicecidrs.networking.k8s.io', 'Services get their addresses from them'],
  ['controlled', 'ipaddresses.networking.k8s.io', 'one is kept for each ClusterIP'],
  ['controlled', 'priorityclasses.scheduling.k8s.io', 'Pods get the priority of their class; nothing is preempted'],
  ['controlled', 'leases.coordination.k8s.io controllerrevisions.apps', 'stored as on any server; clients write them'],
  ['controlled', 'events events.events.k8s.io', 'the same objects in both API groups; they do not expire'],
  ['answered', 'tokenreviews.authentication.k8s.io selfsubjectreviews.authentication.k8s.io', 'answered from tokens'],
  [
    'answered',
    'subjectaccessreviews.authorization.k8s.io localsubjectaccessreviews.authorization.k8s.io selfsubjectaccessreviews.authorization.k8s.io selfsubjectrulesreviews.authorization.k8s.io',
    'answered from RBAC',
  ],
  ['answered', 'bindings', 'a Pod is bound to a Node'],
  ['stored', 'cronjobs.batch', 'no Job is created'],
  ['stored', 'replicationcontrollers', 'no Pods are created'],
  ['stored', 'podtemplates', 'nothing is created from them'],
  [
    'stored',
    'persistentvolumeclaims',
    'not bound or provisioned: a claim stays Pending until a client binds it; no default class is filled in',
  ],
  [
    'stored',
    'persistentvolumes storageclasses.storage.k8s.io volumeattributesclasses.storage.k8s.io',
    'nothing is provisioned or bound',
  ],
  ['stored', 'volumeattachments.storage.k8s.io', 'nothing is attached'],
  ['stored', 'csidrivers.storage.k8s.io csinodes.storage.k8s.io csistoragecapacities.storage.k8s.io', 'no driver runs'],
  ['stored', 'ingresses.networking.k8s.io', 'nothing is routed; an Ingress has no address'],
  ['stored', 'ingressclasses.networking.k8s.io', 'nothing is routed; no default class is filled in'],
  ['stored', 'networkpolicies.networking.k8s.io', 'nothing is filtered'],
  ['stored', 'horizontalpodautoscalers.autoscaling', 'nothing is measured or scaled'],
  ['stored', 'poddisruptionbudgets.policy', 'evictions are granted regardless of them'],
  ['stored', 'resourcequotas', 'nothing is counted or limited'],
  ['stored', 'limitranges', 'nothing is limited or defaulted'],
  [
    'stored',
    'mutatingadmissionpolicies.admissionregistration.k8s.io mutatingadmissionpolicybindings.admissionregistration.k8s.io',
    'no request is changed',
  ],
  ['stored', 'certificatesigningrequests.certificates.k8s.io', 'clients approve and deny them; nothing is signed'],
  ['stored', 'runtimeclasses.node.k8s.io', 'Pods are not changed'],
  [
    'stored',
    'flowschemas.flowcontrol.apiserver.k8s.io prioritylevelconfigurations.flowcontrol.apiserver.k8s.io',
    'requests are not queued or limited',
  ],
  [
    'stored',
    'deviceclasses.resource.k8s.io resourceclaims.resource.k8s.io resourceclaimtemplates.resource.k8s.io resourceslices.resource.k8s.io',
    'no device is allocated',
  ],
  ['stored', 'apiservices.apiregistration.k8s.io componentstatuses', 'the list is always empty'],
];

/**
 * Every served kind, in the order of the page that lists them (docs/sandbox/kinds.md). Errors:
 * throws if a row is missing, or its kind is not served.
 */
export function servedKinds(): readonly ServedKind[] {
  const kinds = new Map([...builtInResources, definitionResource].map((one) => [resourceNameOf(one), one]));
  const listed = rows.flatMap(([use, resources, what]) =>
    resources.split(' ').map((resource) => {
      const found = kinds.get(resource);
      if (found === undefined) throw new Error(`the sandbox does not serve ${resource}`);
      return { kind: found.kind, resource, use, what };
    }),
  );
  const missing = [...kinds.keys()].filter((resource) => listed.every((one) => one.resource !== resource));
  if (missing.length > 0) throw new Error(`what happens to ${missing.join(', ')} is not described`);
  return listed;
}

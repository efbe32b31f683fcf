import type { CallObstacle } from './calls/decide-calls.ts';
import type { EventReason, Namespace, ReasonOn, ServiceSpec, Verdict } from '@isthmus/api';
import {
  Annotation,
  Label,
  Service,
  ServiceImport,
  importedServiceName,
  managedByIsthmus,
  maxImportableNameLength,
  serviceImportStatus,
  yes,
} from '@isthmus/api';
import { dns1035LabelErrors, isLive, presenceOf } from '@isthmus/machinery';
import type { Condition, RemoteService, WholeField } from '@isthmus/wire';
import { appliedFields, isOurService, isOurServiceImport, localPortName, setVerdicts } from '@isthmus/wire';
import { beingDeletedMessage } from '../../../own-cluster/being-deleted.ts';
import { importedMetadata } from './imported-metadata.ts';

export interface ServiceImportInput {
  readonly namespace: string;
  readonly name: string;
  readonly remote: RemoteService;
  /** The target Namespace. */
  readonly namespaceState: NamespaceState;
  /** The Service `antrea-mc-<name>`, no matter which client created it. */
  readonly derived: Service | undefined;
  /** The ServiceImport `<name>`, no matter which client created it. */
  readonly serviceImport: ServiceImport | undefined;
}

/**
 * The state of a Namespace. The API server accepts no new objects while the Namespace is being
 * deleted, and finalizers can prolong the deletion.
 */
export type NamespaceState = 'there' | 'terminating' | 'missing';

export function namespaceStateOf(namespace: Namespace | undefined): NamespaceState {
  if (namespace === undefined) return 'missing';
  return namespace.metadata.deletionTimestamp === undefined ? 'there' : 'terminating';
}

/** How to import into a Namespace that is being deleted. */
export function afterTermination(namespace: string): string {
  return `To import the Service, create the Namespace again when it is deleted. If it stays Terminating, its conditions report what is left: kubectl describe namespace ${namespace}`;
}

/** What to do about one imported Service. `hold`: change nothing, and report why. */
export type ServiceImportDecision =
  | {
      readonly kind: 'import';
      readonly service: ServicePlan | undefined;
      readonly serviceImport: ImportPlan;
      readonly problem: Obstacle | Omission | undefined;
    }
  | { readonly kind: 'withdraw' }
  | { readonly kind: 'wait'; readonly problem: Problem }
  | { readonly kind: 'hold'; readonly problem: Obstacle | NotOurs };

/** A problem with an import, in the words of the Event. */
export interface Problem {
  readonly reason: EventReason<typeof serviceImportStatus>;
  readonly message: string;
  /**
   * When to retry if no watch shows that a retry would succeed. Default: the interval of rejected
   * writes.
   */
  readonly lookAgainMs?: number | undefined;
}

/** A problem that keeps an import from working. Its words also fit the condition Ready. */
export interface Obstacle extends Problem {
  readonly reason: Extract<Problem['reason'], ReasonOn<typeof serviceImportStatus, 'Ready=False'>>;
}

/** The ServiceImport is not ours: not even its status is written. */
export interface NotOurs extends Problem {
  readonly reason: 'ForeignServiceImport';
}

/** A part of an import was left out; the rest works. */
export interface Omission extends Problem {
  readonly reason: (typeof omissions)[number];
}

const omissions = ['PartlyImported', 'OutsideGrant', 'NamespaceDenied', 'OverQuota'] as const;

/** Whether a problem leaves the rest of the import working. */
export function isOmission(problem: Obstacle | Omission): problem is Omission {
  return omissions.some((reason) => reason === problem.reason);
}

export type ServicePlan =
  | { readonly kind: 'create'; readonly object: Service }
  | { readonly kind: 'change'; readonly from: Service; readonly to: Service }
  /**
   * The ClusterIP of a Service can't be changed. A switch between headless and ClusterSetIP needs a
   * new object.
   */
  | { readonly kind: 'replace'; readonly from: Service; readonly to: Service }
  /** It is being deleted. Until it is gone it keeps its slices, and nothing is written to it. */
  | { readonly kind: 'keep'; readonly from: Service };

/**
 * The ServiceImport without its addresses, which are known once the Service exists. Undefined
 * `from`: create it. If `from` is being deleted, only its status is written.
 */
export interface ImportPlan {
  readonly from: ServiceImport | undefined;
  readonly metadata: ServiceImport['metadata'];
}

/**
 * The problem of an import that works except for a part that was left out. `what` names that part,
 * and why.
 */
export function partlyImported(what: string): Omission {
  return { reason: 'PartlyImported', message: `Imported without parts that cannot be used here: ${what}` };
}

/** Decides which objects one imported Service has in this cluster (docs/spec/wire.md §7, §8.3). */
export function decideServiceImport(input: ServiceImportInput): ServiceImportDecision {
  const { namespace, name, remote, derived, serviceImport } = input;
  if (remote.spec === undefined && remote.unusable === undefined) return { kind: 'withdraw' };
  const missing = namespaceMissing(input);
  if (missing !== undefined) return { kind: 'wait', problem: missing };
  if (serviceImport !== undefined && !isOurServiceImport(serviceImport, derived)) {
    const message = `ServiceImport ${namespace}/${name} was not created by Isthmus and is not changed. Delete it to import the Service of that name from the ClusterSet.`;
    return { kind: 'hold', problem: { reason: 'ForeignServiceImport', message } };
  }
  if (remote.unusable !== undefined || remote.spec === undefined) {
    const message = `${remote.unusable ?? ''}. The existing import is kept. Ask the administrator of the leader to check it.`;
    return { kind: 'hold', problem: { reason: 'InvalidResourceImport', message } };
  }
  const metadata = importedMetadata(serviceImport?.metadata ?? { name, namespace }, remote.exported);
  const imported: ImportPlan = {
    from: serviceImport,
    metadata: { ...metadata, labels: { ...metadata.labels, [Label.managedBy]: managedByIsthmus } },
  };
  const obstacle = nameProblem(input) ?? foreignService(input);
  if (obstacle !== undefined) return { kind: 'import', service: undefined, serviceImport: imported, problem: obstacle };
  const problem = heldProblem(input) ?? dropped(remote);
  return { kind: 'import', service: planService(input, derived), serviceImport: imported, problem };
}

/**
 * The object of an import that was deleted and still exists. A client can delete it while the
 * import is wanted. Then calls reach its endpoints until it is gone.
 */
export function heldProblem({
  derived,
  serviceImport,
}: Pick<ServiceImportInput, 'derived' | 'serviceImport'>): Obstacle | undefined {
  if (serviceImport !== undefined && !isLive(serviceImport))
    return { reason: 'BeingDeleted', message: beingDeletedMessage(ServiceImport, serviceImport) };
  if (derived !== undefined && !isLive(derived))
    return { reason: 'BeingDeleted', message: beingDeletedMessage(Service, derived) };
  return undefined;
}

function namespaceMissing({ namespace, name, namespaceState }: ServiceImportInput): Problem | undefined {
  if (namespaceState === 'there') return undefined;
  const why =
    namespaceState === 'terminating'
      ? `Namespace ${namespace} is being deleted in this cluster. ${afterTermination(namespace)}`
      : `Namespace ${namespace} does not exist in this cluster. Create it to import the Service.`;
  const message = `Service ${namespace}/${name} of the ClusterSet is not imported: ${why}`;
  return { reason: 'NamespaceMissing', message };
}

function nameProblem({ name }: ServiceImportInput): Obstacle | undefined {
  const local = importedServiceName(name);
  if (dns1035LabelErrors(local).length === 0) return undefined;
  const message = `The name of the imported Service, ${local}, is too long. Export the Service under a name of at most ${maxImportableNameLength} characters.`;
  return { reason: 'NameTooLong', message };
}

function foreignService({ namespace, name, derived }: ServiceImportInput): Obstacle | undefined {
  if (derived === undefined || isOurService(derived)) return undefined;
  const local = importedServiceName(name);
  const message = `Service ${namespace}/${local} has the name that the import of ${namespace}/${name} needs, and was not created by Isthmus${claimOf(derived)}. It is not changed. If it can go, run: kubectl -n ${namespace} delete service ${local}`;
  return { reason: 'ServiceNameTaken', message };
}

/** The owner of the object, as far as its own metadata states one; otherwise empty. */
function claimOf({ metadata: { labels, ownerReferences = [] } }: Service): string {
  const tool = labels?.[Label.managedBy];
  const [owner] = ownerReferences;
  if (tool !== undefined && tool !== '') return ` (${Label.managedBy}: ${tool})`;
  return owner === undefined ? '' : ` (owner: ${owner.kind} ${owner.name})`;
}

function dropped({ problems }: RemoteService): Omission | undefined {
  const [first] = problems;
  if (first === undefined) return undefined;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
  return partlyImported(`${first}${more}`);
}

function planService(input: ServiceImportInput, derived: Service | undefined): ServicePlan {
  const { namespace, name, remote } = input;
  const local = importedServiceName(name);
  const headless = remote.spec?.type === 'Headless';
  const nameOf = localPortName(remote.spec?.ports ?? []);
  const ports = (remote.spec?.ports ?? []).map(({ name: portName, port, protocol = 'TCP', appProtocol }) => ({
    name: nameOf(portName),
    port,
    protocol,
    appProtocol,
    // The default of the API server. It makes the comparison with the stored object find no
    // difference (defect B16).
    targetPort: port,
  }));
  const fields = (had: Service['spec']) =>
    appliedFields(headless || remote.spec === undefined ? { type: 'Headless', ports: [] } : remote.spec, had);
  const marks = { annotations: { [Annotation.importedService]: yes }, labels: { [Label.managedBy]: managedByIsthmus } };
  const fresh: Service = {
    metadata: { name: local, namespace, ...marks },
    // By default, a headless Service without selector gets both families even if the cluster has
    // one. Then it can't be changed.
    spec: headless
      ? { type: 'ClusterIP', clusterIP: 'None', ipFamilyPolicy: 'PreferDualStack', ports, ...fields(undefined) }
      : { type: 'ClusterIP', ports, ...fields(undefined) },
  };
  const existing = presenceOf(derived);
  if (existing.state === 'terminating') return { kind: 'keep', from: existing.object };
  if (existing.state === 'absent' || derived === undefined)
    return { kind: 'create', object: headless ? fresh : withFormerAddress(fresh, input.serviceImport) };
  // A Service that another client changed to ExternalName has lost its address, so it can get
  // either type.
  const hasLostAddress = derived.spec?.type === 'ExternalName';
  if (!hasLostAddress && (derived.spec?.clusterIP === 'None') !== headless)
    return { kind: 'replace', from: derived, to: fresh };
  return {
    kind: 'change',
    from: derived,
    to: {
      ...derived,
      metadata: {
        ...derived.metadata,
        labels: { ...derived.metadata.labels, ...marks.labels },
        annotations: { ...derived.metadata.annotations, ...marks.annotations },
      },
      spec: {
        ...derived.spec,
        ...unwanted,
        ...(hasLostAddress && headless ? { clusterIP: 'None', ipFamilyPolicy: 'PreferDualStack' } : {}),
        ...fields(derived.spec ?? {}),
        type: 'ClusterIP',
        // The API server keeps no empty list.
        ports: ports.length === 0 ? undefined : samePorts(derived, ports),
      },
    },
  };
}

/**
 * Callers know the address of a Service that was deleted and is created again. The API server
 * rejects an address that another Service has by now; then it assigns one.
 */
function withFormerAddress(service: Service, serviceImport: ServiceImport | undefined): Service {
  const [clusterIP, ...others] = serviceImport?.spec?.ips ?? [];
  if (clusterIP === undefined) return service;
  return { ...service, spec: { ...service.spec, clusterIP, clusterIPs: [clusterIP, ...others] } };
}

/**
 * The fields of a Service that an imported Service never has. All other fields are written, or are
 * set by the API server.
 */
const unwanted: Readonly<Record<UnwantedField, undefined>> = {
  selector: undefined,
  externalName: undefined,
  externalIPs: undefined,
  externalTrafficPolicy: undefined,
  publishNotReadyAddresses: undefined,
  loadBalancerClass: undefined,
  loadBalancerIP: undefined,
  loadBalancerSourceRanges: undefined,
  allocateLoadBalancerNodePorts: undefined,
  healthCheckNodePort: undefined,
};
type UnwantedField = Exclude<
  keyof ServiceSpec,
  WholeField | 'type' | 'ports' | 'clusterIP' | 'clusterIPs' | 'ipFamilies' | 'ipFamilyPolicy'
>;

type Ports = NonNullable<NonNullable<Service['spec']>['ports']>;

/**
 * The ports as wanted. Existing ports keep the fields that a later Kubernetes adds to them. Nodes
 * do not listen for an import, so there is no node port.
 */
function samePorts(derived: Service, wanted: Ports): Ports {
  const before = new Map((derived.spec?.ports ?? []).map((port) => [`${port.protocol ?? 'TCP'} ${port.port}`, port]));
  return wanted.map((port) => {
    const known = before.get(`${port.protocol ?? 'TCP'} ${port.port}`);
    return known === undefined ? port : { ...known, ...port, nodePort: undefined };
  });
}

export interface ImportStatusInput {
  readonly serviceImport: ServiceImport;
  /**
   * The exporting clusters. Undefined: nothing was changed here, so its exporters and slices stay
   * the same.
   */
  readonly clusters: readonly string[] | undefined;
  readonly problem: Obstacle | Omission | undefined;
  /** Why calls do not arrive; undefined: they may. */
  readonly calls: CallObstacle | undefined;
  readonly now: string;
}

/**
 * The status of a ServiceImport: its exporting clusters, and whether it works here
 * (docs/spec/mcs-api.md §1, §2; defect B32).
 */
export function importStatus({
  serviceImport,
  clusters,
  problem,
  calls,
  now,
}: ImportStatusInput): NonNullable<ServiceImport['status']> {
  const isImported = problem === undefined || isOmission(problem);
  const ready: Verdict<typeof serviceImportStatus, 'Ready'> = !isImported
    ? { status: 'False', reason: problem.reason, message: problem.message }
    : calls === undefined
      ? { status: 'True', reason: 'Ready', message: problem?.message ?? 'The Service is imported' }
      : { ...calls, message: [calls.message, ...(problem === undefined ? [] : [problem.message])].join('. ') };
  const observedGeneration = serviceImport.metadata.generation;
  const conditions: readonly Condition[] = serviceImport.status?.conditions ?? [];
  const existing =
    clusters === undefined
      ? {}
      : {
          clusters: clusters.toSorted().map((cluster) => ({ cluster })),
          endpointSliceObjects: isImported ? ('Present' as const) : ('Absent' as const),
        };
  return {
    ...serviceImport.status,
    ...existing,
    conditions: setVerdicts(serviceImportStatus, conditions, { Ready: ready }, { now, observedGeneration }),
  };
}

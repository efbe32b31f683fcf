import type { KubernetesObject } from '@isthmus/machinery';
import type { SourceName } from './cluster-sources.ts';
import { definitionForm, webhookForm } from './kept-forms.ts';
import { membershipFact } from './membership.ts';
import type { MembershipFact } from './membership.ts';
import { podFact, recordAt, replicaSetFact, workloadFact } from './workload.ts';
import type { PodFact, ReplicaSetFact, WorkloadFact } from './workload.ts';

/** A release of Helm, without its values and templates. */
export interface HelmRelease {
  readonly namespace: string;
  readonly name: string;
  readonly chart: string;
  readonly appVersion: string;
}

/** A version that a component reports of itself. */
export interface ReportedVersion {
  readonly version: string;
  readonly node: string;
}

/**
 * The facts of one cluster. Objects are reduced to them one by one, so that whole lists are never
 * held.
 */
export interface ClusterFacts {
  /** `gitVersion` of the API server that answered. */
  readonly serverVersion: string;
  /** The UID of the Namespace kube-system: two contexts with the same one are one cluster. */
  readonly uid: string;
  readonly nodes: NodeFact[];
  readonly workloads: WorkloadFact[];
  readonly pods: PodFact[];
  readonly replicaSets: ReplicaSetFact[];
  /** ServiceAccounts of a leader that are bound to one member. */
  readonly memberAccounts: { readonly namespace: string; readonly name: string; readonly clusterID: string }[];
  /** Suspended objects of Flux: `Kustomization flux-system/apps`. */
  readonly suspended: string[];
  /** Custom resources by the names of their CRDs, where they were counted. */
  readonly objectCounts: { readonly crd: string; readonly count: number }[];
  readonly definitions: Readonly<Record<string, unknown>>[];
  readonly webhooks: Readonly<Record<string, unknown>>[];
  readonly memberships: MembershipFact[];
  readonly antreaControllers: ReportedVersion[];
  readonly antreaAgents: ReportedVersion[];
  readonly providers: { readonly type: string; readonly name: string; readonly version: string }[];
  readonly eksaClusters: EksaCluster[];
  /**
   * Names of the clusters that Cluster API manages here, and the addresses of their API servers.
   */
  readonly capiClusters: { readonly name: string; readonly endpoint: string }[];
  readonly helmReleases: HelmRelease[];
}

export interface NodeFact {
  readonly name: string;
  readonly kubelet: string;
  /** The UUID of the machine; empty where it has none. */
  readonly machine: string;
  readonly ready: boolean;
}

export interface EksaCluster {
  readonly name: string;
  readonly version: string;
  readonly managedBy: string;
  readonly ciliumIsSkipped: boolean;
}

export function emptyFacts(serverVersion: string, uid: string): ClusterFacts {
  return {
    serverVersion,
    uid,
    nodes: [],
    workloads: [],
    pods: [],
    replicaSets: [],
    memberAccounts: [],
    suspended: [],
    objectCounts: [],
    definitions: [],
    webhooks: [],
    memberships: [],
    antreaControllers: [],
    antreaAgents: [],
    providers: [],
    eksaClusters: [],
    capiClusters: [],
    helmReleases: [],
  };
}

/** Adds the facts of one kind to those of the cluster. */
export function addFacts(facts: ClusterFacts, more: ClusterFacts): void {
  for (const [name, list] of Object.entries(more) as [keyof ClusterFacts, unknown][])
    // One by one: a call takes only so many arguments.
    if (Array.isArray(list))
      for (const one of list as readonly unknown[]) (facts[name] as unknown as unknown[]).push(one);
}

/**
 * Adds an object to the facts of its cluster. Helm releases are added by {@link addHelmRelease}:
 * they have to be unpacked first.
 */
export function addObject(facts: ClusterFacts, source: SourceName, object: KubernetesObject): void {
  const spec = recordAt(object, 'spec');
  const { name } = object.metadata;
  switch (source) {
    case 'nodes': {
      const status = recordAt(object, 'status');
      const conditions = Array.isArray(status['conditions']) ? (status['conditions'] as readonly unknown[]) : [];
      const ready = conditions.find((one) => recordAt({ one }, 'one')['type'] === 'Ready');
      facts.nodes.push({
        name,
        kubelet: text(recordAt(status, 'nodeInfo')['kubeletVersion']),
        machine: text(recordAt(status, 'nodeInfo')['systemUUID']).toLowerCase(),
        ready: recordAt({ ready }, 'ready')['status'] === 'True',
      });
      return;
    }
    case 'deployments':
    case 'daemonSets':
      return void facts.workloads.push(workloadFact(object));
    case 'replicaSets': {
      const replicaSet = replicaSetFact(object);
      if (replicaSet !== undefined) facts.replicaSets.push(replicaSet);
      return;
    }
    case 'serviceAccounts': {
      const { namespace = '', annotations } = object.metadata;
      const clusterID = annotations?.['multicluster.antrea.io/cluster-id'];
      if (clusterID !== undefined) facts.memberAccounts.push({ namespace, name, clusterID });
      return;
    }
    case 'kustomizations':
    case 'helmReleaseObjects': {
      const kind = source === 'kustomizations' ? 'Kustomization' : 'HelmRelease';
      if (spec['suspend'] === true) facts.suspended.push(`${kind} ${object.metadata.namespace ?? ''}/${name}`);
      return;
    }
    case 'controlPlane':
      return addPod(facts, object);
    case 'definitions':
      return void facts.definitions.push(definitionForm(object));
    case 'validatingWebhooks':
    case 'mutatingWebhooks':
      return void facts.webhooks.push(webhookForm(object));
    case 'clusterSets':
      return void facts.memberships.push(membershipFact(object));
    case 'antreaControllers':
      return void facts.antreaControllers.push(reported(object));
    case 'antreaAgents':
      return void facts.antreaAgents.push(reported(object));
    case 'providers': {
      const { type, providerName, version } = object as unknown as Readonly<Record<string, unknown>>;
      return void facts.providers.push({ type: text(type), name: text(providerName), version: text(version) });
    }
    case 'eksaClusters': {
      const cilium = recordAt(recordAt(recordAt(spec, 'clusterNetwork'), 'cniConfig'), 'cilium');
      return void facts.eksaClusters.push({
        name,
        version: text(spec['eksaVersion']),
        managedBy: text(recordAt(spec, 'managementCluster')['name']),
        ciliumIsSkipped: cilium['skipUpgrade'] === true,
      });
    }
    case 'capiClusters': {
      const { host, port } = recordAt(spec, 'controlPlaneEndpoint');
      const endpoint = typeof host === 'string' && host !== '' ? `${host}:${String(port)}` : '';
      return void facts.capiClusters.push({ name, endpoint });
    }
    case 'helmReleases':
      return;
  }
}

/** Adds a Pod of a DaemonSet or of the control plane. */
export function addPod(facts: ClusterFacts, object: KubernetesObject): void {
  const pod = podFact(object);
  if (pod !== undefined) facts.pods.push(pod);
}

/**
 * Adds the chart in the JSON of a Helm release. The rest, such as values and templates, is not
 * kept.
 */
export function addHelmRelease(facts: ClusterFacts, release: unknown): void {
  const root = recordAt({ release }, 'release');
  const chart = recordAt(recordAt(root, 'chart'), 'metadata');
  facts.helmReleases.push({
    namespace: text(root['namespace']),
    name: text(root['name']),
    chart: `${text(chart['name'])}-${text(chart['version'])}`,
    appVersion: text(chart['appVersion']),
  });
}

function reported(object: KubernetesObject): ReportedVersion {
  const { version } = object as unknown as Readonly<Record<string, unknown>>;
  return { version: text(version), node: text(recordAt(object, 'nodeRef')['name']) };
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

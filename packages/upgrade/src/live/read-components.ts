import type { InstalledComponent, LiveVersion } from '../fleet/fleet-snapshot.ts';
import type { ClusterFacts, ReportedVersion } from './cluster-facts.ts';
import { parseImage, versionOfTag } from './image.ts';
import { secondsBetween } from './workload.ts';
import { controlPlane, inventoryIds, rowsOf } from './known-components.ts';
import type { ContainerMark, KnownComponent } from './known-components.ts';
import type { ContainerFact, PodFact, WorkloadFact } from './workload.ts';

/**
 * The components that run in a cluster, by id: recognised by {@link rowsOf}, by static Pods, and by
 * Nodes.
 */
export function componentsOf(facts: ClusterFacts): readonly InstalledComponent[] {
  const records = recordsOf(facts);
  const known = rowsOf(facts).map((row) => installed(row.id, liveOf(row, facts), { type: row.type, records, facts }));
  const rest = [
    ...controlPlane.map((id) => [id, controlPlaneOf(id, facts)] as const),
    ['kubelet', kubelets(facts)] as const,
  ].map(([id, live]) => installed(id, live, { type: undefined, records, facts }));
  return [...known, ...rest]
    .filter(({ live, recorded }) => live.length > 0 || recorded !== undefined)
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/** The workloads that belong to a known component. */
export function knownWorkloads({ workloads }: Pick<ClusterFacts, 'workloads'>): readonly WorkloadFact[] {
  const rows = rowsOf({ workloads });
  return workloads.filter((one) => rows.some((row) => containersOf(row, one).length > 0));
}

/** The DaemonSets whose Pods have to be read, since each Node may run another version. */
export function perNodeWorkloads(facts: Pick<ClusterFacts, 'workloads'>): readonly WorkloadFact[] {
  const rows = rowsOf(facts).filter(({ perNode }) => perNode === true);
  return facts.workloads.filter(
    (one) => one.kind === 'DaemonSet' && rows.some((row) => containersOf(row, one).length > 0),
  );
}

/** The reason for skipping Cilium if its owner set skipUpgrade. */
export const skippedByEksa = 'skipUpgrade of its EKS Anywhere cluster';

function rowOf(id: string, facts: ClusterFacts): readonly KnownComponent[] {
  return rowsOf(facts).filter((row) => row.id === id);
}

type Records = ReadonlyMap<string, { readonly version: string; readonly by: string }>;

function installed(
  id: string,
  live: readonly LiveVersion[],
  {
    type,
    records,
    facts,
  }: { readonly type: string | undefined; readonly records: Records; readonly facts: ClusterFacts },
): InstalledComponent {
  const record = records.get(id);
  const isSkipped =
    id === 'cilium' &&
    facts.eksaClusters.some(
      ({ name, managedBy, ciliumIsSkipped }) => ciliumIsSkipped && (managedBy === '' || managedBy === name),
    );
  return {
    id,
    type,
    recorded: record === undefined ? undefined : { ...record, digests: {} },
    live: [...live],
    skip: isSkipped ? skippedByEksa : undefined,
    handSet: facts.workloads
      .filter((one) => rowOf(id, facts).some((row) => containersOf(row, one).length > 0))
      .flatMap((one) => one.handSet.map((text) => `${one.kind} ${one.namespace}/${one.name}, ${text}`))
      .toSorted(),
  };
}

function liveOf(row: KnownComponent, facts: ClusterFacts): readonly LiveVersion[] {
  const own = facts.workloads.filter((workload) => containersOf(row, workload).length > 0);
  /** With the Namespace where a component is installed twice. */
  const nameOf = ({ namespace, name }: WorkloadFact) =>
    own.some((one) => one.name === name && one.namespace !== namespace) ? `${namespace}/${name}` : name;
  const instances = own.flatMap((workload) => {
    const containers = containersOf(row, workload);
    const pods = row.perNode === true ? facts.pods.filter((pod) => isPodOf(pod, workload)) : [];
    const version = (one: ContainerFact, node?: string) => versionOf(row, one, { workload, facts, node });
    if (pods.length === 0)
      return containers.map((one) =>
        entry({
          version: version(one),
          name: nameOf(workload),
          namespace: workload.namespace,
          workload: workload.name,
          ready: workload.ready,
          image: one,
          tookSeconds: rolloutSeconds(workload, facts),
        }),
      );
    return pods.flatMap((pod) =>
      pod.containers
        .filter((one) => row.containers.some((mark) => fits(mark, one, workload)))
        .map((one) =>
          entry({
            version: version(one, pod.node),
            node: pod.node,
            namespace: pod.namespace,
            workload: workload.name,
            ready: pod.ready,
            image: one,
            tookSeconds: pod.startedInSeconds,
          }),
        ),
    );
  });
  // Deployments of one version and one installation are one instance.
  const same = new Set(instances.map(({ version, namespace }) => `${namespace ?? ''}/${version}`));
  const installations = new Set(own.map(installationOf));
  const single = same.size === 1 && installations.size === 1 && instances.every(({ node }) => node === undefined);
  const [first] = instances;
  if (single && first !== undefined) {
    const { name: _, tookSeconds: __, ...rest } = first;
    const took = instances.flatMap((one) => one.tookSeconds ?? []);
    return [
      {
        ...rest,
        workloads: [...new Set(own.map(({ name }) => name))].toSorted(),
        ...(took.length < instances.length ? {} : { tookSeconds: Math.max(...took) }),
        ready: instances.every(({ ready }) => ready),
        digests: instances.length === 1 ? first.digests : {},
      },
    ];
  }
  return instances;
}

/**
 * The installation that a workload belongs to, if its tool labels it: a component can be installed
 * twice in one Namespace, under other names.
 */
function installationOf({ namespace, labels, annotations }: WorkloadFact): string {
  const release = annotations['meta.helm.sh/release-name'] ?? labels['app.kubernetes.io/instance'] ?? '';
  return `${namespace}/${release}`;
}

interface Entry {
  readonly version: string;
  readonly node?: string | undefined;
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
  readonly workload?: string | undefined;
  readonly ready: boolean;
  readonly image?: ContainerFact | undefined;
  readonly tookSeconds?: number | undefined;
}

/**
 * A digest is kept only where the reference pins it: what a runtime reports is that of one
 * architecture, or of the whole index.
 */
function entry({ version, node, name, namespace = '', workload, ready, image, tookSeconds }: Entry): LiveVersion {
  const digest = image === undefined ? undefined : parseImage(image.image).digest;
  return {
    version,
    ...(node === undefined ? {} : { node }),
    ...(name === undefined ? {} : { name }),
    ...(namespace === '' ? {} : { namespace }),
    ...(workload === undefined ? {} : { workloads: [workload] }),
    digests: digest === undefined ? {} : { image: digest },
    ready,
    ...(tookSeconds === undefined ? {} : { tookSeconds }),
  };
}

/**
 * From the creation of its newest ReplicaSet until the rollout was complete; undefined where a part
 * of that is not known.
 */
function rolloutSeconds(
  { namespace, name, revision, completedAt }: WorkloadFact,
  { replicaSets }: ClusterFacts,
): number | undefined {
  const newest = replicaSets.find(
    (one) => one.namespace === namespace && one.deployment === name && one.revision === revision,
  );
  return secondsBetween(newest?.createdAt, completedAt === '' ? undefined : completedAt);
}

function versionOf(
  row: KnownComponent,
  container: ContainerFact,
  {
    workload,
    facts,
    node,
  }: { readonly workload: WorkloadFact; readonly facts: ClusterFacts; readonly node?: string | undefined },
): string {
  for (const place of row.version ?? ['image', 'label']) {
    const found =
      place === 'image'
        ? versionOfTag(parseImage(container.image).tag)
        : versionOfTag(workload.labels['app.kubernetes.io/version'] ?? '');
    if (found !== undefined) return found;
  }
  return reportedVersion(row.id, facts, node) ?? chartVersion(workload, facts) ?? '';
}

/** Antrea reports its running version on each Node. */
function reportedVersion(id: string, facts: ClusterFacts, node: string | undefined): string | undefined {
  const all: readonly ReportedVersion[] =
    id === 'antrea-controller' ? facts.antreaControllers : id === 'antrea-agent' ? facts.antreaAgents : [];
  const fitting = node === undefined ? all : all.filter((one) => one.node === node);
  const versions = new Set(fitting.map(({ version }) => versionOfTag(version.split('-')[0] ?? '')));
  return versions.size === 1 ? [...versions][0] : undefined;
}

/** The application version of the chart that a workload was installed by. */
function chartVersion({ namespace, annotations }: WorkloadFact, { helmReleases }: ClusterFacts): string | undefined {
  const name = annotations['meta.helm.sh/release-name'];
  const release = helmReleases.find(
    (one) => one.name === name && one.namespace === (annotations['meta.helm.sh/release-namespace'] ?? namespace),
  );
  return release === undefined ? undefined : versionOfTag(release.appVersion);
}

function containersOf(row: KnownComponent, workload: WorkloadFact): readonly ContainerFact[] {
  return workload.containers.filter((one) => row.containers.some((mark) => fits(mark, one, workload)));
}

function fits(
  { repository, container, word, label }: ContainerMark,
  one: ContainerFact,
  { labels }: WorkloadFact,
): boolean {
  return (
    (repository === undefined || repository.test(parseImage(one.image).repository)) &&
    (container === undefined || one.name === container) &&
    (word === undefined || one.words.includes(word)) &&
    (label === undefined || labels[label[0]] === label[1])
  );
}

function isPodOf(pod: PodFact, { namespace, selector }: WorkloadFact): boolean {
  const wanted = Object.entries(selector);
  return pod.namespace === namespace && wanted.length > 0 && wanted.every(([key, value]) => pod.labels[key] === value);
}

/**
 * If a provider manages the control plane, there are no Pods, and only the API server reports its
 * version.
 */
function controlPlaneOf(id: string, { pods, serverVersion }: ClusterFacts): readonly LiveVersion[] {
  const own = pods.filter(({ labels, namespace }) => namespace === 'kube-system' && labels['component'] === id);
  if (own.length === 0) return id === 'kube-apiserver' ? [entry({ version: serverVersion, ready: true })] : [];
  return own.map((pod) => {
    const image = pod.containers.find(({ name }) => name === id);
    const version = image === undefined ? undefined : versionOfTag(parseImage(image.image).tag);
    return entry({ version: version ?? '', name: pod.node, ready: pod.ready, image });
  });
}

function kubelets({ nodes }: ClusterFacts): readonly LiveVersion[] {
  return nodes.map(({ name, kubelet, ready }) => entry({ version: kubelet.toLowerCase(), node: name, ready }));
}

/** The records of the tools that own a component. */
function recordsOf({ providers, eksaClusters, workloads, helmReleases }: ClusterFacts): Records {
  const records = new Map<string, { readonly version: string; readonly by: string }>();
  const add = (id: string, version: string | undefined, by: string) => {
    if (version !== undefined && version !== '' && !records.has(id))
      records.set(id, { version: version.toLowerCase(), by });
  };
  for (const { type, name, version } of providers) {
    const id =
      inventoryIds[`${type}/${name}`] ?? (type === 'InfrastructureProvider' ? `capi-infra-${name}` : undefined);
    if (id !== undefined) add(id, version, 'Provider inventory');
  }
  const own = eksaClusters.find(({ name, managedBy }) => managedBy === '' || managedBy === name);
  add('eksa', own?.version, 'spec.eksaVersion of the Cluster');
  const rows = rowsOf({ workloads, providers });
  for (const workload of workloads) {
    const version = workload.annotations['cert-manager.clusterctl.cluster.x-k8s.io/version'];
    const row = rows.find((one) => containersOf(one, workload).length > 0);
    if (row?.id === 'cert-manager') add('cert-manager', version, 'annotation of clusterctl');
    if (row === undefined) continue;
    // Two releases of a component at different versions have a record each, and none is that of the
    // component.
    const charts = workloads
      .filter((one) => containersOf(row, one).length > 0)
      .flatMap((one) => chartVersion(one, { helmReleases } as ClusterFacts) ?? []);
    if (new Set(charts).size > 1) continue;
    add(
      row.id,
      chartVersion(workload, { helmReleases } as ClusterFacts),
      `Helm release ${workload.annotations['meta.helm.sh/release-name'] ?? ''}`,
    );
  }
  return records;
}

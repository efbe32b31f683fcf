import { firstOf } from '@isthmus/machinery';
import type { ClusterSet, MemberClusterAnnounce, ResourceExport } from '@isthmus/api';
import { Annotation, Label, SourceKind } from '@isthmus/api';
import type { CacheLimits, OwnerLimits, OwnerUsage } from '@isthmus/kube';
import { exceededLimits } from '@isthmus/kube';
import type { KubernetesObject } from '@isthmus/machinery';
import { isClusterID, shown } from '@isthmus/wire';

/**
 * The limits on the number and size of ResourceExports that a leader accepts from one cluster. They
 * fit 20,000 Services, or more than forty of the largest exports that an API server stores (1.5
 * MB). Without limits, one member's token could fill the memory of the leader.
 *
 * Label identities have separate limits with the same values. Any user who may create Pods in a
 * cluster can cause any number of them, which must not block the cluster's exports of Services.
 */
export const exportLimits: CacheLimits<ResourceExport> = {
  objects: 40_000,
  bytes: 64_000_000,
  allBytes: 256_000_000,
  ownerOf: ({ spec }) => `${ownerOf(spec?.clusterID)}${spec?.kind === SourceKind.labelIdentity ? ofLabels : ''}`,
  reduce: ({ apiVersion, kind, metadata, spec, status }) => ({
    apiVersion,
    kind,
    metadata: reducedMetadata(metadata),
    spec: {
      kind: short(spec?.kind),
      namespace: short(spec?.namespace),
      name: short(spec?.name),
      clusterID: short(spec?.clusterID),
    },
    // Only a leader writes the status.
    status,
  }),
};

/** Why the export is ignored; undefined if it is within the limits. */
export function overLimits(object: ResourceExport): string | undefined {
  const limits = exceededLimits(object);
  if (limits === undefined) return undefined;
  return `cluster ${shown(object.spec?.clusterID ?? '')} exports more than a leader accepts from one cluster (${acceptedOf(limits)}), and this ResourceExport is one of the youngest. Its published import stays unchanged`;
}

/**
 * The clusters that have more objects in the Common Area than a leader accepts from one cluster.
 */
export interface OverLimits {
  /** The limits in force for exports. */
  readonly exportLimits: OwnerLimits;
  readonly exports: readonly OwnerUsage[];
  readonly announces: readonly OwnerUsage[];
}

/**
 * Which clusters export or announce too much, and how to remove it, for the condition of the
 * ClusterSet. Undefined if no cluster does.
 */
export function overLimitsMessage(
  { metadata }: ClusterSet,
  { exportLimits: limits, exports, announces }: OverLimits,
): string | undefined {
  const { namespace = '' } = metadata;
  const messages: string[] = [];
  const { labels = [], others = [] } = Object.groupBy(exports, ({ owner }) =>
    owner.endsWith(ofLabels) ? 'labels' : 'others',
  );
  const inAll = `${megabytes(limits.allBytes)} in all`;
  if (others.length > 0) {
    const rest = `A leader accepts ${acceptedOf(limits)} from one cluster, and ${inAll}.`;
    const cure = howToRemoveExports(namespace, others[0]?.owner ?? '');
    messages.push(`${offendersOf(others, 'ResourceExports', 'ignored')}. ${rest} ${cure}`);
  }
  if (labels.length > 0) {
    const clusters = labels.map((usage) => ({ ...usage, owner: usage.owner.slice(0, -ofLabels.length) }));
    const rest = `A leader accepts ${acceptedOf(limits)} from one cluster, as much again of kind ${SourceKind.labelIdentity}, and ${inAll}.`;
    const cure = howToReduceLabels(namespace, clusters[0]?.owner ?? '');
    const kinds = `ResourceExports of kind ${SourceKind.labelIdentity}`;
    messages.push(`${offendersOf(clusters, kinds, 'ignored')}. ${rest} ${cure}`);
  }
  if (announces.length > 0) {
    const rest = `A leader expects one per cluster, and reads at most ${announceLimits.objects} of them and ${announceLimits.bytes / 1_000} kB.`;
    const cure = `To list them: kubectl get memberclusterannounces -n ${namespace}`;
    messages.push(`${offendersOf(announces, 'MemberClusterAnnounces', 'not read in full')}. ${rest} ${cure}`);
  }
  return messages.length === 0 ? undefined : messages.join('. ');
}

function acceptedOf({ objects, bytes }: OwnerLimits): string {
  return `${objects} ResourceExports and ${megabytes(bytes)}`;
}

/** Each cluster with its usage, and the part of it that is over the limits. */
function offendersOf(usages: readonly OwnerUsage[], kinds: string, fate: string): string {
  const text = ({ owner, objects, bytes, objectsOver }: OwnerUsage) => {
    const who = owner === '' ? `${kinds} without a valid cluster ID` : `cluster ${owner}`;
    return `${who}: ${objects} ${kinds}, ${megabytes(bytes)}, of which the newest ${objectsOver} are ${fate}`;
  };
  return firstOf(usages, mostNamed, text).join('; ');
}

/** Removes all exports of the cluster: a connected member exports again what it needs. */
export function howToRemoveExports(namespace: string, owner: string): string {
  const path = `{range .items[?(@.spec.clusterID=="${owner}")]}{.metadata.name}{"\\n"}{end}`;
  const list = `kubectl get resourceexports -n ${namespace}`;
  if (owner === '') return `To list them: ${list}`;
  return `To remove the exports of ${owner}: ${list} -o jsonpath='${path}' | xargs kubectl delete resourceexports -n ${namespace}`;
}

/** A member exports the labels of its Pods again. */
function howToReduceLabels(namespace: string, owner: string): string {
  const list = `kubectl get resourceexports -n ${namespace} -l ${Label.sourceKind}=${SourceKind.labelIdentity}`;
  if (owner === '') return `To list them: ${list}`;
  return `Reduce the number of different Pod labels in ${owner}. To list its exports: ${list},${Label.sourceClusterID}=${owner}`;
}

/** In steps of a tenth, so that a message does not change with every byte. */
function megabytes(bytes: number): string {
  return `${Math.round(bytes / 100_000) / 10} MB`;
}

const mostNamed = 5;

/**
 * Announcements have a few hundred bytes. An announcement over the limits still counts for its
 * cluster.
 */
export const announceLimits: CacheLimits<MemberClusterAnnounce> = {
  objects: 10,
  bytes: 64_000,
  allBytes: 16_000_000,
  ownerOf: ({ clusterID }) => ownerOf(clusterID),
  reduce: ({ apiVersion, kind, metadata, clusterID, clusterSetID, leaderClusterID }) => ({
    apiVersion,
    kind,
    metadata: reducedMetadata(metadata),
    clusterID: short(clusterID),
    clusterSetID: short(clusterSetID),
    leaderClusterID: short(leaderClusterID),
  }),
};

/** The suffix of a cluster ID, which contains no slash. */
const ofLabels = '/labels';

/** Empty for a value that is not a cluster ID. */
function ownerOf(clusterID: unknown): string {
  return isClusterID(clusterID) ? clusterID : '';
}

/** The metadata that a leader's controllers read or write. */
function reducedMetadata(metadata: KubernetesObject['metadata']): KubernetesObject['metadata'] {
  const { name, namespace, uid, resourceVersion, generation, creationTimestamp, deletionTimestamp } = metadata;
  const annotations: Record<string, string> = {};
  for (const key of read) {
    const value = metadata.annotations?.[key];
    if (value !== undefined && value.length <= longest) annotations[key] = value;
  }
  const finalizers = metadata.finalizers?.slice(0, mostFinalizers);
  return {
    name,
    namespace,
    uid,
    resourceVersion,
    generation,
    creationTimestamp,
    deletionTimestamp,
    finalizers,
    annotations,
  };
}

const read = [
  Annotation.withdrawn,
  Annotation.withdrawals,
  Annotation.touchTs,
  Annotation.marksAt,
  Annotation.restoring,
  Annotation.answered,
  Annotation.leaderClusterSet,
  Annotation.dottedNames,
];
const longest = 253;
const mostFinalizers = 100;

/** Cuts text to a length that no valid name has, so that an invalid name stays invalid. */
function short(text: unknown): string | undefined {
  return typeof text === 'string' ? text.slice(0, 300) : undefined;
}

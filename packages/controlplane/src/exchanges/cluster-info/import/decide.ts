import type { ClusterInfo, ClusterInfoImport, ResourceImport, Verdict, clusterInfoImportStatus } from '@isthmus/api';
import type { Address, Live } from '@isthmus/machinery';
import { contains, parseCidr } from '@isthmus/machinery';
import {
  Annotation,
  Label,
  SourceKind,
  clusterInfoName,
  directProbesText,
  managedByIsthmus,
  mirrored,
  parseDirectProbes,
  usedVirtualPodCIDRs,
  virtualPodCIDRsText,
} from '@isthmus/api';
import {
  dataPlaneOf,
  decodeReason,
  isOurClusterInfoImport,
  leaderAnnotations,
  withoutNetworkAnnotations,
} from '@isthmus/wire';
import { withoutGrant } from '@isthmus/wire';
import type { Grant } from '@isthmus/wire';
import { judgeImport } from '../../../known-clusters/judge-import.ts';
import { withoutTakenGateways } from './taken-gateways.ts';

export interface ClusterInfoImportInput {
  /**
   * The import on the leader. Undefined: the other cluster does not publish its network, or no
   * longer does.
   */
  readonly remote: ResourceImport | undefined;
  /** The object with this name in this cluster, no matter which client created it. */
  readonly current: Live<ClusterInfoImport> | undefined;
  /** The ID of this cluster, whose own network is not imported. Undefined without a session. */
  readonly clusterID: string | undefined;
  /** The Common Area of the session; absent without one. */
  readonly area?: string | undefined;
  /** The Namespace of the member's controller. */
  readonly namespace: string;
  /** What the other cluster may announce here. Default: what the leader publishes of it. */
  readonly grant?: Grant | undefined;
  /** The grants of the administrators of this cluster. Default: none. */
  readonly grantOf?: ((clusterID: string) => Grant) | undefined;
  /** What is imported of other clusters. Default: nothing. */
  readonly others?: readonly ClusterInfoImport[] | undefined;
}

/** The leader's findings about ranges of that cluster, as the condition reports them. */
export type ImportedConflict = Verdict<typeof clusterInfoImportStatus, 'NetworkConflict'> | 'absent';

/** Why a part of a published network, or all of it, is not used. */
export interface LeftOut {
  readonly reason: 'OutsideGrant' | 'GatewayTaken';
  readonly message: string;
}

export type ClusterInfoImportDecision =
  /** `problem`: why nothing of a published network is used. */
  | { readonly kind: 'nothing'; readonly problem?: LeftOut | undefined }
  | { readonly kind: 'withdraw'; readonly object: ClusterInfoImport; readonly problem?: LeftOut | undefined }
  | {
      readonly kind: 'import';
      readonly object: ClusterInfoImport;
      readonly conflict: ImportedConflict;
      /** Why ranges or gateways that are in use are removed; undefined: none are. */
      readonly shrinks: LeftOut | undefined;
    }
  /** Another client created an object of that name: change nothing, and report it. */
  | { readonly kind: 'foreign'; readonly object: ClusterInfoImport };

/**
 * The key of a ResourceImport: its name. Empty for an import that contradicts itself, because it
 * could claim to be any cluster.
 */
export function importKeys({ metadata, spec }: ResourceImport): readonly string[] {
  if (spec?.kind !== SourceKind.clusterInfo) return [];
  const clusterID = spec.clusterinfo?.clusterID ?? '';
  return clusterID !== '' && metadata.name === clusterInfoName(clusterID) ? [metadata.name] : [];
}

/**
 * Decides which network of another cluster is stored in this one: the part of the payload that is
 * granted to that cluster here.
 */
export function decideClusterInfoImport(input: ClusterInfoImportInput): ClusterInfoImportDecision {
  const { remote, current, clusterID, area = '', namespace } = input;
  const payload = remote?.spec?.clusterinfo;
  if (remote === undefined || payload === undefined || payload.clusterID === clusterID) {
    return current !== undefined && isOurClusterInfoImport(current)
      ? { kind: 'withdraw', object: current }
      : { kind: 'nothing' };
  }
  if (current !== undefined && !isOurClusterInfoImport(current)) return { kind: 'foreign', object: current };
  const { network, problem } = usableNetwork(remote, input);
  if (network === undefined)
    return current === undefined ? { kind: 'nothing', problem } : { kind: 'withdraw', object: current, problem };
  const before = current?.metadata ?? { name: remote.metadata.name, namespace };
  const labels = { ...before.labels, [Label.managedBy]: managedByIsthmus };
  const others = withoutNetworkAnnotations(before.annotations);
  const ranges = (network.podCIDRs ?? []).flatMap((text) => parseCidr(text) ?? []);
  const probes = parseDirectProbes(remote.metadata.annotations?.[Annotation.directProbes]);
  const isUsed = (probe: Address) => problem === undefined || ranges.some((range) => contains(range, probe));
  const directProbes = directProbesText(probes.filter(isUsed));
  const dataPlane = dataPlaneOf(remote);
  const virtual = virtualPodCIDRsText(usedVirtualPodCIDRs(remote.metadata, network));
  const annotations = {
    ...leaderAnnotations(others, remote, area),
    ...(dataPlane !== undefined && { [Annotation.dataPlane]: dataPlane }),
    ...(virtual !== '' && { [Annotation.virtualPodCIDRs]: virtual }),
    ...(directProbes !== '' && { [Annotation.directProbes]: directProbes }),
  };
  const object = { ...current, metadata: { ...before, labels, annotations }, spec: network };
  const conflict: ImportedConflict = problem === undefined ? conflictOf(remote) : { status: 'True', ...problem };
  return { kind: 'import', object, conflict, shrinks: lacksPartOf(current, network) ? problem : undefined };
}

/** The part of a published network that is granted here, and does not belong to another cluster. */
function usableNetwork(
  remote: ResourceImport,
  { current, namespace, grant, grantOf = () => withoutGrant, others = [] }: ClusterInfoImportInput,
): { readonly network: ClusterInfo | undefined; readonly problem: LeftOut | undefined } {
  const clusterID = remote.spec?.clusterinfo?.clusterID ?? '';
  const judged = judgeImport({ clusterID, remote, current, grant, namespace });
  const outside = judged.problem === undefined ? undefined : leftOut('OutsideGrant', judged.problem);
  if (judged.network === undefined) return { network: undefined, problem: outside };
  const own = withoutTakenGateways({ clusterID, network: judged.network, current, others, grantOf });
  return {
    network: own.network,
    problem: outside ?? (own.problem === undefined ? undefined : leftOut('GatewayTaken', own.problem)),
  };
}

const leftOut = (reason: LeftOut['reason'], message: string): LeftOut => ({ reason, message });

/** Whether ranges or gateways of the import are not in the network any more. */
function lacksPartOf(current: ClusterInfoImport | undefined, network: ClusterInfo): boolean {
  const kept = new Set(partsOf(network));
  return partsOf(current?.spec ?? {}).some((part) => !kept.has(part));
}

function partsOf({ serviceCIDR = '', podCIDRs = [], gatewayInfos = [] }: ClusterInfo): readonly string[] {
  return [serviceCIDR, ...podCIDRs, ...gatewayInfos.map(({ gatewayIP = '' }) => gatewayIP)];
}

function conflictOf({ metadata }: ResourceImport): ImportedConflict {
  const conflict = decodeReason(metadata.annotations?.[Annotation.networkConflict]);
  if (conflict === undefined) return 'absent';
  return { status: 'True', reason: mirrored(conflict.reason), message: conflict.message };
}

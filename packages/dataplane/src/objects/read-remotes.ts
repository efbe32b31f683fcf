import type { ClusterInfoImport } from '@isthmus/api';
import { Annotation, isIsthmusDataPlane, parseDirectProbes, usedVirtualPodCIDRs } from '@isthmus/api';
import type { VirtualPodCIDR } from '@isthmus/api';
import type { Cidr } from '@isthmus/machinery';
import { byAge, conditionOf, contains, overlaps, parseCidr } from '@isthmus/machinery';
import type { RemoteCluster } from '../desired/cluster-network.ts';
import type { Problem } from './problem.ts';
import { quoted } from './quoted.ts';
import { createGatewayReader } from './remote-gateways.ts';
import type { OwnRanges, TakenRanges } from './taken-ranges.ts';
import { createTakenRanges } from './taken-ranges.ts';

interface OwnSide extends OwnRanges {
  /** Whether packets to other clusters are encrypted. */
  readonly isEncrypted: boolean;
}

/**
 * The most ranges of a cluster. A leader of Isthmus publishes no more; a leader of Antrea publishes
 * all that a cluster announces. Each range is compared with each.
 */
const most = 64;

/** Another cluster, with the known facts about its ClusterIPs. */
export interface ReadRemote extends RemoteCluster {
  /**
   * Its Service CIDR if that is not used, and why, as the end of a sentence. This is a problem only
   * if an endpoint is in it: with Pod IPs as endpoints, Service CIDRs may overlap.
   */
  readonly unusedServiceCIDR?: { readonly cidr: Cidr; readonly why: string } | undefined;
  /** The cluster does not announce which data plane carries its packets. */
  readonly isUnannounced?: boolean | undefined;
}

/**
 * The other clusters, in the order in which they joined: a later cluster takes nothing away from an
 * earlier one. A range that overlaps with a range of this cluster, or of an earlier one, is not
 * used. Pod CIDRs come first: no Service CIDR takes the place of a Pod CIDR.
 */
export function readRemotes(
  imports: readonly ClusterInfoImport[],
  own: OwnSide,
  problems: Problem[],
): readonly ReadRemote[] {
  const taken = createTakenRanges(own);
  const readGateways = createGatewayReader(own);
  const announcers = new Map<string, string>();
  const reportOn =
    ({ metadata: { namespace, name } }: ClusterInfoImport) =>
    (message: string) =>
      void problems.push({ kind: 'ClusterInfoImport', namespace, name, message });
  const remotes = imports.toSorted(byAge).flatMap((object) => {
    const report = reportOn(object);
    const spec = object.spec ?? {};
    const { clusterID = '' } = spec;
    const announcer = announcers.get(clusterID);
    if (clusterID === '' || announcer !== undefined) {
      report(
        clusterID === ''
          ? 'spec.clusterID is empty, so the network of the cluster is not used.'
          : announcedBy(clusterID, announcer),
      );
      return [];
    }
    announcers.set(clusterID, object.metadata.name);
    const first = <T>(all: readonly T[] = [], what: string): readonly T[] => {
      if (all.length > most) report(`Only the first ${most} of the ${what} of cluster ${clusterID} are used.`);
      return all.slice(0, most);
    };
    const podCIDRs = readPodCIDRs(object, first(spec.podCIDRs, 'Pod CIDRs'), { own, taken, report });
    const gatewayInfos = [...first(spec.gatewayInfos, 'gateways')];
    const directProbes = directProbesOf(object, podCIDRs);
    const remote: RemoteCluster = {
      clusterID,
      podCIDRs,
      ...readGateways(clusterID, { gatewayInfos, wireGuard: spec.wireGuard }, report),
      ...(directProbes.length > 0 && { directProbes }),
      ...(isUnreached(object) && { isUnreached: true }),
    };
    return [{ remote, object }];
  });
  return remotes.map(({ remote, object }) => ({
    ...remote,
    ...serviceRange(object, { taken, report: reportOn(object) }),
  }));
}

/**
 * Members of Antrea may announce a cluster several times without a check, and the last announcement
 * would decide about the gateways.
 */
const announcedBy = (clusterID: string, announcer: string | undefined) =>
  `The network of cluster ${clusterID} is not used: ClusterInfoImport ${announcer} announces that cluster already.`;

function readPodCIDRs(
  { metadata, spec = {} }: ClusterInfoImport,
  texts: readonly string[],
  { own, taken, report }: { readonly own: OwnRanges; readonly taken: TakenRanges; report(message: string): void },
): readonly Cidr[] {
  return texts.flatMap((text) => {
    const cidr = parseCidr(text);
    // Pods of both clusters have these addresses, and each cluster knows the other by virtual ones.
    if (cidr !== undefined && isBridged(cidr, own, usedVirtualPodCIDRs(metadata, spec))) return [];
    const problem = cidr === undefined ? 'it is not valid' : taken.problemOf(cidr);
    if (cidr === undefined || problem !== undefined) {
      report(`Pod CIDR ${quoted(text)} of cluster ${spec.clusterID} is not used: ${problem}.`);
      return [];
    }
    taken.take(cidr, `Pod CIDR of cluster ${spec.clusterID}`);
    return [cidr];
  });
}

/** Virtual addresses mean nothing outside of the tunnels. */
function directProbesOf({ metadata, spec = {} }: ClusterInfoImport, podCIDRs: readonly Cidr[]) {
  if (usedVirtualPodCIDRs(metadata, spec).length > 0) return [];
  return parseDirectProbes(metadata.annotations?.[Annotation.directProbes]).filter((address) =>
    podCIDRs.some((cidr) => contains(cidr, address)),
  );
}

/** The controller collects the results of gateways: other Nodes probe no other clusters. */
const isUnreached = ({ status }: ClusterInfoImport) => conditionOf(status?.conditions, 'Reachable')?.status === 'False';

/** Whether a range of another cluster overlaps with own Pods, but virtual ranges represent both. */
function isBridged(cidr: Cidr, own: OwnRanges, virtual: readonly VirtualPodCIDR[]): boolean {
  const overlapping = own.podCIDRs.filter((one) => overlaps(one, cidr));
  return (
    overlapping.length > 0 &&
    overlapping.every((one) => own.virtualCIDRs.some((pair) => contains(pair.own, one))) &&
    virtual.some((pair) => contains(pair.own, cidr))
  );
}

/**
 * The Service CIDR of a cluster, or why it is not used. If it is used, it is added to the taken
 * ranges.
 */
function serviceRange(
  { metadata, spec = {} }: ClusterInfoImport,
  { taken, report }: { readonly taken: TakenRanges; report(message: string): void },
): Pick<ReadRemote, 'serviceCIDR' | 'unusedServiceCIDR' | 'isUnannounced'> {
  const { clusterID, serviceCIDR: text = '' } = spec;
  const cidr = parseCidr(text);
  if (cidr === undefined) {
    if (text !== '') report(`Service CIDR ${quoted(text)} of cluster ${clusterID} is not used: it is not valid.`);
    return {};
  }
  const dataPlane = metadata.annotations?.[Annotation.dataPlane];
  const why =
    dataPlane !== undefined && !isIsthmusDataPlane(dataPlane)
      ? `the data plane of that cluster is ${dataPlane}, which does not exchange packets with agents of Isthmus`
      : taken.problemOf(cidr);
  if (why !== undefined) return { unusedServiceCIDR: { cidr, why } };
  taken.take(cidr, `Service CIDR of cluster ${clusterID}`);
  return { serviceCIDR: cidr, ...(dataPlane === undefined && { isUnannounced: true }) };
}

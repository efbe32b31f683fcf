import type { ClusterInfo, ClusterInfoImport, KnownCluster, ResourceImport } from '@isthmus/api';
import { clusterInfoName, usedVirtualPodCIDRs } from '@isthmus/api';
import type { Source } from '@isthmus/kube';
import { isUnreadable } from '@isthmus/kube';
import type { Family, Cidr } from '@isthmus/machinery';
import { cidrText, parseCidr } from '@isthmus/machinery';
import type { Grant } from '@isthmus/wire';
import { grantFields, isOurClusterInfoImport, isWithdrawn, readGrant } from '@isthmus/wire';
import { grantForImport } from '../../../../known-clusters/import-grant.ts';
import { isWellFormed, judgeImport } from '../../../../known-clusters/judge-import.ts';
import type { LeaderSession } from '../../../../own-cluster/leader-session.ts';
import { rangeSetOf } from '../../../../own-cluster/range-set.ts';
import type { LocalCluster } from '../../local/services.ts';
import type { EndpointRules } from './judge-endpoints.ts';
import { createAcceptedRanges } from './accepted-ranges.ts';
import { createOwnAddresses } from './own-addresses.ts';

/** What each other cluster may have as endpoints. */
export interface EndpointJudge {
  /** Follows what is accepted. It wakes nothing. */
  readonly source: Source;
  /** Whether everything is read that endpoints are compared with. */
  readonly isKnown: boolean;
  /** Call it once for each import: what belongs to this cluster is gathered then. */
  open(): (clusterID: string | undefined) => Omit<EndpointRules, 'isInUse'>;
  /** What is accepted of a cluster, and imported of its network, as a text that changes with it. */
  acceptedText(clusterID: string): string;
  /** Whether the ranges of third clusters decide about its endpoints. */
  isOpen(clusterID: string): boolean;
}

type Accepted = Pick<EndpointRules, 'isRefused' | 'ranges' | 'openFamilies' | 'areGranted'> & {
  readonly text: string;
};

interface Remembered {
  readonly remote: ResourceImport | undefined;
  readonly current: ClusterInfoImport | undefined;
  readonly known: KnownCluster | undefined;
  readonly grants: string;
  readonly accepted: Accepted;
}

/** Judges the endpoints of other clusters by what this cluster accepts of their networks. */
export function createEndpointJudge(local: LocalCluster, session: LeaderSession): EndpointJudge {
  const { grants, knownClusters, clusterInfoImports, ownNodes, namespace } = local;
  const ownedAs = createOwnAddresses(local);
  const others = createAcceptedRanges(local);
  const remembered = new Map<string, Remembered>();
  const accepted = (clusterID: string): Accepted => {
    const name = clusterInfoName(clusterID);
    const found = session.imports.cache.get({ namespace: session.spec.leaderNamespace, name });
    const remote = found === undefined || isWithdrawn(found) || isOther(found, clusterID) ? undefined : found;
    const object = clusterInfoImports.cache.get({ namespace, name });
    const current = object !== undefined && isOurClusterInfoImport(object) ? object : undefined;
    const known = grants.objectOf(clusterID);
    // The other facts that decide about a cluster without a KnownCluster.
    const state = `${grants.areUsed} ${grants.wasDeleted(clusterID)} ${knownClusters.cache.state.kind}`;
    const before = remembered.get(clusterID);
    if (before?.remote === remote && before?.current === current && before?.known === known && before?.grants === state)
      return before.accepted;
    const grant = remote && grantForImport(grants, remote, current);
    const network =
      remote === undefined
        ? current?.spec
        : (judgeImport({ clusterID, remote, current, grant, namespace }).network ?? 'refused');
    const now: Accepted = acceptedOf(network, [remote, current], known && readGrant(known));
    remembered.set(clusterID, { remote, current, known, grants: state, accepted: now });
    return now;
  };
  const isKnown = () => {
    const areGrantsRead =
      knownClusters.cache.synced ||
      !grants.areUsed ||
      !(knownClusters.cache.state.kind === 'listing' || isUnreadable(knownClusters.cache.state));
    const areImportsRead = clusterInfoImports.cache.synced || clusterInfoImports.cache.state.kind !== 'listing';
    return areGrantsRead && areImportsRead && ownNodes.isKnown;
  };
  return {
    source: others.source,
    get isKnown() {
      return isKnown();
    },
    acceptedText(clusterID) {
      const { isRefused, areGranted, openFamilies, text } = accepted(clusterID);
      // What is imported decides about clusters without ranges, and is written a moment later.
      const { spec = {} } = clusterInfoImports.cache.get({ namespace, name: clusterInfoName(clusterID) }) ?? {};
      const imported = [spec.serviceCIDR, ...(spec.podCIDRs ?? [])].join();
      return `${isRefused} ${areGranted} ${openFamilies.join()} ${text} ${imported}`;
    },
    isOpen: (clusterID) => accepted(clusterID).openFamilies.length > 0,
    open() {
      const owned = ownedAs();
      const known = isKnown();
      const merged: Accepted = { isRefused: false, areGranted: false, ...inRanges([]), openFamilies: families };
      return (clusterID) => ({
        clusterID,
        isKnown: known,
        ownedAs: owned,
        ...(clusterID === undefined ? merged : accepted(clusterID)),
        // What an Antrea leader merged may be of any cluster.
        ownerOf: (address) => (clusterID === undefined ? undefined : others.ownerOf(address)),
      });
    },
  };
}

/** An import that contradicts itself could claim to be any cluster. */
function isOther({ spec }: ResourceImport, clusterID: string): boolean {
  return spec?.clusterinfo?.clusterID !== clusterID;
}

/**
 * The ranges in which a cluster may have endpoints: those of its accepted network, and what an
 * administrator named, those of gateways included, which are Nodes. Where no agents of ours
 * translate, Pods have their own addresses, although there are virtual ones.
 */
function acceptedOf(
  network: ClusterInfo | 'refused' | undefined,
  sources: readonly (ResourceImport | ClusterInfoImport | undefined)[],
  grant: Grant | undefined,
): Accepted {
  const isRefused = grant?.state === 'Refused';
  const named = grant?.isByPerson === true ? grantFields.flatMap((field) => grant[field] ?? []) : [];
  const areGranted = grant?.isByPerson === true && grant.pods !== undefined;
  if (network === 'refused') return { isRefused, areGranted, ...inRanges(named), openFamilies: [] };
  const { serviceCIDR = '', podCIDRs = [] } = network !== undefined && isWellFormed(network) ? network : {};
  const cidrsOf = (texts: readonly string[]) => texts.flatMap((text) => parseCidr(text) ?? []);
  const pairs = sources.flatMap((object) =>
    object === undefined ? [] : usedVirtualPodCIDRs(object.metadata, { podCIDRs }),
  );
  const pods = [...cidrsOf(podCIDRs), ...pairs.map(({ own }) => own)];
  const all = [...cidrsOf([serviceCIDR]), ...pods, ...named];
  // A cluster with Pod IPs as endpoints may announce its Service CIDR alone.
  const openFamilies = areGranted ? [] : families.filter((one) => !pods.some(({ family }) => family === one));
  return { isRefused, areGranted, ...inRanges(all), openFamilies };
}

const families: readonly Family[] = ['IPv4', 'IPv6'];

function inRanges(cidrs: readonly Cidr[]): Pick<Accepted, 'ranges' | 'text'> {
  return { ranges: rangeSetOf(cidrs), text: cidrs.map(cidrText).join(' ') };
}

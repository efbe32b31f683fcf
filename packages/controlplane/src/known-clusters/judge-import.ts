import type { ClusterInfo, ClusterInfoImport, ResourceImport } from '@isthmus/api';
import { usedVirtualPodCIDRs } from '@isthmus/api';
import { cidrText, contains, firstNames, parseCidr } from '@isthmus/machinery';
import type { Grant, RangesByField } from '@isthmus/wire';
import { announcedPodCIDRs, grantFields, mostPodCIDRs, withinGrant } from '@isthmus/wire';
import { isCutShort, withOwnPodCIDRs } from './published-network.ts';

export interface JudgedImport {
  /** What this cluster uses of the published network; undefined: nothing. */
  readonly network: ClusterInfo | undefined;
  /** Why a part of it is not used; undefined: all of it is. */
  readonly problem: string | undefined;
}

export interface ImportToJudge {
  readonly clusterID: string;
  readonly remote: ResourceImport;
  /** What is imported of it. */
  readonly current: ClusterInfoImport | undefined;
  /** Undefined: the cluster takes what the leader publishes. */
  readonly grant: Grant | undefined;
  /** The Namespace of the member's controller. */
  readonly namespace: string;
}

/**
 * The part of a published network that is granted to its cluster here. A network that is granted as
 * a whole stays exactly as it is published.
 */
export function judgeImport({ clusterID, remote, current, grant, namespace }: ImportToJudge): JudgedImport {
  const published = remote.spec?.clusterinfo ?? {};
  const announced = announcedIn(remote);
  // The API server of this cluster rejects what is not well-formed.
  if (grant === undefined || announced === undefined) return { network: published, problem: undefined };
  const { network, asked } = withinGrant(announced, grant, current && announcedIn(current));
  const texts = grantFields.flatMap((field) => asked[field]);
  if (texts.length === 0 && !announcedPodCIDRs(announced).isMore && grant.state !== 'Refused')
    return { network: published, problem: undefined };
  const isUsed = grant.state !== 'Refused' && !isCutShort(announced, network);
  return {
    network: isUsed ? withVirtual(network, [remote, ...(current === undefined ? [] : [current])]) : undefined,
    problem: problemOf({ clusterID, texts, isRefused: grant.state === 'Refused', isUsed, namespace }),
  };
}

/**
 * The network as its cluster announces it, with its own Pod CIDRs in place of virtual ones;
 * undefined: there is none that is well-formed.
 */
export function announcedIn(object: ResourceImport | ClusterInfoImport): ClusterInfo | undefined {
  const network = networkIn(object);
  if (network === undefined || !isWellFormed(network)) return undefined;
  return withOwnPodCIDRs(network, usedVirtualPodCIDRs(object.metadata, network));
}

function networkIn({ spec }: ResourceImport | ClusterInfoImport): ClusterInfo | undefined {
  return spec !== undefined && 'clusterinfo' in spec ? spec.clusterinfo : (spec as ClusterInfo | undefined);
}

/** A leader may be hostile, and its API server not ours. */
export function isWellFormed({ serviceCIDR = '', podCIDRs = [], gatewayInfos = [] }: ClusterInfo): boolean {
  const isList = (value: unknown, type: string) =>
    Array.isArray(value) && value.every((item) => item !== null && typeof item === type);
  return typeof serviceCIDR === 'string' && isList(podCIDRs, 'string') && isList(gatewayInfos, 'object');
}

/** The network with the virtual ranges of the Pod CIDRs that are used. */
function withVirtual(network: ClusterInfo, sources: readonly (ResourceImport | ClusterInfoImport)[]): ClusterInfo {
  const { podCIDRs = [] } = network;
  const used = podCIDRs.flatMap((text) => parseCidr(text) ?? []);
  const pairs = sources.flatMap((object) => usedVirtualPodCIDRs(object.metadata, networkIn(object) ?? {}));
  if (pairs.length === 0) return network;
  const reachable = new Set(sources.flatMap((object) => networkIn(object)?.podCIDRs ?? []));
  const ownOnly = new Set(pairs.map(({ own }) => cidrText(own)).filter((text) => !reachable.has(text)));
  const virtual = pairs.flatMap((pair) =>
    used.some((one) => contains(one, pair.own)) ? [cidrText(pair.virtual)] : [],
  );
  return { ...network, podCIDRs: [...new Set([...podCIDRs.filter((text) => !ownOnly.has(text)), ...virtual])] };
}

/** The limit on ranges that a message names. */
const mostNamed = 5;

function problemOf({
  clusterID,
  texts,
  isRefused,
  isUsed,
  namespace,
}: {
  readonly clusterID: string;
  readonly texts: RangesByField[keyof RangesByField];
  readonly isRefused: boolean;
  readonly isUsed: boolean;
  readonly namespace: string;
}): string {
  const command = `kubectl -n ${namespace} describe knowncluster ${clusterID}`;
  if (isRefused) return refusedMessage(clusterID, namespace);
  const what = texts.length === 0 ? `more than ${mostPodCIDRs} Pod CIDRs` : firstNames(texts, mostNamed);
  const rest = isUsed ? 'The rest of its network is used' : `So the network of ${clusterID} is not used`;
  return `Cluster ${clusterID} announces ${what}, which this cluster has not granted to it. ${rest}. The command that accepts it is in: ${command}`;
}

/** Why nothing of a cluster is used. */
export function refusedMessage(clusterID: string, namespace: string): string {
  return `An administrator of this cluster rejects the network of cluster ${clusterID}. The command that accepts it is in: kubectl -n ${namespace} describe knowncluster ${clusterID}`;
}

import type { Address, Family } from '@isthmus/machinery';
import { firstNames, parseAddress } from '@isthmus/machinery';
import type { RangeSet } from '../../../../own-cluster/range-set.ts';

/** What another cluster may have as endpoints. */
export interface EndpointRules {
  /** The cluster; undefined: an Antrea leader merged the endpoints of several. */
  readonly clusterID: string | undefined;
  /** Whether an administrator of this cluster refuses the cluster. */
  readonly isRefused: boolean;
  /**
   * Whether everything is read that endpoints are compared with. Until then, endpoints that are in
   * use stay, and others wait.
   */
  readonly isKnown: boolean;
  readonly ranges: RangeSet;
  /** The families of which it has no accepted Pod CIDR, so that its Pods may be anywhere. */
  readonly openFamilies: readonly Family[];
  /** Another cluster in whose accepted ranges an address is. */
  readonly ownerOf: (address: Address) => string | undefined;
  /** Whether an administrator of this cluster named the ranges: nothing else stays in use. */
  readonly areGranted: boolean;
  /** Why an address belongs to this cluster, as the end of a sentence; undefined: it does not. */
  readonly ownedAs: (address: string) => string | undefined;
  /** Whether the import has this endpoint of that cluster. */
  readonly isInUse: (address: string) => boolean;
}

/** An endpoint that another cluster may not have. */
export interface OutsideEndpoint {
  readonly clusterID: string | undefined;
  readonly address: string;
  /** The end of a sentence. */
  readonly why: string;
  /** What an administrator of this cluster can do. Default: nothing, the exporter is wrong. */
  readonly cure?: Cure | undefined;
}

/** `accept`: use the cluster again. `grant`: name other ranges. */
type Cure = 'accept' | 'grant';

interface Addressed {
  readonly endpoints: readonly { readonly addresses: readonly string[] }[];
  /** The Pods behind ClusterIPs, which agents use in their place. They are judged by themselves. */
  readonly pods?: readonly unknown[] | undefined;
}

/**
 * The endpoints that another cluster may have, and those that it may not. An endpoint is never an
 * address of this cluster, and is in the accepted ranges of its cluster. If that has none of the
 * family, it is in no accepted range of a third cluster. One that is in use and only outside of
 * these ranges stays, and is reported: the ranges of a cluster may be incomplete, and were not
 * compared with endpoints by earlier releases.
 *
 * A ClusterIP outside of the ranges is not reported if it has Pods behind it, and one of the other
 * family is used: a cluster of two families announces one Service CIDR, and its exporter knows.
 */
export function judgeEndpoints<S extends Addressed>(
  slices: readonly S[],
  rules: EndpointRules,
): { readonly slices: readonly S[]; readonly outside: readonly OutsideEndpoint[] } {
  const outside = new Map<string, Omit<OutsideEndpoint, 'clusterID'>>();
  const usedFamilies = new Set<Family | undefined>();
  const withPods = new Set<string>();
  const isAllowed = (address: string, slice: S): boolean => {
    const { why, cure, isUsed } = judge(address, rules);
    if (isUsed) usedFamilies.add(parseAddress(address)?.family);
    if (!isUsed && cure === 'grant' && (slice.pods ?? []).length > 0) withPods.add(address);
    if (why !== undefined) outside.set(address, { address, why, cure });
    return isUsed;
  };
  const judged = slices.flatMap((slice): readonly S[] => {
    const endpoints = slice.endpoints.flatMap((endpoint) => {
      const addresses = endpoint.addresses.filter((address) => isAllowed(address, slice));
      if (addresses.length === endpoint.addresses.length) return [endpoint];
      return addresses.length === 0 ? [] : [{ ...endpoint, addresses }];
    });
    if (endpoints.length === slice.endpoints.length && endpoints.every((one, at) => one === slice.endpoints[at]))
      return [slice];
    return endpoints.length === 0 ? [] : [{ ...slice, endpoints }];
  });
  for (const address of withPods)
    if (usedFamilies.size > 0 && !usedFamilies.has(parseAddress(address)?.family)) outside.delete(address);
  const { clusterID } = rules;
  return { slices: judged, outside: [...outside.values()].map((one) => ({ clusterID, ...one })) };
}

interface JudgedAddress {
  readonly isUsed: boolean;
  readonly why?: string | undefined;
  readonly cure?: Cure | undefined;
}

function judge(text: string, rules: EndpointRules): JudgedAddress {
  const { isRefused, isKnown, ranges, areGranted, ownedAs, isInUse } = rules;
  if (isRefused)
    return { isUsed: false, why: 'is of a cluster that an administrator of this cluster rejects', cure: 'accept' };
  const owned = ownedAs(text);
  if (owned !== undefined) return { isUsed: false, why: owned };
  if (!isKnown) return { isUsed: isInUse(text) };
  const address = parseAddress(text);
  if (address === undefined || ranges.has(address)) return { isUsed: true };
  const why = outsideOf(address, rules);
  if (why === undefined) return { isUsed: true };
  return !areGranted && isInUse(text)
    ? { isUsed: true, why: `${why}, and stays because it is in use`, cure: 'grant' }
    : { isUsed: false, why, cure: 'grant' };
}

/** Why an address that is in no range of its cluster is not accepted; undefined: it is. */
function outsideOf(address: Address, { openFamilies, ownerOf }: EndpointRules): string | undefined {
  if (!openFamilies.includes(address.family)) return 'is not in the accepted Pod and Service CIDRs of its cluster';
  const owner = ownerOf(address);
  return owner && `is in a Pod or Service CIDR of cluster ${owner}`;
}

/** The limit on endpoints that a message names. */
const mostNamed = 3;

/** What is wrong with the endpoints of other clusters, and what to do; undefined: nothing is. */
export function outsideMessage(outside: readonly OutsideEndpoint[], namespace: string): string | undefined {
  const [first] = outside;
  if (first === undefined) return undefined;
  const texts = outside.map(({ clusterID, address, why }) =>
    clusterID === undefined ? `${address} ${why}` : `${address} of cluster ${clusterID} ${why}`,
  );
  return `Endpoints that their cluster may not have: ${firstNames(texts, mostNamed)}. ${cureOf(outside, namespace)}`;
}

function cureOf(outside: readonly OutsideEndpoint[], namespace: string): string {
  const [first] = outside;
  if (first?.clusterID === undefined) return 'Correct the endpoints in the cluster that exports them';
  const { clusterID } = first;
  if (first.cure === 'accept')
    return `To use them again, run in this cluster: kubectl -n ${namespace} patch knowncluster ${clusterID} --type merge -p '{"spec":{"state":"Accepted"}}'`;
  const correct = `Correct them in ${clusterID}`;
  return outside.some(({ cure }) => cure === 'grant')
    ? `${correct}. To accept other ranges as its endpoints, name them in this cluster, in KnownCluster ${clusterID} of Namespace ${namespace}: kubectl explain knowncluster.spec`
    : correct;
}

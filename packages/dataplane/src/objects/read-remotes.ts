import type { ClusterInfoImport, VirtualPodCIDR } from '@isthmus/api';
import { Annotation, isIsthmusDataPlane, parseDirectProbes, publicKeyProblem, usedVirtualPodCIDRs } from '@isthmus/api';
import type { Address, Cidr } from '@isthmus/machinery';
import {
  addressOf,
  addressText,
  byAge,
  cidrText,
  conditionOf,
  contains,
  overlaps,
  parseAddress,
  parseCidr,
  specialUse,
  visibleText,
} from '@isthmus/machinery';
import type { OwnNode, RemoteCluster, VirtualCIDR } from '../desired/cluster-network.ts';
import { tunnelAddresses } from '../desired/tunnel-addresses.ts';
import type { Problem } from './problem.ts';

/** What of this cluster decides about the others: no other one may claim its ranges. */
interface OwnSide {
  readonly nodes: readonly OwnNode[];
  readonly podCIDRs: readonly Cidr[];
  /** By which the others know Pods of this cluster. */
  readonly virtualCIDRs: readonly VirtualCIDR[];
  readonly clusterIPs: ClusterIPs;
  /** Of the API server, wherever it runs: an agent whose way to it is another cluster's would never learn that this is over. */
  readonly apiServers: readonly Address[];
  /** Whether packets to other clusters are encrypted. */
  readonly isEncrypted: boolean;
}

/** The addresses of all Services of this cluster. */
export interface ClusterIPs {
  /** One that is in a range. */
  firstIn(cidr: Cidr): OwnClusterIP | undefined;
}

interface OwnClusterIP {
  readonly address: Address;
  /** Of the Service: `<Namespace>/<name>`. */
  readonly name: string;
}

/** As many as a leader of Isthmus publishes; one of Antrea publishes whatever a cluster announces. Each range is compared with each. */
const most = 64;

/** Another cluster, with what is known of its ClusterIPs. */
export interface ReadRemote extends RemoteCluster {
  /** Its Service CIDR where that is not used, and why, as the end of a sentence. It is no problem as long as no endpoint is in it: with Pod IPs as endpoints, Service CIDRs may overlap. */
  readonly unusedServiceCIDR?: { readonly cidr: Cidr; readonly why: string } | undefined;
  /** It does not announce what carries its packets. */
  readonly isUnannounced?: boolean | undefined;
}

/**
 * The other clusters, the one first that is known for longest: whoever joins later takes nothing away from it, whatever the name. A range that overlaps with one of this cluster, or with one of a cluster before it, is not used. Pod
 * CIDRs come first: no Service CIDR takes the place of one.
 */
export function readRemotes(
  imports: readonly ClusterInfoImport[],
  own: OwnSide,
  problems: Problem[],
): readonly ReadRemote[] {
  const taken: Taken[] = [
    ...own.podCIDRs.map((cidr) => ({ cidr, by: 'Pod CIDR of this cluster' })),
    ...own.virtualCIDRs.map(({ virtual }) => ({ cidr: virtual, by: 'virtual Pod CIDR of this cluster' })),
  ];
  const announcers = new Map<string, string>();
  const keyOwners = new Map<string, string>();
  const gatewayOwners = new Map<string, string>();
  /** Who is at the end of tunnels, by the address that it has inside of them. */
  const ends = new Map(own.nodes.map(({ name, address }) => [tunnelAddresses(address).mac, `Node ${name}`]));
  const remotes = imports
    .toSorted(byAge)
    .flatMap((object): readonly { readonly remote: RemoteCluster; readonly object: ClusterInfoImport }[] => {
      const { clusterID = '', podCIDRs = [], gatewayInfos = [], wireGuard } = object.spec ?? {};
      const { isEncrypted } = own;
      const report = (message: string) =>
        problems.push({
          kind: 'ClusterInfoImport',
          namespace: object.metadata.namespace,
          name: object.metadata.name,
          message,
        });
      if (clusterID === '') {
        report('spec.clusterID is empty, so the network of the cluster is not used.');
        return [];
      }
      // Members of Antrea write them unchecked. Routes to a cluster have one group of gateways, which the last one would decide about.
      const announcer = announcers.get(clusterID);
      if (announcer !== undefined) {
        report(
          `The network of cluster ${clusterID} is not used: ClusterInfoImport ${announcer} announces that cluster already.`,
        );
        return [];
      }
      announcers.set(clusterID, object.metadata.name);
      const first = <T>(all: readonly T[], what: string): readonly T[] => {
        if (all.length > most) report(`Only the first ${most} of the ${what} of cluster ${clusterID} are used.`);
        return all.slice(0, most);
      };
      const ranges = first(podCIDRs, 'Pod CIDRs').flatMap((text) => {
        const cidr = parseCidr(text);
        // Pods of this cluster have these addresses, too, and both clusters know each other by virtual ones.
        if (cidr !== undefined && isBridged(cidr, own, usedVirtualPodCIDRs(object.metadata, object.spec ?? {})))
          return [];
        const problem = cidr === undefined ? 'it is not valid' : rangeProblem(cidr, own, taken);
        if (cidr === undefined || problem !== undefined) {
          report(`Pod CIDR ${quoted(text)} of cluster ${clusterID} is not used: ${problem}.`);
          return [];
        }
        taken.push({ cidr, by: `Pod CIDR of cluster ${clusterID}` });
        return [cidr];
      });
      const publicKeys: Record<string, string> = {};
      /** An address counts once: no group of next hops has a member twice. */
      const listed = new Set<string>();
      const gatewayIPs = first(gatewayInfos, 'gateways').flatMap(({ gatewayIP = '', publicKey }, index) => {
        const address = parseAddress(gatewayIP);
        const wrong = address === undefined ? 'it is not valid' : gatewayProblem(address, own.nodes);
        if (wrong !== undefined)
          report(`The gateway address ${quoted(gatewayIP)} of cluster ${clusterID} is not used: ${wrong}.`);
        if (address === undefined || wrong !== undefined) return [];
        const [end, { mac }] = [addressText(address), tunnelAddresses(address)];
        const gateway = `gateway ${end}`;
        const other = ends.get(mac) ?? gateway;
        if (other !== gateway) {
          report(
            `The gateway address ${end} of cluster ${clusterID} is not used: in tunnels it has the same address as ${other}.`,
          );
          return [];
        }
        ends.set(mac, gateway);
        if (listed.has(end)) return [];
        listed.add(end);
        const owner = gatewayOwners.get(end) ?? clusterID;
        gatewayOwners.set(end, owner);
        // Older members have the key of the first gateway there alone.
        const key = publicKey ?? (index === 0 ? wireGuard?.publicKey : undefined);
        const wrongKey = key === undefined ? undefined : publicKeyProblem(key);
        if (wrongKey !== undefined)
          report(`The key of gateway ${gatewayIP} of cluster ${clusterID} is not used: it ${wrongKey}.`);
        else if (key !== undefined && (keyOwners.get(key) ?? clusterID) !== clusterID)
          report(
            `The key of gateway ${gatewayIP} of cluster ${clusterID} is not used: a gateway of cluster ${keyOwners.get(key)} has it.`,
          );
        else if (key !== undefined && owner !== clusterID)
          report(
            `The key of gateway ${gatewayIP} of cluster ${clusterID} is not used: cluster ${owner} has a gateway with that address.`,
          );
        else if (key !== undefined) {
          keyOwners.set(key, clusterID);
          publicKeys[addressText(address)] = key;
        } else if (isEncrypted)
          report(
            `Gateway ${gatewayIP} of cluster ${clusterID} has no WireGuard public key, so nothing is sent to it: packets between gateways are encrypted in this cluster.`,
          );
        return [address];
      });
      // Virtual addresses mean nothing outside of the tunnels.
      const virtual = usedVirtualPodCIDRs(object.metadata, object.spec ?? {});
      const directProbes = parseDirectProbes(object.metadata.annotations?.[Annotation.directProbes]).filter(
        (address) => virtual.length === 0 && ranges.some((cidr) => contains(cidr, address)),
      );
      const remote = {
        clusterID,
        podCIDRs: ranges,
        gatewayIPs,
        publicKeys,
        ...(directProbes.length > 0 && { directProbes }),
        ...(isUnreached(object) && { isUnreached: true }),
      };
      return [{ remote, object }];
    });
  return remotes.map(({ remote, object }) => ({
    ...remote,
    ...serviceRange(remote, object, { own, taken, problems }),
  }));
}

/** What the gateways of this cluster have found by their probes, put together by its controller: other Nodes send no probes to other clusters. */
const isUnreached = ({ status }: ClusterInfoImport) => conditionOf(status?.conditions, 'Reachable')?.status === 'False';

/** Whether a range of another cluster overlaps with own Pods, and virtual ranges stand for both. */
function isBridged(cidr: Cidr, own: OwnSide, virtual: readonly VirtualPodCIDR[]): boolean {
  const overlapping = own.podCIDRs.filter((one) => overlaps(one, cidr));
  return (
    overlapping.length > 0 &&
    overlapping.every((one) => own.virtualCIDRs.some((pair) => contains(pair.own, one))) &&
    virtual.some((pair) => contains(pair.own, cidr))
  );
}

interface Taken {
  readonly cidr: Cidr;
  readonly by: string;
}

/** What becomes of the Service CIDR of a cluster. One that is used is taken. */
function serviceRange(
  { clusterID }: RemoteCluster,
  { metadata, spec }: ClusterInfoImport,
  { own, taken, problems }: { readonly own: OwnSide; readonly taken: Taken[]; readonly problems: Problem[] },
): Pick<ReadRemote, 'serviceCIDR' | 'unusedServiceCIDR' | 'isUnannounced'> {
  const text = spec?.serviceCIDR ?? '';
  const cidr = parseCidr(text);
  if (cidr === undefined) {
    if (text !== '')
      problems.push({
        kind: 'ClusterInfoImport',
        namespace: metadata.namespace,
        name: metadata.name,
        message: `Service CIDR ${quoted(text)} of cluster ${clusterID} is not used: it is not valid.`,
      });
    return {};
  }
  const dataPlane = metadata.annotations?.[Annotation.dataPlane];
  const why =
    dataPlane !== undefined && !isIsthmusDataPlane(dataPlane)
      ? `the data plane of that cluster is ${dataPlane}, which does not exchange packets with agents of Isthmus`
      : rangeProblem(cidr, own, taken);
  if (why !== undefined) return { unusedServiceCIDR: { cidr, why } };
  taken.push({ cidr, by: `Service CIDR of cluster ${clusterID}` });
  return { serviceCIDR: cidr, ...(dataPlane === undefined && { isUnannounced: true }) };
}

function rangeProblem(
  cidr: Cidr,
  { nodes, clusterIPs, apiServers }: OwnSide,
  taken: readonly Taken[],
): string | undefined {
  const problem = problemOf(cidr, nodes, taken);
  const apiServer = apiServers.find((address) => contains(cidr, address));
  if (problem === undefined && apiServer !== undefined)
    return `it contains ${addressText(apiServer)}, an address of the API server of this cluster`;
  const service = clusterIPs.firstIn(cidr);
  if (problem !== undefined || service === undefined) return problem;
  return `it contains ${addressText(service.address)}, the address of Service ${service.name} of this cluster`;
}

function problemOf(cidr: Cidr, nodes: readonly OwnNode[], taken: readonly Taken[]): string | undefined {
  const special = specialUse(cidr);
  const node = nodes.find(({ address }) => contains(cidr, address));
  if (node !== undefined) return `it contains the address of Node ${node.name}`;
  if (special !== undefined) return `it contains ${special.use} addresses (${special.range})`;
  const other = taken.find((one) => overlaps(one.cidr, cidr));
  return other && `it overlaps with ${cidrText(other.cidr)}, a ${other.by}`;
}

function gatewayProblem(address: Address, nodes: readonly OwnNode[]): string | undefined {
  const special = specialUse(address);
  if (special !== undefined) return `it is ${addressOf(special.use)}`;
  const text = addressText(address);
  const node = nodes.find((one) => addressText(one.address) === text);
  return node && `it is the address of Node ${node.name} of this cluster`;
}

/** A text that any cluster may have written. */
function quoted(text: string): string {
  return visibleText(JSON.stringify(text.length > 64 ? `${text.slice(0, 63)}…` : text));
}

import type { ClusterInfoImport } from '@isthmus/api';
import type { Cidr } from '@isthmus/machinery';
import { cidrText, contains, overlaps, parseAddress, parseCidr } from '@isthmus/machinery';
import type { OwnNode, RemoteCluster } from '../desired/cluster-network.ts';
import type { Problem } from './problem.ts';

/** What no other cluster may claim. */
interface OwnRanges {
  readonly nodes: readonly OwnNode[];
  readonly podCIDRs: readonly Cidr[];
}

/** The other clusters, by cluster ID. A range that overlaps with one of this cluster, or with one of a cluster before it, is not used. */
export function readRemotes(
  imports: readonly ClusterInfoImport[],
  own: OwnRanges,
  problems: Problem[],
): readonly RemoteCluster[] {
  const taken: { readonly cidr: Cidr; readonly by: string }[] = own.podCIDRs.map((cidr) => ({
    cidr,
    by: 'Pod CIDR of this cluster',
  }));
  return imports
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
    .flatMap((object): readonly RemoteCluster[] => {
      const { clusterID = '', podCIDRs = [], gatewayInfos = [] } = object.spec ?? {};
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
      const ranges = podCIDRs.flatMap((text) => {
        const cidr = parseCidr(text);
        const problem = cidr === undefined ? 'it is not valid' : problemOf(cidr, own.nodes, taken);
        if (cidr === undefined || problem !== undefined) {
          report(`Pod CIDR "${text}" of cluster ${clusterID} is not used: ${problem}.`);
          return [];
        }
        taken.push({ cidr, by: `Pod CIDR of cluster ${clusterID}` });
        return [cidr];
      });
      const gatewayIPs = gatewayInfos.flatMap(({ gatewayIP = '' }) => {
        const address = parseAddress(gatewayIP);
        if (address === undefined)
          report(`The gateway address "${gatewayIP}" of cluster ${clusterID} is not valid and is not used.`);
        return address === undefined ? [] : [address];
      });
      return [{ clusterID, podCIDRs: ranges, gatewayIPs }];
    });
}

function problemOf(
  cidr: Cidr,
  nodes: readonly OwnNode[],
  taken: readonly { readonly cidr: Cidr; readonly by: string }[],
): string | undefined {
  const node = nodes.find(({ address }) => contains(cidr, address));
  if (node !== undefined) return `it contains the address of Node ${node.name}`;
  const other = taken.find((one) => overlaps(one.cidr, cidr));
  return other && `it overlaps with ${cidrText(other.cidr)}, a ${other.by}`;
}

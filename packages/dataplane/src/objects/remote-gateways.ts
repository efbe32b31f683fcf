import type { ClusterInfoImport } from '@isthmus/api';
import { publicKeyProblem } from '@isthmus/api';
import type { Address } from '@isthmus/machinery';
import { addressOf, addressText, parseAddress, specialUse } from '@isthmus/machinery';
import type { OwnNode, RemoteCluster } from '../desired/cluster-network.ts';
import { tunnelAddresses } from '../desired/tunnel-addresses.ts';
import { quoted } from './quoted.ts';

type Spec = NonNullable<ClusterInfoImport['spec']>;
type ReadGateways = Required<Pick<RemoteCluster, 'gatewayIPs' | 'publicKeys'>>;

/**
 * Reads the gateways of one cluster after the other. An end of tunnels and a key belong to the
 * first cluster that has them. `report` receives a sentence for each part that is not used.
 */
export function createGatewayReader({
  nodes,
  isEncrypted,
}: {
  readonly nodes: readonly OwnNode[];
  readonly isEncrypted: boolean;
}): (
  clusterID: string,
  announced: Pick<Spec, 'gatewayInfos' | 'wireGuard'>,
  report: (message: string) => void,
) => ReadGateways {
  /** The Node or gateway at each end of tunnels, by its MAC address inside of them. */
  const ends = new Map(nodes.map(({ name, address }) => [tunnelAddresses(address).mac, `Node ${name}`]));
  const owners = new Map<string, string>();
  const keyOwners = new Map<string, string>();

  /** Why a valid key of a gateway is not used; undefined: it is used. */
  function keyConflict(clusterID: string, end: string, key: string): string | undefined {
    const wrong = publicKeyProblem(key);
    if (wrong !== undefined) return `it ${wrong}`;
    const holder = keyOwners.get(key) ?? clusterID;
    if (holder !== clusterID) return `a gateway of cluster ${holder} has it`;
    const owner = owners.get(end) ?? clusterID;
    return owner === clusterID ? undefined : `cluster ${owner} has a gateway with that address`;
  }

  return (clusterID, { gatewayInfos = [], wireGuard }, report) => {
    const publicKeys: Record<string, string> = {};
    /** An address counts once, because a group of next hops cannot have a member twice. */
    const gatewayIPs = new Map<string, Address>();
    gatewayInfos.forEach(({ gatewayIP = '', publicKey }, index) => {
      const address = parseAddress(gatewayIP);
      const wrong = address === undefined ? 'it is not valid' : addressProblem(address, nodes);
      if (address === undefined || wrong !== undefined)
        return report(`The gateway address ${quoted(gatewayIP)} of cluster ${clusterID} is not used: ${wrong}.`);
      const [end, { mac }] = [addressText(address), tunnelAddresses(address)];
      const gateway = `gateway ${end}`;
      const other = ends.get(mac) ?? gateway;
      if (other !== gateway)
        return report(
          `The gateway address ${end} of cluster ${clusterID} is not used: in tunnels it has the same address as ${other}.`,
        );
      ends.set(mac, gateway);
      if (gatewayIPs.has(end)) return undefined;
      gatewayIPs.set(end, address);
      if (!owners.has(end)) owners.set(end, clusterID);
      // Older members announce only the key of their first gateway, in `wireGuard`.
      const key = publicKey ?? (index === 0 ? wireGuard?.publicKey : undefined);
      const conflict = key === undefined ? undefined : keyConflict(clusterID, end, key);
      if (conflict !== undefined)
        return report(`The key of gateway ${gatewayIP} of cluster ${clusterID} is not used: ${conflict}.`);
      if (key !== undefined) {
        keyOwners.set(key, clusterID);
        publicKeys[end] = key;
      } else if (isEncrypted)
        report(
          `Gateway ${gatewayIP} of cluster ${clusterID} has no WireGuard public key, so nothing is sent to it: packets between gateways are encrypted in this cluster.`,
        );
      return undefined;
    });
    return { gatewayIPs: [...gatewayIPs.values()], publicKeys };
  };
}

function addressProblem(address: Address, nodes: readonly OwnNode[]): string | undefined {
  const special = specialUse(address);
  if (special !== undefined) return `it is ${addressOf(special.use)}`;
  const text = addressText(address);
  const node = nodes.find((one) => addressText(one.address) === text);
  return node && `it is the address of Node ${node.name} of this cluster`;
}

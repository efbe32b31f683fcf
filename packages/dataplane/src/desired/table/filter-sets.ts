import type { Address, Cidr, Family } from '@isthmus/machinery';
import { addressText, cidrText } from '@isthmus/machinery';
import type { SetName } from '../../network/chains.ts';
import type { Network, NftSet } from '../../network/network.ts';
import { addressType, digit, keyword } from '../../network/nft-words.ts';
import { fieldText } from '../../network/render-rule.ts';
import type { ClusterNetwork, OwnNode } from '../cluster-network.ts';
import { directRanges } from '../direct-paths.ts';
import { families, ofFamily, ownGateways, ownNode, rangesOf, withoutCovered } from '../own-node.ts';
import { tunnelAddresses } from '../tunnel-addresses.ts';
import { knownRanges, virtualOf } from '../virtual-cidrs.ts';

/** The sets that decide which tunnel packets are accepted, and which addresses are translated. */
export function filterSets(cluster: ClusterNetwork, self: OwnNode): Network['sets'] {
  const { remotes, podCIDRs, virtualCIDRs, settings } = cluster;
  return new Map([
    ...families.map((family) => addressSet(`peers${digit[family]}`, family, tunnelPeers(cluster, self))),
    ...families.flatMap((outer) => families.map((inner) => sources(cluster, self, outer, inner))),
    ...families.map((family) => addressSet(`gateways${digit[family]}`, family, encryptedGateways(cluster, self))),
    ...families.flatMap((family) => [
      cidrSet(`remote${digit[family]}`, family, remotes.flatMap(rangesOf)),
      cidrSet(`own${digit[family]}`, family, podCIDRs),
      ...(settings.findsDirectPaths === true
        ? [cidrSet(`direct${digit[family]}`, family, directRanges(cluster, family))]
        : []),
      cidrSet(
        `known${digit[family]}`,
        family,
        podCIDRs.flatMap((cidr) => knownRanges(cidr, virtualCIDRs)),
      ),
      cidrSet(`passing${digit[family]}`, family, passingRanges(cluster, self)),
    ]),
  ]);
}

/** The sets of the ClusterIPs that other clusters reach. Only gateways need them. */
export function exportedSets(cluster: ClusterNetwork): Network['sets'] {
  const { isGateway } = ownNode(cluster);
  const exported = isGateway ? (cluster.exported ?? []) : [];
  return new Map(families.map((family) => addressSet(`exported${digit[family]}`, family, exported)));
}

/** The gateways of other clusters that must get only encrypted packets. */
function encryptedGateways({ remotes, settings }: ClusterNetwork, self: OwnNode): readonly Address[] {
  if (settings.wireGuardPort === undefined || !self.isGateway) return [];
  return remotes.flatMap(({ gatewayIPs }) => gatewayIPs);
}

/**
 * The destinations of packets that come by one tunnel and leave by another: Pods of other Nodes and
 * other clusters. Only the CNI knows the Pods of a Node without a Pod CIDR, so they are not here.
 */
function passingRanges({ nodes, virtualCIDRs, remotes }: ClusterNetwork, self: OwnNode): readonly Cidr[] {
  const ofNodes = nodes.flatMap(({ name, podCIDRs }) => (name === self.name ? [] : podCIDRs));
  const virtual = ofNodes.flatMap((cidr) => virtualOf(cidr, virtualCIDRs) ?? []);
  return withoutCovered([...ofNodes, ...virtual, ...remotes.flatMap(rangesOf)]);
}

/** The Nodes that may send packets of the tunnels between Nodes of this cluster. */
function tunnelPeers(cluster: ClusterNetwork, self: OwnNode): readonly Address[] {
  const senders = self.isGateway ? cluster.nodes : ownGateways(cluster, self);
  return senders.filter(({ name }) => name !== self.name).map(({ address }) => address);
}

/** Each gateway of another cluster with the sources of the packets that it may send. */
function sources(
  { remotes }: ClusterNetwork,
  { isGateway }: OwnNode,
  outer: Family,
  inner: Family,
): readonly [SetName, NftSet] {
  const elements = !isGateway
    ? []
    : remotes.flatMap((remote) =>
        ofFamily(remote.gatewayIPs, outer).flatMap((gateway) =>
          [...ofFamily(rangesOf(remote), inner), ...ofFamily([probesFrom(gateway)], inner)].map(
            (cidr) => `${addressText(gateway)} . ${numbersOf(cidr)}`,
          ),
        ),
      );
  const type = `typeof ${keyword[outer]} saddr . ${fieldText(`inner ${keyword[inner]} saddr`)}`;
  return [`sources${digit[outer]}${digit[inner]}`, { type, isInterval: true, elements: plainSet(elements) }];
}

const probesFrom = (gateway: Address): Cidr => ({ ...tunnelAddresses(gateway).link, length: 128 });

/** A network as a range of numbers: the form that nft needs for a field that it has no name for. */
function numbersOf({ family, value, length }: Cidr): string {
  const free = BigInt((family === 'IPv4' ? 32 : 128) - length);
  const last = value | ((1n << free) - 1n);
  return value === last ? `0x${value.toString(16)}` : `0x${value.toString(16)}-0x${last.toString(16)}`;
}

function addressSet(name: SetName, family: Family, addresses: readonly Address[]): readonly [SetName, NftSet] {
  const elements = plainSet(ofFamily(addresses, family).map(addressText));
  return [name, { type: `type ${addressType[family]}`, isInterval: false, elements }];
}

function cidrSet(name: SetName, family: Family, cidrs: readonly Cidr[]): readonly [SetName, NftSet] {
  const elements = plainSet(ofFamily(cidrs, family).map(cidrText));
  return [name, { type: `type ${addressType[family]}`, isInterval: true, elements }];
}

const plainSet = (elements: readonly string[]): NftSet['elements'] => new Map(elements.map((element) => [element, '']));

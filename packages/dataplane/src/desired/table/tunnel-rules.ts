import type { ChainName } from '../../network/chains.ts';
import type { Chain } from '../../network/network.ts';
import type { Rule } from '../../network/nft-rule.ts';
import { goTo, is } from '../../network/nft-rule.ts';
import type { ClusterNetwork } from '../cluster-network.ts';
import { gatewayDevice, nodeDevice } from '../devices.ts';

/** The chains of one part of the table, by name. */
export type NamedChains = readonly (readonly [ChainName, Chain])[];

/** The source and destination addresses of probes: those of links. */
export const ofLink = { family: 'IPv6', value: 0xfe80n << 112n, length: 10 } as const;

/**
 * Rules that lead packets of each kind of tunnel to a chain. Each packet of the Node is compared
 * with both devices: a look-up in a set of two takes twice as long as a comparison.
 */
export function ofTunnels(
  end: 'iifname' | 'oifname',
  ofClusters: ChainName,
  ofNodes: ChainName = ofClusters,
): readonly Rule[] {
  return [
    [is(end, gatewayDevice), goTo(ofClusters)],
    [is(end, nodeDevice), goTo(ofNodes)],
  ];
}

/**
 * A Service may lead to the port of tunnels, on this Node or another one, so that packets seem to
 * come from this Node. The filter of tunnel packets saw another port, so chains that packets pass
 * anyway drop them.
 */
export const ofService = ({ settings: { port } }: ClusterNetwork): Rule => [
  is('udp dport', port),
  is('ct status', 'dnat'),
  goTo('translated'),
];

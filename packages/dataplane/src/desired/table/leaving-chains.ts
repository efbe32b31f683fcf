import type { Family } from '@isthmus/machinery';
import type { Rule } from '../../network/nft-rule.ts';
import { clamp, counter, drop, is, isIn, isNot, isNotIn, notrack } from '../../network/nft-rule.ts';
import { digit, keyword } from '../../network/nft-words.ts';
import type { ClusterNetwork, OwnNode } from '../cluster-network.ts';
import { tunnelDevices, wireGuardDevice } from '../devices.ts';
import { identityMarks } from '../identities.ts';
import { families, returnAddress } from '../own-node.ts';
import { knownAs } from '../virtual-cidrs.ts';
import type { NamedChains } from './tunnel-rules.ts';
import { ofLink, ofTunnels } from './tunnel-rules.ts';

/**
 * Drops packets that must be encrypted but would leave in another way, even if the device and its
 * routes are missing.
 */
export function encryptedChains(
  { settings: { port, wireGuardPort } }: ClusterNetwork,
  { isGateway }: OwnNode,
): NamedChains {
  if (wireGuardPort === undefined || !isGateway) return [];
  const rules = families.map((family) => [
    is('udp dport', port),
    isIn(`gateways${digit[family]}`, `${keyword[family]} daddr`),
    isNot('oifname', wireGuardDevice),
    counter,
    drop,
  ]);
  return [['encrypted', rules]];
}

/**
 * Packets that go into tunnels, after all chains that read marks and translate addresses. TCP
 * segments fit the tunnel from the first one on, and the mark becomes the number of the client's
 * labels.
 *
 * A tunnel packet has neither a mark nor a connection. Probes and answers to them are not tracked.
 */
export function leavingChains(cluster: ClusterNetwork, self: OwnNode): NamedChains {
  const { port, carriesLabels = false } = cluster.settings;
  return [
    ['leaving', ofTunnels('oifname', 'into-tunnels')],
    [
      'into-tunnels',
      [
        [{ kind: 'mark', to: 0 }],
        ...(carriesLabels ? identityMarks : []),
        ...families.flatMap((family) => errorSource(cluster, self, family)),
        [{ kind: 'flags', among: ['syn', 'rst'], set: ['syn'] }, clamp],
      ],
    ],
    [
      'sent',
      [
        [is('udp dport', port), { kind: 'mark', to: 0 }, notrack],
        [is('ip6 daddr', ofLink), is('oifname', tunnelDevices), notrack],
      ],
    ],
  ];
}

/**
 * An ICMP error about a packet of a Pod may come from any router on its path, such as this Node.
 * Other clusters drop a source that is not theirs to know, so the error gets the return address of
 * this Node. Without a Pod CIDR of its own, it gets the first address of the cluster's. Nothing
 * answers an error, so the address need not lead here.
 *
 * Gateways do not track the packets that errors are about, so this needs no connection.
 */
function errorSource({ podCIDRs, virtualCIDRs }: ClusterNetwork, self: OwnNode, family: Family): readonly Rule[] {
  const source = returnAddress(self, family) ?? returnAddress({ podCIDRs }, family);
  if (source === undefined) return [];
  const ip = keyword[family];
  const errors =
    family === 'IPv4'
      ? is('icmp type', ['destination-unreachable', 'time-exceeded', 'parameter-problem'])
      : is('icmpv6 type', ['destination-unreachable', 'packet-too-big', 'time-exceeded', 'parameter-problem']);
  return [
    [
      errors,
      // Between links, errors are about probes.
      ...(family === 'IPv4' ? [] : [isNot('ip6 daddr', ofLink)]),
      ...(['known', 'remote'] as const).map((set) => isNotIn(`${set}${digit[family]}`, `${ip} saddr`)),
      counter,
      { kind: 'source', to: knownAs(source, virtualCIDRs) },
    ],
  ];
}

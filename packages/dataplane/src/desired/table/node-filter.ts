import type { Rule } from '../../network/nft-rule.ts';
import { accept, counter, drop, goTo, is, isIn } from '../../network/nft-rule.ts';
import { digit, keyword } from '../../network/nft-words.ts';
import type { ClusterNetwork } from '../cluster-network.ts';
import { gatewayDevice, nodeDevice } from '../devices.ts';
import { families } from '../own-node.ts';
import type { NamedChains } from './tunnel-rules.ts';
import { ofLink, ofService, ofTunnels } from './tunnel-rules.ts';

/**
 * A Node may have addresses among those of its Pods, as that of a bridge, and every program of it
 * listens there. It accepts from other clusters the answers to its own connections, and connections
 * to exported Services whose endpoints are in its network.
 *
 * The link addresses of tunnels send probes, answers to them, and errors about packets of Pods.
 */
export function toNodeChains(cluster: ClusterNetwork): NamedChains {
  const { port } = cluster.settings;
  return [
    ['received', [ofService(cluster), ...ofTunnels('iifname', 'to-node')]],
    [
      'to-node',
      [
        // They are in a tunnel themselves, and the filter of tunnel packets has not seen them.
        [is('udp dport', port), counter, drop],
        [is('ip6 saddr', ofLink), goTo('probes')],
        [is('ct state', ['established', 'related']), accept],
        ...families.map((family): Rule => [
          isIn(`exported${digit[family]}`, `ct original ${keyword[family]} daddr`),
          accept,
        ]),
        [counter, drop],
      ],
    ],
    [
      'probes',
      [
        [is('tcp dport', port), accept],
        [is('tcp sport', port), { kind: 'flags', among: ['rst'], set: ['rst'] }, accept],
        [
          is('icmpv6 type', ['destination-unreachable', 'packet-too-big', 'time-exceeded', 'parameter-problem']),
          accept,
        ],
        [counter, drop],
      ],
    ],
  ];
}

/**
 * A cluster never forwards traffic between two other clusters, and a packet from a tunnel of Nodes
 * is not sent back into one. Packets that kube-proxy has not translated, because the Service has no
 * such port or no endpoint, would leave by the default route: the client gets an error instead.
 */
export function forwardedChains(cluster: ClusterNetwork): NamedChains {
  return [
    ['forwarded', [ofService(cluster), ...ofTunnels('iifname', 'forwarded-in', 'forwarded-out')]],
    [
      'forwarded-in',
      [
        [is('oifname', gatewayDevice), counter, drop],
        ...families.map((family) => [
          isIn(`exported${digit[family]}`, `${keyword[family]} daddr`),
          goTo('without-endpoints'),
        ]),
      ],
    ],
    ['forwarded-out', [[is('oifname', nodeDevice), counter, drop]]],
  ];
}

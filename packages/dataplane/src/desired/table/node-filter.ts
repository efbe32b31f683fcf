import type { Rule } from '../../network/nft-rule.ts';
import { accept, counter, drop, goTo, is, isIn } from '../../network/nft-rule.ts';
import { digit, keyword } from '../../network/nft-words.ts';
import type { ClusterNetwork } from '../cluster-network.ts';
import { gatewayDevice, nodeDevice, sizeProbePort } from '../devices.ts';
import { families } from '../own-node.ts';
import type { NamedChains } from './tunnel-rules.ts';
import { ofLink, ofService, ofTunnels } from './tunnel-rules.ts';

/**
 * A Node may have an address in the range of its Pods, for example that of a bridge, and every
 * program of the Node listens there. From other clusters the Node accepts answers to its own
 * connections. It also accepts connections to exported Services whose endpoints are in its network.
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
        // They came inside a tunnel, so the filter of tunnel packets has not seen them.
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
        [is('udp dport', sizeProbePort), accept],
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
 * A cluster never forwards traffic between two other clusters. A packet from a tunnel of Nodes
 * never goes back into a tunnel of Nodes. kube-proxy does not translate packets if the Service
 * lacks the port or has no endpoint. They would leave by the default route, so the client gets an
 * error instead.
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

import type { Rule } from '../../network/nft-rule.ts';
import { counter, drop, goTo, is, isIn, isNot, isNotIn, notrack } from '../../network/nft-rule.ts';
import { digit, keyword } from '../../network/nft-words.ts';
import type { ClusterNetwork } from '../cluster-network.ts';
import { gatewayVNI, nodeVNI, wireGuardDevice } from '../devices.ts';
import { moveIdentity } from '../identities.ts';
import { families } from '../own-node.ts';
import type { NamedChains } from './tunnel-rules.ts';
import { ofLink, ofTunnels } from './tunnel-rules.ts';

/**
 * Tunnel packets are dropped if they are not from peers, or have sources that the other cluster
 * does not have. A tunnel needs no entry of connection tracking: only the connections inside are
 * tracked.
 */
export function tunnelChains({ settings }: ClusterNetwork): NamedChains {
  const { port, wireGuardPort, carriesLabels = false } = settings;
  const through = wireGuardPort === undefined ? [] : [is('iifname', wireGuardDevice)];
  const accepted = families.flatMap((outer): readonly Rule[] => [
    [is('inner network', nodeVNI), isIn(`peers${digit[outer]}`, `${keyword[outer]} saddr`), goTo('tunnel-accepted')],
    ...families.map((inner): Rule => [
      ...through,
      is('inner network', gatewayVNI),
      is('inner family', inner),
      isIn(`sources${digit[outer]}${digit[inner]}`, `${keyword[outer]} saddr`, `inner ${keyword[inner]} saddr`),
      goTo('tunnel-accepted'),
    ]),
  ]);
  return [
    ['tunnel-packets', [fromPod(settings), ...accepted, [is('udp dport', port), counter, drop]]],
    ['tunnel-accepted', [[notrack], ...(carriesLabels ? [moveIdentity] : [])]],
    ['translated', [[counter, drop]]],
  ];
}

/**
 * A Pod that may open raw sockets can forge the address of a peer, and few Nodes check sources. The
 * route to a peer never leads to the device of a Pod.
 *
 * Devices of other kinds are not checked: a Node with several networks may receive packets by
 * another device than it sends by. The device with the address of the Node is not checked either.
 * It is a veth if the Node is a container, and the route look-up is the slowest part here.
 */
const fromPod = ({ underlayDevice }: ClusterNetwork['settings']): Rule => [
  ...(underlayDevice === undefined ? [] : [isNot('iifname', underlayDevice)]),
  is('meta iifkind', ['bridge', 'netkit', 'openvswitch', 'veth']),
  is('fib saddr . iif oif', 'missing'),
  counter,
  drop,
];

/**
 * Other clusters reach the Pods of this one, and the Services that it exports. They do not reach
 * its Nodes or networks behind them.
 *
 * Packets that pass from one tunnel to another are not tracked, and neither are probes. The Pods
 * and the return address of this Node are ends of connections. Exported Services are translated
 * here.
 *
 * Without Pod CIDRs, the route shows which packets the CNI carries to other Nodes. If those were
 * tracked, only half of each connection would be seen, and the rest would count as invalid.
 *
 * A mark that another program gave to the tunnel packet would remain on the packet inside.
 */
export function arrivingChains({ settings: { port, nodeDevices = [] } }: ClusterNetwork): NamedChains {
  const carried = nodeDevices.length === 0 ? [] : families;
  return [
    [
      'arriving',
      // A tunnel packet inside a tunnel is for a Pod. `to-node` drops those that are for this Node.
      [...ofTunnels('iifname', 'from-clusters', 'from-tunnels'), [is('udp dport', port), goTo('tunnel-packets')]],
    ],
    [
      'from-clusters',
      [
        [isNotIn('known4', 'ip daddr'), isNotIn('exported4', 'ip daddr'), counter, drop],
        [is('ip6 daddr', ofLink), isNot('ip6 saddr', ofLink), counter, drop],
        [isNot('ip6 daddr', ofLink), isNotIn('known6', 'ip6 daddr'), isNotIn('exported6', 'ip6 daddr'), counter, drop],
        [goTo('from-tunnels')],
      ],
    ],
    [
      'from-tunnels',
      [
        [{ kind: 'mark', to: 0 }],
        ...families.map((family) => [isIn(`passing${digit[family]}`, `${keyword[family]} daddr`), counter, notrack]),
        [is('ip6 daddr', ofLink), counter, notrack],
        ...carried.map((family) => [
          isNotIn(`exported${digit[family]}`, `${keyword[family]} daddr`),
          is('fib daddr oifname', nodeDevices),
          counter,
          notrack,
        ]),
      ],
    ],
  ];
}

import { clamp, counter, drop, is, isIn, isNot, notrack } from '../../network/nft-rule.ts';
import { digit, keyword } from '../../network/nft-words.ts';
import type { ClusterNetwork, OwnNode } from '../cluster-network.ts';
import { tunnelDevices, wireGuardDevice } from '../devices.ts';
import { identityMarks } from '../identities.ts';
import { families } from '../own-node.ts';
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
export function leavingChains({ settings: { port, carriesLabels = false } }: ClusterNetwork): NamedChains {
  return [
    ['leaving', ofTunnels('oifname', 'into-tunnels')],
    [
      'into-tunnels',
      [
        [{ kind: 'mark', to: 0 }],
        ...(carriesLabels ? identityMarks : []),
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

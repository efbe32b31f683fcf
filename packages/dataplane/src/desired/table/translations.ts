import type { Chain } from '../../network/network.ts';
import type { Rule } from '../../network/nft-rule.ts';
import { counter, drop, is, isIn, isNotIn, masquerade } from '../../network/nft-rule.ts';
import { digit, keyword } from '../../network/nft-words.ts';
import type { ClusterNetwork, OwnNode } from '../cluster-network.ts';
import { nodeDevice, tunnelDevices } from '../devices.ts';
import { directSources } from '../direct-paths.ts';
import { families, returnAddress } from '../own-node.ts';
import { knownAs, virtualOf } from '../virtual-cidrs.ts';

/**
 * Translates packets from other clusters to virtual addresses of Pods of this Node. The Node of the
 * Pod translates, because it also sees the answers.
 */
export function virtualArrivingChain({ virtualCIDRs }: ClusterNetwork, self: OwnNode): Chain {
  return self.podCIDRs.flatMap((cidr): Chain => {
    const { family } = cidr;
    const virtual = virtualOf(cidr, virtualCIDRs);
    if (virtual === undefined) return [];
    const ofVirtual = is(`${keyword[family]} daddr`, virtual);
    return [[is('iifname', tunnelDevices), ofVirtual, counter, { kind: 'dnat', family, to: cidr }]];
  });
}

/**
 * A Node may have an address in the range of its Pods, for example that of a bridge. kube-proxy
 * treats a new connection to this address as a connection to a NodePort. It would lead to any
 * Service before `to-node` sees it.
 */
export const toNodePortsChain: Chain = families.map((family) => [
  is('iifname', tunnelDevices),
  isNotIn(`exported${digit[family]}`, `${keyword[family]} daddr`),
  is('fib daddr type', 'local'),
  counter,
  drop,
]);

/**
 * Sources that are Pods of this cluster are kept, even if the CNI would replace them. Others become
 * an address by which the other cluster finds this Node. Other clusters see virtual addresses, if
 * there are any.
 *
 * A Pod that is its own endpoint sees the Node as the client. Otherwise its answers to itself would
 * bypass the translation.
 *
 * kube-proxy leads clients of other clusters from an exported Service to an endpoint. These clients
 * get an address of this Node, so that answers find the translation. Into a tunnel it is the return
 * address, for strict reverse path filters. Elsewhere it is the address of the device.
 */
export function sourceChain(cluster: ClusterNetwork, self: OwnNode): Chain {
  const { virtualCIDRs = [] } = cluster;
  return families.flatMap((family): Chain => {
    const [ip, n, back] = [keyword[family], digit[family], returnAddress(self, family)];
    const toExported = [isIn(`remote${n}`, `ct original ${ip} saddr`), isIn(`exported${n}`, `ct original ${ip} daddr`)];
    const leaves = [is('oifname', tunnelDevices), isIn(`remote${n}`, `${ip} daddr`)];
    return [
      ...directSources(cluster, self, family),
      ...virtualCIDRs
        .filter(({ own }) => own.family === family)
        .map(({ own, virtual }): Rule => [...leaves, is(`${ip} saddr`, own), { kind: 'snat', family, to: virtual }]),
      [...leaves, isIn(`own${n}`, `${ip} saddr`), { kind: 'snat', family, to: 'same' }],
      ...(back === undefined
        ? []
        : [[...leaves, counter, { kind: 'snat', family, to: knownAs(back, virtualCIDRs) } as const]]),
      [isIn(`hairpin${n}`, `${ip} saddr`, `${ip} daddr`), masquerade],
      ...(back === undefined
        ? []
        : [[...toExported, is('oifname', nodeDevice), counter, { kind: 'snat', family, to: back } as const]]),
      [...toExported, counter, masquerade],
    ];
  });
}

import type { ChainName } from '../../network/chains.ts';
import type { Chain, Network } from '../../network/network.ts';
import { counter, is, reject, vmap } from '../../network/nft-rule.ts';
import { digit, keyword } from '../../network/nft-words.ts';
import { arrivingChains, tunnelChains } from './arriving-chains.ts';
import type { ClusterNetwork } from '../cluster-network.ts';
import { directQuestions } from '../direct-paths.ts';
import { filterSets } from './filter-sets.ts';
import { encryptedChains, leavingChains } from './leaving-chains.ts';
import { forwardedChains, toNodeChains } from './node-filter.ts';
import { families, ownNode } from '../own-node.ts';
import { sourceChain, toNodePortsChain, virtualArrivingChain } from './translations.ts';

/**
 * The nft table without imported Services: the tunnel packets that are accepted, the addresses that
 * are translated, and the packets that are never tracked.
 *
 * Connections are translated on the Node of the client, and tracked there and on the Node of the
 * server. Gateways do not track packets that pass through, so each packet may take another gateway.
 *
 * The exception is a connection from another cluster to the ClusterIP of an exported Service. The
 * gateway that receives it tracks it, and kube-proxy translates it there. Its source becomes an
 * address of that gateway, so that the answers come back to it.
 */
export function filterTable(cluster: ClusterNetwork): Pick<Network, 'sets' | 'chains'> {
  const self = ownNode(cluster);
  return {
    sets: filterSets(cluster, self),
    chains: new Map<ChainName, Chain>([
      ...tunnelChains(cluster),
      ...arrivingChains(cluster),
      ...toNodeChains(cluster),
      ...encryptedChains(cluster, self),
      ...forwardedChains(cluster),
      ...leavingChains(cluster, self),
      [
        'without-endpoints',
        [
          [is('meta l4proto', 'tcp'), counter, reject('tcp reset')],
          [counter, reject('icmpx port-unreachable')],
        ],
      ],
      ['services-forwarded', translation],
      ['services-local', translation],
      ['virtual-arriving', virtualArrivingChain(cluster, self)],
      ['to-node-ports', toNodePortsChain],
      ['source', sourceChain(cluster, self)],
      ...directQuestions(cluster, self).chains,
    ]),
  };
}

/**
 * New connections to Services. Those to Services without endpoints end here. Connections that have
 * begun were translated while there were endpoints.
 */
const translation: Chain = (['refused', 'services'] as const).flatMap((map) =>
  families.map((family) => [vmap(`${map}${digit[family]}`, `${keyword[family]} daddr`, 'meta l4proto', 'th dport')]),
);

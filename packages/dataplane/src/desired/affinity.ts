import { addressText } from '@isthmus/machinery';
import type { ChainName, SetName } from '../network/chains.ts';
import type { Chain, Network } from '../network/network.ts';
import { goTo, isIn } from '../network/nft-rule.ts';
import { addressType, keyword } from '../network/nft-words.ts';
import type { ImportedService, ServiceEndpoint } from './cluster-network.ts';
import type { Share } from './endpoint-choice.ts';
import { translationTo } from './endpoint-choice.ts';

/** The part of the table for one port of a Service with affinity. */
interface AffinityRules extends Pick<Network, 'chains' | 'sets'> {
  /** The rules of the chain of the Service. */
  readonly rules: Chain;
}

/** Whether the elements of a set are clients that keep an endpoint. */
export const isAffinitySet = (name: string): name is `affinity/${string}` => name.startsWith('affinity/');

/**
 * Each endpoint has a set of its clients, as in kube-proxy. The kernel adds a client to the set of
 * its endpoint, and removes it `seconds` after its last connection. When an endpoint is removed,
 * its set is removed, so its clients choose again. The timeout is in the rules, so another timeout
 * does not change the sets.
 */
export function affinityRules(
  service: Pick<ImportedService, 'address' | 'protocol'>,
  { name, seconds, shares }: { readonly name: string; readonly seconds: number; readonly shares: readonly Share[] },
): AffinityRules {
  const { family } = service.address;
  const source = `${keyword[family]} saddr` as const;
  const each = shares.map((share) => {
    const place = `${name}/${endpointName(share.endpoint)}`;
    return { share, set: `affinity/${place}` satisfies SetName, chain: `endpoint/${place}` satisfies ChainName };
  });
  return {
    rules: [
      ...each.map(({ set, chain }) => [isIn(set, source), goTo(chain)]),
      [{ kind: 'spread', shares: each.map(({ share: { from, until }, chain }) => ({ from, until, chain })) }],
    ],
    chains: new Map(
      each.map(({ share, set, chain }) => [
        chain,
        [[{ kind: 'update', set, field: source, seconds }], translationTo(service, share.endpoint)],
      ]),
    ),
    sets: new Map(
      each.map(({ set }) => [
        set,
        { type: `type ${addressType[family]}`, isInterval: false, isDynamic: true, elements: new Map() },
      ]),
    ),
  };
}

/** The endpoint in the form of a name of nft. A colon would end the name. */
const endpointName = ({ address, port }: ServiceEndpoint) => `${addressText(address).replaceAll(':', '.')}/${port}`;

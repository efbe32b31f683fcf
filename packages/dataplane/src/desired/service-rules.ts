import type { Cidr, Family } from '@isthmus/machinery';
import { addressText, contains } from '@isthmus/machinery';
import type { Chain, Network, NftSet } from '../network/network.ts';
import type { ImportedService } from './cluster-network.ts';
import { endpointChoice } from './endpoint-choice.ts';
import { addressType, digit } from './nft-words.ts';
import { families } from './own-node.ts';

/** What one port of an imported Service adds to the nft table. */
export interface ServiceRules {
  readonly family: Family;
  readonly chainName: string;
  readonly chain: Chain;
  /** Of the map from addresses to chains. */
  readonly entry: readonly [element: string, verdict: string];
  /** Its endpoints in this cluster: each with itself, which is how a connection of a Pod to itself looks. */
  readonly hairpins: readonly string[];
}

/** The name of its chain; it is also what tells it from the others. */
export function chainName({ namespace, name, protocol, address, port }: ImportedService): string {
  return `import/${namespace}/${name}/${protocol.toLowerCase()}/${port}/${digit[address.family]}`;
}

export function serviceRules(service: ImportedService, podCIDRs: readonly Cidr[]): ServiceRules {
  const { address, protocol, port, endpoints } = service;
  const name = chainName(service);
  return {
    family: address.family,
    chainName: name,
    chain: { rules: [endpointChoice(service)] },
    entry: [`${addressText(address)} . ${protocol.toLowerCase()} . ${port}`, `goto ${name}`],
    hairpins: endpoints
      .filter((one) => podCIDRs.some((cidr) => contains(cidr, one.address)))
      .map((one) => `${addressText(one.address)} . ${addressText(one.address)}`),
  };
}

/** The network with what imported Services add. */
export function withServices(network: Network, rules: readonly ServiceRules[]): Network {
  const sets = new Map<string, NftSet>(network.sets);
  for (const family of families) {
    const own = rules.filter((one) => one.family === family);
    const type = addressType[family];
    sets.set(`services${digit[family]}`, {
      type: `type ${type} . inet_proto . inet_service : verdict`,
      isInterval: false,
      elements: new Map(own.map(({ entry }) => entry)),
    });
    sets.set(`hairpin${digit[family]}`, {
      type: `type ${type} . ${type}`,
      isInterval: false,
      elements: new Map(own.flatMap(({ hairpins }) => hairpins.map((pair) => [pair, ''] as const))),
    });
  }
  const chains = new Map([...network.chains, ...rules.map((one) => [one.chainName, one.chain] as const)]);
  return { ...network, sets, chains };
}

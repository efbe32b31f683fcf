import type { Cidr, Family } from '@isthmus/machinery';
import { addressText, contains } from '@isthmus/machinery';
import type { ChainName } from '../network/chains.ts';
import type { ElementValue, Network } from '../network/network.ts';
import { digit } from '../network/nft-words.ts';
import { affinityRules } from './affinity.ts';
import type { ImportedService, OwnNode } from './cluster-network.ts';
import { endpointChoice, sharesOf } from './endpoint-choice.ts';
import { usableEndpoints } from './usable-endpoints.ts';

/** The part of the nft table for one port of an imported Service. */
export interface ServiceRules extends Pick<Network, 'chains' | 'sets'> {
  readonly family: Family;
  /** The map that its address is in. */
  readonly map: 'services' | 'refused';
  /** The entry of that map: what happens to packets to its address. */
  readonly entry: readonly [element: string, verdict: ElementValue];
  /**
   * Its endpoints in this cluster, each as a pair with itself. A connection of a Pod to itself has
   * this pair as source and destination.
   */
  readonly hairpins: readonly string[];
}

/** The name of its chain, which also identifies the port. */
function chainName(service: ImportedService): ChainName {
  return `import/${portName(service)}`;
}

const portName = ({ namespace, name, protocol, address, port }: ImportedService) =>
  `${namespace}/${name}/${protocol.toLowerCase()}/${port}/${digit[address.family]}`;

/** The element for a port of a Service in a map of nft. */
export const serviceElement = ({ address, protocol, port }: ImportedService): string =>
  `${addressText(address)} . ${protocol.toLowerCase()} . ${port}`;

/**
 * The rules of a port of a Service on a Node of a cluster with these Pod CIDRs. `unreached`: see
 * {@link usableEndpoints}.
 */
export function serviceRules(
  service: ImportedService,
  node: OwnNode,
  { podCIDRs, unreached }: { readonly podCIDRs: readonly Cidr[]; readonly unreached: ReadonlySet<string> },
): ServiceRules {
  const { address, affinitySeconds } = service;
  const element = serviceElement(service);
  const endpoints = usableEndpoints(service, node, unreached);
  const none: Omit<ServiceRules, 'map' | 'entry'> = {
    family: address.family,
    chains: new Map(),
    sets: new Map(),
    hairpins: [],
  };
  if (endpoints === 'drop') return { ...none, map: 'refused', entry: [element, 'drop'] };
  if (endpoints === 'reject') return { ...none, map: 'refused', entry: [element, 'goto without-endpoints'] };
  const name = chainName(service);
  const shares = sharesOf(endpoints, service.clusterWeights);
  const { rules, chains, sets } =
    affinitySeconds === undefined
      ? { rules: [endpointChoice(service, shares)], chains: none.chains, sets: none.sets }
      : affinityRules(service, { name: portName(service), seconds: affinitySeconds, shares });
  return {
    family: address.family,
    chains: new Map([[name, rules], ...chains]),
    sets,
    map: 'services',
    entry: [element, `goto ${name}`],
    hairpins: endpoints
      .filter((one) => podCIDRs.some((cidr) => contains(cidr, one.address)))
      .map((one) => `${addressText(one.address)} . ${addressText(one.address)}`),
  };
}

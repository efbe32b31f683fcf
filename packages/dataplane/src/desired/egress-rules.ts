import { addressText } from '@isthmus/machinery';
import type { Family } from '@isthmus/machinery';
import type { ChainName, SetName } from '../network/chains.ts';
import type { Chain, Network, NftSet } from '../network/network.ts';
import { accept, counter, drop, is, isNot, reject, vmap } from '../network/nft-rule.ts';
import { addressType, digit, keyword } from '../network/nft-words.ts';
import type { ClusterNetwork, EgressClass, ImportedService } from './cluster-network.ts';
import { families } from './own-node.ts';
import { serviceElement } from './service-rules.ts';

/**
 * The chains that enforce policies, on the Node of the client. New connections are judged by the
 * address of the Service, before it is translated. A policy is therefore about the Service,
 * whatever its endpoints are.
 */
export function egressChains({ egress = [] }: ClusterNetwork): Network['chains'] {
  return new Map<ChainName, Chain>([
    ['egress-dropped', [[counter, drop]]],
    [
      'egress-rejected',
      [
        [is('meta l4proto', 'tcp'), counter, reject('tcp reset')],
        [counter, reject('icmpx admin-prohibited')],
      ],
    ],
    ...egress.flatMap(({ name, addresses }): readonly [ChainName, Chain][] =>
      addresses === 'node' ? [] : [[chainOf(name), lookUp(name)]],
    ),
    // Without policies no packet passes these chains.
    ...(egress.length === 0 ? [] : judgingChains),
  ]);
}

/** Connections that have begun continue. */
const isKnown = [isNot('ct state', 'new'), accept];

/** The sets of the clients of each class, and of the Services that are denied to them. */
export function egressSets({ egress = [], services }: ClusterNetwork): Network['sets'] {
  const byName = egress.length === 0 ? new Map<string, ImportedService[]>() : Map.groupBy(services, nameOf);
  const ofNode = egress.filter(({ addresses }) => addresses === 'node');
  return new Map([
    ...families.map((family): [SetName, NftSet] => [
      `egress-clients${digit[family]}`,
      {
        type: `type ${addressType[family]} : verdict`,
        isInterval: false,
        elements: new Map(
          egress.flatMap(({ name, addresses }) =>
            (addresses === 'node' ? [] : addresses)
              .filter((address) => address.family === family)
              .map((address) => [addressText(address), `goto ${chainOf(name)}`] as const),
          ),
        ),
      },
    ]),
    ...egress.flatMap((one) => (one.addresses === 'node' ? [] : denials(one.name, [one], byName))),
    ...denials(nodeName, ofNode, byName),
  ]);
}

/** The ports of Services that are denied to any class. */
export function deniedPorts({ egress = [], services }: ClusterNetwork): readonly ImportedService[] {
  const named = new Set(egress.flatMap(({ denied }) => Object.keys(denied)));
  return named.size === 0 ? [] : services.filter((service) => named.has(nameOf(service)));
}

/** A class of Pods never has this name: the names of those are hashes. */
const nodeName = 'node';
const chainOf = (name: string) => `egress/${name}` as const;
const nameOf = ({ namespace, name }: ImportedService) => `${namespace}/${name}`;
const setOf = (name: string, family: Family) => `denied/${name}/${digit[family]}` as const;

function lookUp(name: string): Chain {
  return families.map((family) => [vmap(setOf(name, family), `${keyword[family]} daddr`, 'meta l4proto', 'th dport')]);
}

const judgingChains: readonly (readonly [ChainName, Chain])[] = [
  [
    'new-forwarded',
    [isKnown, ...families.map((family) => [vmap(`egress-clients${digit[family]}`, `${keyword[family]} saddr`)])],
  ],
  ['new-local', [isKnown, ...lookUp(nodeName)]],
];

/** The ports of the denied Services, and what happens to connections to them. */
function denials(
  name: string,
  classes: readonly EgressClass[],
  byName: ReadonlyMap<string, readonly ImportedService[]>,
): readonly [SetName, NftSet][] {
  const ports = classes.flatMap(({ denied }) =>
    Object.entries(denied).flatMap(([service, verdict]) =>
      (byName.get(service) ?? []).map((port) => ({ port, verdict })),
    ),
  );
  return families.map((family) => [
    setOf(name, family),
    {
      type: `type ${addressType[family]} . inet_proto . inet_service : verdict`,
      isInterval: false,
      elements: new Map(
        ports
          .filter(({ port }) => port.address.family === family)
          .map(({ port, verdict }) => [
            serviceElement(port),
            verdict === 'drop' ? 'goto egress-dropped' : 'goto egress-rejected',
          ]),
      ),
    },
  ]);
}

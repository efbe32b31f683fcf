import { addressText } from '@isthmus/machinery';
import type { Chain, Network, NftSet } from '../network/network.ts';
import type { ClusterNetwork, EgressClass, ImportedService } from './cluster-network.ts';
import { addressType, digit, keyword } from './nft-words.ts';
import { families } from './own-node.ts';
import { serviceElement } from './service-rules.ts';

const dropChain = 'egress-dropped';
const rejectChain = 'egress-rejected';
/** From the address of a Pod to the chain of its class. */
const clients = 'egress-clients';

/**
 * What policies deny, on the Node of the client: new connections are judged by the address of the Service that they are for, before anything translates it. So a policy is about the Service, whichever
 * endpoint would be chosen.
 */
export function egressChains({ egress = [] }: ClusterNetwork): Network['chains'] {
  return new Map<string, Chain>([
    [dropChain, { rules: ['counter drop'] }],
    [
      rejectChain,
      { rules: ['meta l4proto tcp counter reject with tcp reset', 'counter reject with icmpx admin-prohibited'] },
    ],
    ...egress.flatMap(({ name, addresses }): readonly [string, Chain][] =>
      addresses === 'node' ? [] : [[chainOf(name), { rules: lookUp(name) }]],
    ),
    // Without policies no packet passes them.
    ...(egress.length === 0 ? [] : judgingChains()),
  ]);
}

const judgingChains = (): readonly (readonly [string, Chain])[] => [
  [
    'new-forwarded',
    {
      hook: 'type filter hook prerouting priority -107',
      rules: [isKnown, ...families.map((family) => `${keyword[family]} saddr vmap @${clients}${digit[family]}`)],
    },
  ],
  ['new-local', { hook: 'type filter hook output priority -107', rules: [isKnown, ...lookUp(nodeName)] }],
];

/** Connections that have begun go on. */
const isKnown = 'ct state != new accept';

/** The clients of each class, and what is denied to them. */
export function egressSets({ egress = [], services }: ClusterNetwork): Network['sets'] {
  const byName = egress.length === 0 ? new Map<string, ImportedService[]>() : Map.groupBy(services, nameOf);
  const ofNode = egress.filter(({ addresses }) => addresses === 'node');
  return new Map([
    ...families.map((family): [string, NftSet] => [
      `${clients}${digit[family]}`,
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

/** The ports of Services that any class is about. */
export function deniedPorts({ egress = [], services }: ClusterNetwork): readonly ImportedService[] {
  const named = new Set(egress.flatMap(({ denied }) => Object.keys(denied)));
  return named.size === 0 ? [] : services.filter((service) => named.has(nameOf(service)));
}

/** No class of Pods has it: theirs are hashes. */
const nodeName = 'node';
const chainOf = (name: string) => `egress/${name}`;
const nameOf = ({ namespace, name }: ImportedService) => `${namespace}/${name}`;
const setOf = (name: string, family: (typeof families)[number]) => `denied/${name}/${digit[family]}`;

const lookUp = (name: string) =>
  families.map((family) => `${keyword[family]} daddr . meta l4proto . th dport vmap @${setOf(name, family)}`);

/** The ports of the denied Services, and what becomes of connections to them. */
function denials(
  name: string,
  classes: readonly EgressClass[],
  byName: ReadonlyMap<string, readonly ImportedService[]>,
): readonly [string, NftSet][] {
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
          .map(({ port, verdict }) => [serviceElement(port), `goto ${verdict === 'drop' ? dropChain : rejectChain}`]),
      ),
    },
  ]);
}

import type { NumberRange, Rule } from '../network/nft-rule.ts';
import { is } from '../network/nft-rule.ts';
import type { ImportedService, ServiceEndpoint } from './cluster-network.ts';

/**
 * The rule that translates a connection to the address of a Service to one of its endpoints.
 *
 * A UDP client keeps its endpoint while the endpoints do not change. The kernel may forget a flow
 * that is still used: when endpoints of UDP change, kube-proxy deletes flows to endpoints that it
 * does not know. For example, it does not know the Pods behind a ClusterIP of another cluster.
 */
export function endpointChoice({ address: { family }, protocol }: Translated, shares: readonly Share[]): Rule {
  const by = protocol === 'UDP' && shares.length > 1 ? 'client' : 'chance';
  const ends = shares.map(({ from, until, endpoint: { address, port } }) => ({ from, until, end: { address, port } }));
  return [ofProtocol(protocol), { kind: 'dnat', family, to: { by, shares: ends } }];
}

/** The rule that translates a connection to one endpoint. */
export function translationTo({ protocol }: Translated, { address, port }: ServiceEndpoint): Rule {
  return [ofProtocol(protocol), { kind: 'dnat', family: address.family, to: { address, port } }];
}

const protocolName = { TCP: 'tcp', UDP: 'udp', SCTP: 'sctp' } as const;
const ofProtocol = (protocol: ImportedService['protocol']) => is('meta l4proto', protocolName[protocol]);

type Translated = Pick<ImportedService, 'address' | 'protocol'>;

/** The range of numbers that selects an endpoint. */
export interface Share extends NumberRange {
  readonly endpoint: ServiceEndpoint;
}

/**
 * Divides the numbers from 0 upwards among endpoints, in the order of clusters, addresses and
 * ports. Each cluster gets the same share, or a share in proportion to its weight. Each endpoint of
 * a cluster gets the same part of that share, and at least one number.
 *
 * `weights`: positive integers; 1 for a cluster that is not in it.
 */
export function sharesOf(
  endpoints: readonly ServiceEndpoint[],
  weights: ReadonlyMap<string, number> = new Map(),
): readonly Share[] {
  const clusters = [...Map.groupBy(endpoints, ({ clusterID }) => clusterID)]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([clusterID, own]) => ({ own, weight: Math.max(1, weights.get(clusterID) ?? 1) }));
  // Each unit of weight has as many numbers as every endpoint of a cluster needs to get the same
  // count.
  const exact = clusters
    .map(({ own, weight }) => own.length / greatestCommonDivisor(own.length, weight))
    // With hundreds of clusters the multiple would be larger than any number.
    .reduce((all, one) => (all > mostShares ? all : leastCommonMultiple(all, one)), 1);
  const sum = clusters.reduce((all, { weight }) => all + weight, 0);
  const least = Math.max(...clusters.map(({ own, weight }) => Math.ceil(own.length / weight)));
  const unit = exact * sum <= mostShares ? exact : Math.max(least, Math.floor(mostShares / sum));
  let begin = 0;
  return clusters.flatMap(({ own, weight }) => {
    const [first, width] = [begin, unit * weight];
    begin += width;
    return own.toSorted(byAddress).map((endpoint, position) => ({
      from: first + Math.floor((position * width) / own.length),
      until: first + Math.floor(((position + 1) * width) / own.length),
      endpoint,
    }));
  });
}

/** Above this limit the shares are rounded: one in this many connections may go to a neighbour. */
const mostShares = 65_536;

function byAddress(a: ServiceEndpoint, b: ServiceEndpoint): number {
  if (a.address.value !== b.address.value) return a.address.value < b.address.value ? -1 : 1;
  return a.port - b.port;
}

const greatestCommonDivisor = (a: number, b: number): number => (b === 0 ? a : greatestCommonDivisor(b, a % b));
const leastCommonMultiple = (a: number, b: number): number => (a / greatestCommonDivisor(a, b)) * b;

import type { ClusterInfoImport } from '@isthmus/api';
import { localProblem, usedVirtualPodCIDRs } from '@isthmus/api';
import type { Cidr } from '@isthmus/machinery';
import { contains, firstOf, overlaps, parseCidr } from '@isthmus/machinery';
import type { ExchangeConfig, OfferedGateway } from '../../../own-cluster/own-cluster.ts';
import type { ImportedConflict } from './decide.ts';

/** If there are more ranges and Nodes, they are counted and not named. */
const mostNamed = 5;

/** What is imported of another cluster, and the gateways of this one. */
export interface LocalToNodesInput {
  readonly conflict: ImportedConflict;
  readonly object: ClusterInfoImport;
  readonly gateways: readonly OfferedGateway[];
  readonly config: Pick<ExchangeConfig, 'endpointIPType' | 'podCIDRs'>;
}

/**
 * The findings about an imported network, with the ranges that gateways do not route because they
 * reach parts of them by themselves (docs/spec/wire.md §8.4). Agents decide by the same rule, each
 * for its Node. The ranges stay imported, because other Nodes may route them.
 */
export function withLocalToNodes({ conflict, ...input }: LocalToNodesInput): ImportedConflict {
  const found = unrouted(input).map(({ why }) => why);
  if (found.length === 0) return conflict;
  const message = `${firstOf(found, mostNamed, (one) => one).join('; ')}.`;
  if (conflict !== 'absent') return { ...conflict, message: `${conflict.message} ${message}` };
  return { status: 'True', reason: 'LocalToNodes', message };
}

/** A range of another cluster that a gateway of this one does not route. */
export interface Unrouted {
  readonly cidr: Cidr;
  readonly node: string;
  readonly why: string;
}

/** Each gateway counts for itself. */
export function unrouted({ object, gateways, config }: Omit<LocalToNodesInput, 'conflict'>): readonly Unrouted[] {
  return rangesOf(object, config).flatMap(({ cidr, text, what }) =>
    gateways.flatMap(({ node, localRanges = [] }) => {
      const [why] = localRanges.flatMap((local) => localProblem(cidr, local, 'that Node') ?? []);
      return why === undefined ? [] : [{ cidr, node, why: `${what} ${text} is not routed on Node ${node}: ${why}` }];
    }),
  );
}

interface ImportedRange {
  readonly cidr: Cidr;
  readonly text: string;
  readonly what: string;
}

/** The ranges to which agents send packets. */
function rangesOf(
  { metadata, spec = {} }: ClusterInfoImport,
  { endpointIPType, podCIDRs: ownTexts }: LocalToNodesInput['config'],
): readonly ImportedRange[] {
  const own = ownTexts.flatMap((text) => parseCidr(text) ?? []);
  const virtual = usedVirtualPodCIDRs(metadata, spec);
  // Each cluster has the addresses of these, and knows the other by virtual ones.
  const isBridged = (cidr: Cidr) =>
    own.some((one) => overlaps(one, cidr)) && virtual.some((pair) => contains(pair.own, cidr));
  const read = (what: string, texts: readonly string[]) =>
    texts.flatMap((text) => {
      const cidr = parseCidr(text);
      return cidr === undefined || isBridged(cidr) ? [] : [{ cidr, text, what }];
    });
  const services = endpointIPType === 'PodIP' ? [] : read('Service CIDR', [spec.serviceCIDR ?? '']);
  return [...read('Pod CIDR', spec.podCIDRs ?? []), ...services];
}

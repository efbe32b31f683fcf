import { Annotation } from '@isthmus/api';
import type { Node } from '@isthmus/api';
import type { Address, Cidr } from '@isthmus/machinery';
import { conditionOf, parseAddress, parseCidr } from '@isthmus/machinery';
import type { OwnNode } from '../desired/cluster-network.ts';
import type { Problem } from './problem.ts';

const zoneLabel = 'topology.kubernetes.io/zone';

/** The Nodes of the cluster, by name. A Node without an InternalIP is none that a tunnel can reach. */
export function readNodes(nodes: readonly Node[], problems: Problem[]): readonly OwnNode[] {
  return nodes
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
    .flatMap((node): readonly OwnNode[] => {
      const { name, annotations, labels } = node.metadata;
      const zone = labels?.[zoneLabel];
      const address = internalIP(node);
      if (address === undefined) {
        problems.push({
          kind: 'Node',
          name,
          message: 'The Node has no valid address of type InternalIP, so no tunnel leads to it.',
        });
        return [];
      }
      const isReady = conditionOf(node.status?.conditions, 'Ready')?.status === 'True';
      return [
        {
          name,
          address,
          podCIDRs: podCIDRsOf(node, problems),
          isGateway: annotations?.[Annotation.gateway] === 'true',
          isReady,
          ...(zone === undefined ? {} : { zone }),
        },
      ];
    });
}

/** The first IPv4 address, and else the first, as for the Gateway of a Node (docs/spec/wire.md §8.4). */
function internalIP({ status }: Node): Address | undefined {
  const addresses = (status?.addresses ?? []).flatMap(({ type, address }) => {
    const parsed = type === 'InternalIP' ? parseAddress(address) : undefined;
    return parsed === undefined ? [] : [parsed];
  });
  return addresses.find(({ family }) => family === 'IPv4') ?? addresses[0];
}

function podCIDRsOf({ metadata: { name }, spec }: Node, problems: Problem[]): readonly Cidr[] {
  const texts = spec?.podCIDRs ?? (spec?.podCIDR === undefined ? [] : [spec.podCIDR]);
  return texts.flatMap((text) => {
    const cidr = parseCidr(text);
    if (cidr === undefined)
      problems.push({ kind: 'Node', name, message: `Pod CIDR "${text}" of the Node is not valid and is not used.` });
    return cidr === undefined ? [] : [cidr];
  });
}

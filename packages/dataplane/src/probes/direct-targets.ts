import type { Family } from '@isthmus/machinery';
import { addressText } from '@isthmus/machinery';
import type { ClusterNetwork } from '../desired/cluster-network.ts';
import { directKey } from '../desired/direct-paths.ts';
import { directPort } from '../desired/devices.ts';
import { families, ofFamily, ownNode, returnAddress } from '../desired/own-node.ts';
import type { ProbedGateway } from './targets.ts';

/** An address that is asked. */
export interface DirectTarget extends ProbedGateway {
  /** As {@link directKey} has it. */
  readonly of: string;
  readonly clusterID: string;
  readonly family: Family;
}

/** Of each cluster and family, so many addresses are asked: one may be that of a Node which is down. */
const mostAsked = 2;

/** Where this Node asks whether its Pods and those of other clusters route to each other, by keys. Nowhere, where nothing may go past the tunnels. */
export function directTargets(cluster: ClusterNetwork): ReadonlyMap<string, DirectTarget> {
  if (cluster.settings.findsDirectPaths !== true) return new Map();
  const self = ownNode(cluster);
  const own = families.filter((family) => returnAddress(self, family) !== undefined);
  const targets = cluster.remotes.flatMap((remote) =>
    own.flatMap((family) =>
      ofFamily(remote.directProbes ?? [], family)
        .slice(0, mostAsked)
        .map((address): DirectTarget => {
          const text = addressText(address);
          const of = directKey(remote, family);
          const { clusterID } = remote;
          const target = { device: '', address: text, port: directPort, underlay: text, clusterID, isReady: false };
          return { key: `${of} ${text}`, ...target, of, family };
        }),
    ),
  );
  return new Map(targets.map((one) => [one.key, one]));
}

/**
 * The clusters whose Pods are reached past the tunnels, as {@link directKey} has them: from when all answer that are asked, until none does. One that is down takes no path away from the others, and a network
 * that carries packets to some Nodes only is not taken.
 */
export function directClusters(
  targets: Iterable<DirectTarget>,
  silent: ReadonlySet<string>,
  before: ReadonlySet<string>,
): ReadonlySet<string> {
  const answers = ({ key }: ProbedGateway) => !silent.has(key);
  const keys = [...Map.groupBy(targets, ({ of }) => of)].flatMap(([key, asked]) =>
    (before.has(key) ? asked.some(answers) : asked.every(answers)) ? [key] : [],
  );
  return new Set(keys);
}

/**
 * How long to wait between two questions to one address, in milliseconds: 2 seconds, and in large ClusterSets as long as it takes for an address to be asked 500 times a second, by all Nodes of
 * as many clusters of this size.
 */
export function directEveryMs({ nodes, remotes }: Pick<ClusterNetwork, 'nodes' | 'remotes'>): number {
  return Math.max(2_000, (nodes.length * remotes.length * 1_000) / 500);
}

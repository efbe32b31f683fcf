import type { Family } from '@isthmus/machinery';
import { addressText } from '@isthmus/machinery';
import type { ClusterNetwork } from '../desired/cluster-network.ts';
import { directKey } from '../desired/direct-paths.ts';
import { directPort } from '../desired/devices.ts';
import { families, ofFamily, ownNode, returnAddress } from '../desired/own-node.ts';
import type { ProbedGateway } from './targets.ts';

/** An address that is asked. */
export interface DirectTarget extends ProbedGateway {
  /** The cluster and family, by {@link directKey}. */
  readonly of: string;
  readonly clusterID: string;
  readonly family: Family;
}

/**
 * The most addresses that are asked for each cluster and family. The Node of one of them may be
 * down.
 */
const mostAsked = 2;

/**
 * The addresses at which this Node asks whether its Pods and those of other clusters route to each
 * other, by key. Empty if direct paths are not looked for.
 */
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
 * The clusters and families whose Pods are reached without a tunnel, by {@link directKey}. A path
 * is used from when all addresses answer that are asked, until none answers. A single Node that
 * goes down therefore does not end the path to the others. A network that carries packets only to
 * some Nodes is not used.
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
 * How long to wait between two questions to one address, in milliseconds: at least 2 seconds. In
 * large ClusterSets it is longer, so that an address is asked at most 500 times a second. This
 * assumes that all clusters have the size of this one.
 */
export function directEveryMs({ nodes, remotes }: Pick<ClusterNetwork, 'nodes' | 'remotes'>): number {
  return Math.max(2_000, (nodes.length * remotes.length * 1_000) / 500);
}

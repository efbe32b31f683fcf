import type { Address } from '@isthmus/machinery';
import { equal } from '@isthmus/machinery';
import type { ClusterNetwork, TunnelSettings } from '../desired/cluster-network.ts';
import { families, ownNode, returnAddress } from '../desired/own-node.ts';
import { createDirectProbes } from '../probes/direct-probe.ts';
import type { DirectTarget } from '../probes/direct-targets.ts';
import { directClusters, directEveryMs, directTargets } from '../probes/direct-targets.ts';
import type { Prober } from '../probes/prober.ts';
import { createProber } from '../probes/prober.ts';
import { createRemembered } from '../remembered/remembered.ts';
import type { DirectStatus } from '../status/agent-status.ts';
import type { AgentOptions } from './options.ts';

/**
 * Finds Pods that can be reached without a tunnel ([ADR
 * 0025](../../../../docs/adr/0025-direct-paths.md)).
 */
export interface DirectPaths {
  /** The network, with whether direct paths are looked for. From now on its clusters are asked. */
  in(cluster: ClusterNetwork): ClusterNetwork;
  /** The clusters whose Pods are reached directly. The same object until that changes. */
  used(): ReadonlySet<string>;
  /** The addresses at which this Node answers. */
  answersAt(cluster: ClusterNetwork): readonly Address[];
  /** Resolves when each address has been asked once. */
  askedOnce(): Promise<void>;
  status(cluster: ClusterNetwork | undefined): DirectStatus;
  /**
   * Calls `listener` when the set of addresses that answer has changed. Returns the unsubscriber.
   */
  subscribe(listener: () => void): () => void;
  run(signal: AbortSignal): Promise<void>;
}

export function createDirectPaths(
  {
    direct = { off: 'the agent was started without them' },
    settings,
    enableStretchedNetworkPolicy = false,
    world: { clock, log },
  }: Pick<AgentOptions, 'direct' | 'settings' | 'enableStretchedNetworkPolicy' | 'world'>,
  clusterID: () => string | undefined,
): DirectPaths {
  const offAlways = whyOffAlways({ direct, settings, enableStretchedNetworkPolicy });
  const probes =
    'off' in direct || offAlways !== undefined
      ? undefined
      : createDirectProbes({ socket: direct.socket, clock, nonce: direct.nonce, clusterID });
  const rememberedTargets = createRemembered<ReadonlyMap<string, DirectTarget>>();
  let targets: ReadonlyMap<string, DirectTarget> = new Map();
  let everyMs = directEveryMs({ nodes: [], remotes: [] });
  const prober = createProber({
    clock,
    probe: (target, timeoutMs) =>
      probes?.probe(target, timeoutMs) ?? Promise.resolve({ kind: 'impossible', why: offAlways ?? '' }),
    everyMs: () => everyMs,
  });
  let used: ReadonlySet<string> = new Set();
  let last: { readonly of: TunnelSettings; readonly settings: TunnelSettings } | undefined;

  /**
   * The same object for the same settings, so that parts that depend on them are not planned again.
   */
  const withDirect = (of: TunnelSettings): TunnelSettings => {
    if (last?.of !== of) last = { of, settings: { ...of, findsDirectPaths: true } };
    return last.settings;
  };

  const whyOff = ({ virtualCIDRs = [] }: Pick<ClusterNetwork, 'virtualCIDRs'>) =>
    offAlways ??
    (virtualCIDRs.length > 0
      ? 'other clusters know Pods of this one by virtual addresses, which only tunnels carry'
      : undefined);

  return {
    in(cluster) {
      const network = {
        ...cluster,
        settings: whyOff(cluster) === undefined ? withDirect(cluster.settings) : cluster.settings,
      };
      const { node, nodes, remotes } = network;
      targets = rememberedTargets.get('', [node, nodes, remotes, network.settings], () => directTargets(network));
      everyMs = directEveryMs(network);
      prober.watch(targets);
      return network;
    },
    used() {
      const now = directClusters(targets.values(), prober.silent(), used);
      if (equal([...now], [...used])) return used;
      for (const one of now)
        if (!used.has(one)) log.info('Pods of a cluster are reached without a tunnel', { remoteCluster: one });
      for (const one of used)
        if (!now.has(one)) log.info('Pods of a cluster are reached by tunnels', { remoteCluster: one });
      used = now;
      return used;
    },
    answersAt(cluster) {
      if (cluster.settings.findsDirectPaths !== true) return [];
      return answering(cluster);
    },
    askedOnce: () => prober.probedOnce(),
    status(cluster) {
      const off = cluster === undefined ? offAlways : whyOff(cluster);
      if (cluster === undefined || off !== undefined) return { off, clusters: [] };
      return { clusters: askedClusters([...targets.values()], prober.reports(), used) };
    },
    subscribe: (listener) => prober.subscribe(listener),
    async run(signal) {
      try {
        await prober.run(signal);
      } finally {
        probes?.end();
      }
    },
  };
}

/** Why an agent with these options never looks for direct paths. */
function whyOffAlways({
  direct = { off: '' },
  settings,
  enableStretchedNetworkPolicy,
}: Pick<AgentOptions, 'direct' | 'settings' | 'enableStretchedNetworkPolicy'>): string | undefined {
  if ('off' in direct) return direct.off;
  if (settings.wireGuardPort !== undefined) return 'packets between clusters are encrypted, and only tunnels are';
  return enableStretchedNetworkPolicy === true
    ? 'packets carry the numbers of labels, and only tunnels have room for them'
    : undefined;
}

/** The clusters that are asked, for each family, with how many of their addresses answer. */
function askedClusters(
  targets: readonly DirectTarget[],
  reports: ReturnType<Prober['reports']>,
  used: ReadonlySet<string>,
): DirectStatus['clusters'] {
  const alive = new Map(reports.flatMap((one) => (one.state === 'alive' ? [[one.gateway.key, one] as const] : [])));
  return [...Map.groupBy(targets, ({ of }) => of)].flatMap(([of, asked]) => {
    const [first] = asked;
    if (first === undefined) return [];
    const answering = asked.flatMap(({ key }) => alive.get(key) ?? []);
    const roundTripMs = answering[0]?.roundTripMs;
    return [
      {
        clusterID: first.clusterID,
        family: first.family,
        isUsed: used.has(of),
        asked: asked.length,
        answering: answering.length,
        ...(roundTripMs !== undefined && { roundTripMs }),
      },
    ];
  });
}

/** This Node, and the next Node by name, which answers for the cluster while this one is down. */
function answering(cluster: ClusterNetwork): readonly Address[] {
  const self = ownNode(cluster);
  const names = cluster.nodes.map(({ name }) => name).toSorted();
  const next = names[(names.indexOf(self.name) + 1) % names.length];
  return [self, ...cluster.nodes.filter(({ name }) => name === next && name !== self.name)].flatMap((node) =>
    families.flatMap((family) => returnAddress(node, family) ?? []),
  );
}

import type { Address } from '@isthmus/machinery';
import { equal } from '@isthmus/machinery';
import type { ClusterNetwork, TunnelSettings } from '../desired/cluster-network.ts';
import { directKey } from '../desired/direct-paths.ts';
import { families, ownNode, returnAddress } from '../desired/own-node.ts';
import { createDirectProbes } from '../probes/direct-probe.ts';
import { directClusters, directEveryMs, directTargets } from '../probes/direct-targets.ts';
import { createProber } from '../probes/prober.ts';
import type { DirectStatus } from '../status/agent-status.ts';
import type { AgentOptions } from './agent.ts';

/** Finds out which Pods of other clusters are reached without a tunnel ([ADR 0025](../../../../docs/adr/0025-direct-paths.md)). */
export interface DirectPaths {
  /** The network, with whether direct paths are looked for in it. From now on those of its clusters are. */
  in(cluster: ClusterNetwork): ClusterNetwork;
  /** The clusters whose Pods are reached directly. The same object until that changes. */
  used(cluster: ClusterNetwork): ReadonlySet<string>;
  /** Where this Node answers. */
  answersAt(cluster: ClusterNetwork): readonly Address[];
  /** Resolves when each address has been asked once. */
  askedOnce(): Promise<void>;
  status(cluster: ClusterNetwork | undefined): DirectStatus;
  /** Calls `listener` when another address answers, or none. Returns the unsubscriber. */
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
  const offAlways =
    'off' in direct
      ? direct.off
      : settings.wireGuardPort !== undefined
        ? 'packets between clusters are encrypted, and only tunnels are'
        : enableStretchedNetworkPolicy
          ? 'packets carry the numbers of labels, and only tunnels have room for them'
          : undefined;
  const probes =
    'off' in direct || offAlways !== undefined
      ? undefined
      : createDirectProbes({ socket: direct.socket, clock, nonce: direct.nonce, clusterID });
  let asked: ClusterNetwork | undefined;
  const prober = createProber({
    clock,
    probe: (target, timeoutMs) =>
      probes?.probe(target, timeoutMs) ?? Promise.resolve({ kind: 'impossible', why: offAlways ?? '' }),
    everyMs: () => (asked === undefined ? 2_000 : directEveryMs(asked)),
  });
  let used: ReadonlySet<string> = new Set();
  let last: { readonly of: TunnelSettings; readonly settings: TunnelSettings } | undefined;

  /** The same object for the same settings: what depends on them is then not planned anew. */
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
      asked = network;
      prober.watch(directTargets(network));
      return network;
    },
    used(cluster) {
      const now = directClusters(cluster, prober.silent(), used);
      if (equal([...now], [...used])) return used;
      for (const one of now)
        if (!used.has(one)) log.info('Pods of a cluster are reached without a tunnel', { cluster: one });
      for (const one of used) if (!now.has(one)) log.info('Pods of a cluster are reached by tunnels', { cluster: one });
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
      const reports = prober.reports();
      const clusters = cluster.remotes.flatMap((remote) =>
        families.flatMap((family) => {
          const key = directKey(remote, family);
          const own = reports.filter((one) => one.gateway.key.startsWith(`${key} `));
          if (own.length === 0) return [];
          const answering = own.filter(({ state }) => state === 'alive');
          const roundTripMs = answering[0]?.roundTripMs;
          const { clusterID: of } = remote;
          return [
            {
              clusterID: of,
              family,
              isUsed: used.has(key),
              asked: own.length,
              answering: answering.length,
              ...(roundTripMs !== undefined && { roundTripMs }),
            },
          ];
        }),
      );
      return { clusters };
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

/** This Node, and the one behind it by name: what one Node says holds for its cluster, and goes on when it is down. */
function answering(cluster: ClusterNetwork): readonly Address[] {
  const self = ownNode(cluster);
  const names = cluster.nodes.map(({ name }) => name).toSorted();
  const next = names[(names.indexOf(self.name) + 1) % names.length];
  return [self, ...cluster.nodes.filter(({ name }) => name === next && name !== self.name)].flatMap((node) =>
    families.flatMap((family) => returnAddress(node, family) ?? []),
  );
}

// Many clusters and their controllers in this process: what one machine can show of a ClusterSet of
// two hundred members.
import { FixedName } from '@isthmus/api';
import type { Client } from '@isthmus/kube';
import { createClient, noLog, noMetrics, systemClock, systemRandom } from '@isthmus/kube';
import type { SandboxCluster, VersionCompiler } from '@isthmus/sandbox';
import { sharedCompiler, startSandboxCluster } from '@isthmus/sandbox';
import type { Access } from '@isthmus/testkit';
import { runController, serviceAccountToken } from '@isthmus/testkit';
import type { BenchCluster, BenchFleet } from '../fleet.ts';
import { inParallel } from '../in-parallel.ts';
import { fleetOf, joinClusterSet } from './join.ts';

export interface MemoryCluster extends BenchCluster {
  readonly cluster: SandboxCluster;
}

/**
 * Sandbox clusters in this process, each with its controller; all of them joined, no network in
 * between.
 */
export interface MemoryFleet extends BenchFleet<MemoryCluster>, AsyncDisposable {}

/**
 * Starts leader `north` and members `m-001`, `m-002`, …, each controller as its ServiceAccount with
 * the RBAC of `deploy/`. Resolves when the controllers run, which is before they are connected.
 */
export async function startMemoryFleet(members: number): Promise<MemoryFleet> {
  const names = Array.from({ length: members }, (_, index) => `m-${String(index + 1).padStart(3, '0')}`);
  const compile = sharedCompiler();
  const clusters = ['north', ...names].map((name, index) => startMemoryCluster(name, index, compile));
  const fleet = fleetOf(clusters);
  const connect = ({ url, token }: Access): Client =>
    memoryClient(fleet.cluster(new URL(url).hostname.split('.')[0] ?? ''), token);
  await Promise.all(clusters.map(({ cluster }) => cluster.ready()));
  await joinClusterSet(clusters);
  const end = new AbortController();
  const runs: Promise<void>[] = [];
  await inParallel(clusters, 16, async ({ name, role, admin: client, server }) => {
    const one = role === 'leader' ? 'leader' : 'member';
    const namespace = one === 'leader' ? FixedName.leaderNamespace : FixedName.memberNamespace;
    const token = await serviceAccountToken(client, namespace, FixedName.controllerServiceAccount);
    const world = { clock: systemClock(), random: systemRandom(), log: noLog, metrics: noMetrics };
    const access = { ...server, token };
    const spec = { role: one, namespace, cluster: name, access, endpointIPType: 'PodIP', world, connect } as const;
    runs.push(runController(spec, end.signal));
  });
  return {
    ...fleet,
    async [Symbol.asyncDispose]() {
      end.abort(new Error('over'));
      await Promise.allSettled(runs);
      await Promise.all(clusters.map(({ cluster }) => cluster.stop()));
    },
  };
}

/** Without Nodes: nothing in it moves by itself. The first one leads. */
export function startMemoryCluster(name: string, index: number, compile?: VersionCompiler): MemoryCluster {
  const clock = systemClock();
  const cluster = startSandboxCluster({
    name,
    clock,
    seed: index + 1,
    compile,
    serviceCIDR: `10.${20 + (index % 200)}.0.0/16`,
    caData: 'no certificate: there is no network',
    nodes: [],
  });
  const user = { username: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };
  const transport = cluster.sandbox.transport({ kind: 'user', user }, { userAgent: 'isthmus-admin' });
  return {
    name,
    role: index === 0 ? 'leader' : 'member',
    admin: createClient({ transport, clock, server: name }),
    server: { url: `https://${name}.test:6443`, caData: '' },
    cluster,
  };
}

/** A client with a token. */
export function memoryClient({ name, cluster }: MemoryCluster, token: string): Client {
  const transport = cluster.sandbox.transport({ kind: 'token', token });
  return createClient({ transport, clock: systemClock(), server: name });
}

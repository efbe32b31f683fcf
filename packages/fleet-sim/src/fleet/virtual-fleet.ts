import { seededRandom } from '@isthmus/machinery';
import type { VirtualClock } from '../clock/virtual-clock.ts';
import { createVirtualClock } from '../clock/virtual-clock.ts';
import { prepareCluster, startControllers } from './cluster-setup.ts';
import { createClusterSets, isReady } from './cluster-sets.ts';
import { definitions } from './definitions.ts';
import type { LoggedSandbox, VirtualCluster, VirtualFleet } from './fleet.ts';
import { failureText } from './fleet-failure.ts';
import type { FleetPlan, VirtualFleetOptions } from './fleet-plan.ts';
import { planFleet, seedsOf } from './fleet-plan.ts';
import type { Way } from './links.ts';
import { createLinks } from './links.ts';
import { createLoggedSandbox } from './logged-sandbox.ts';
import { createVirtualCluster } from './virtual-cluster.ts';

const start = Date.parse('2026-11-21T10:00:00Z');

/**
 * Starts a fleet: API servers, the controllers of Kubernetes that its kinds need, and, unless
 * `join` is false, leader and members, which it joins.
 */
export async function createVirtualFleet(options: VirtualFleetOptions): Promise<VirtualFleet> {
  const plan = planFleet(options);
  const clock = createVirtualClock({ startMs: start });
  const stop = new AbortController();
  const serverOf = byName(await startServers(plan, clock));
  const revoked = new Set<string>();
  const links = createLinks({ clock, onWrite: options.onWrite, died: (way) => restartLater(way, fleet) });
  const parts = { plan, clock, links, serverOf, revoked };
  const clusters = plan.clusters.map((cluster) => createVirtualCluster(parts, cluster));
  const clusterOf = byName(new Map(clusters.map((cluster) => [cluster.name, cluster])));
  const fleet: VirtualFleet = {
    clock,
    clusters,
    link: (controller, server) => links.link(controller, server),
    get leader() {
      return clusterOf(plan.leaderName);
    },
    cluster: clusterOf,
    join: () => createClusterSets(plan, serverOf),
    revoke: (token) => void revoked.add(token),
    async until(what, predicate, limitMs = 60_000) {
      try {
        await clock.runUntil(predicate, { limitMs, what });
      } catch (error) {
        throw new Error(failureText(what, error, fleet), { cause: error });
      }
    },
    requestLog: () => clusters.flatMap(({ server }) => server.requestLog()),
    async [Symbol.asyncDispose]() {
      for (const cluster of clusters) cluster.kill();
      stop.abort(new Error('the fleet is over'));
      await clock.settle();
    },
  };
  for (const cluster of plan.clusters) {
    const server = serverOf(cluster.name);
    prepareCluster(server, cluster.role, plan);
    const world = { clock, random: seededRandom(seedsOf(plan, cluster).clusterControllers) };
    void startControllers(server, cluster.role, { world, signal: stop.signal });
  }
  await clock.settle();
  if (options.join !== false) await joinMembers(fleet, plan);
  return fleet;
}

async function startServers(plan: FleetPlan, clock: VirtualClock): Promise<ReadonlyMap<string, LoggedSandbox>> {
  const ours = await definitions.ours();
  const leaders = plan.options.antreaCrds === true ? await definitions.antreas() : ours;
  const servers = plan.clusters.map((cluster) => {
    const { name, serviceCIDR } = cluster;
    const image = name === plan.leaderName ? leaders : ours;
    const { maxTokenSeconds } = plan.options;
    return createLoggedSandbox({
      name,
      clock,
      image,
      seed: seedsOf(plan, cluster).server,
      serviceCIDR,
      maxTokenSeconds,
    });
  });
  return new Map(servers.map((server) => [server.name, server]));
}

/** Starts leader and members, joins them, and waits until all members are connected. */
async function joinMembers(fleet: VirtualFleet, { clusters, home }: FleetPlan): Promise<void> {
  for (const cluster of fleet.clusters) cluster.start();
  fleet.join();
  const joined = () => clusters.every(({ name, isMember }) => !isMember || isReady(fleet.cluster(name).server, home));
  await fleet.until('all members are connected', joined);
}

/** Ends the controller of a way, and starts it a second later. */
function restartLater({ controller }: Way, { clock, cluster }: VirtualFleet): void {
  const [, name = '', role] = /^(.*)-(leader|member)$/.exec(controller) ?? [];
  const died: VirtualCluster = cluster(name);
  died.kill(role as 'leader' | 'member');
  clock.after(1_000, () => died.start(role as 'leader' | 'member'));
}

/** Errors: the function throws for a name that no cluster has. */
function byName<T>(found: ReadonlyMap<string, T>): (name: string) => T {
  return (name) => {
    const one = found.get(name);
    if (one === undefined) throw new Error(`no cluster ${name}; there are ${[...found.keys()].join(', ')}`);
    return one;
  };
}

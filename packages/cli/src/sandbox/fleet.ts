import { sharedCompiler } from '@isthmus/sandbox';
import type { RunStep } from '../render/steps.ts';
import type { AskedCluster } from './cluster-list.ts';
import type { FleetCluster, FleetWorld } from './fleet-cluster.ts';
import { install } from './install.ts';
import { join } from './join.ts';
import type { SandboxNetwork } from './network/sandbox-network.ts';
import { runRoles } from './run-roles.ts';
import { startCluster } from './start-cluster.ts';

export interface SandboxFleetOptions {
  /** One of them is the leader, unless the clusters are bare. */
  readonly clusters: readonly AskedCluster[];
  readonly world: FleetWorld;
  /** A key for the tokens of each cluster; not to be guessed. */
  readonly secret: () => string;
  /** Shows each phase of the start while it runs. */
  readonly run: RunStep;
  /** The clusters stay without Isthmus. Default false. */
  readonly isBare?: boolean | undefined;
  /** Makes the networks of Nodes and Pods, in which processes run. Default: they are simulated. */
  readonly startNetwork?: (() => Promise<SandboxNetwork>) | undefined;
  /** Ends the start, of which nothing is left then. */
  readonly signal: AbortSignal;
}

/**
 * Sandbox clusters, joined into one ClusterSet. Disposing ends the controllers, then the servers.
 */
export interface SandboxFleet extends AsyncDisposable {
  readonly clusters: readonly FleetCluster[];
  /** Rejects when a controller of Isthmus ends by itself: a bug. Otherwise it never settles. */
  readonly failed: Promise<never>;
}

/**
 * Starts an API server over HTTPS for each cluster, with the controllers of Kubernetes and a
 * simulated Node. Then installs Isthmus, runs its controllers in this process, and joins the
 * members, unless the clusters are bare. Everything is in memory. Errors: any failure, or the
 * signal's reason; nothing is left then.
 */
export async function startSandboxFleet(options: SandboxFleetOptions): Promise<SandboxFleet> {
  const { world } = options;
  const { clock } = world;
  const compile = sharedCompiler();
  await using stack = new AsyncDisposableStack();
  // Work that is still under way when the fleet ends must not start anything more.
  const over = new AbortController();
  const signal = AbortSignal.any([options.signal, over.signal]);
  const run: RunStep = (phase, work) =>
    options.run(phase, async () => {
      const result = await work();
      signal.throwIfAborted();
      return result;
    });

  const { startNetwork } = options;
  const network = startNetwork && stack.use(await run('make the networks of the Nodes', startNetwork));
  const clusters = await run('start the API servers', () =>
    all(options.clusters, (asked, index) =>
      startCluster(asked, index, { world, secret: options.secret, compile, network, stack, signal }),
    ),
  );
  if (options.isBare === true) {
    const bare = stack.move();
    return { clusters, failed: new Promise(() => {}), [Symbol.asyncDispose]: () => bare.disposeAsync() };
  }
  const leader = clusters.find(({ isLeader }) => isLeader);
  if (leader === undefined) throw new Error('a fleet needs a leader');
  await run('install CRDs, RBAC and ServiceAccounts', () =>
    all(clusters, (cluster) => install(cluster.admin, cluster, { clock, signal })),
  );
  stack.defer(() => over.abort(new Error('the fleet has been removed')));
  const nodes = await all(clusters, async (cluster) => {
    const running = await network?.run(cluster, world, over.signal);
    // They may fail before the members have joined; only then does a step wait for them, and report
    // it.
    running?.ready.catch(() => {});
    running?.ended.catch(() => {});
    return running;
  });
  const controllers = Promise.all([
    ...clusters.map((cluster) => runRoles(cluster, world, over.signal)),
    ...nodes.map((one) => one?.ended),
  ]).then(() => Promise.reject(new Error('the controllers ended unexpectedly')));
  const failed: Promise<never> = controllers;
  failed.catch(() => {});
  stack.defer(async () => {
    over.abort(new Error('the fleet has been removed'));
    await controllers.catch(() => {});
  });
  const members = clusters.filter(({ isMember }) => isMember);
  await run('join the ClusterSet', () => Promise.race([join(leader, members, { clock, signal }), failed]));
  if (network !== undefined)
    await run('write the networks of the Nodes', () => Promise.race([all(nodes, async (one) => one?.ready), failed]));
  const owned = stack.move();
  return { clusters, failed, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** All results, or the first failure once nothing is under way any more. */
async function all<T, R>(items: readonly T[], work: (item: T, index: number) => Promise<R>): Promise<readonly R[]> {
  const settled = await Promise.allSettled(items.map(work));
  return settled.map((one) => {
    if (one.status === 'rejected') throw one.reason;
    return one.value;
  });
}

import { ClusterSet, FixedName, Secret } from '@isthmus/api';
import type { EndpointIPType } from '@isthmus/wire';
import { systemClock } from '@isthmus/kube';
import { errorMessage } from '@isthmus/machinery';
import { startApiServers } from '../apiserver/fleet.ts';
import type { Role } from '@isthmus/fleet-sim';
import { clusterSetName } from '@isthmus/fleet-sim';
import { controllersInProcess } from './controllers-in-process.ts';
import type { StartController } from './controller-plan.ts';
import { created, createNamespace } from './created.ts';
import { issueMemberCredential } from './credentials.ts';
import type { Waits } from './eventually.ts';
import { waitsUnless } from './eventually.ts';
import { installManifest } from './install.ts';
import type { RealCluster } from './real-cluster.ts';
import { createRealCluster } from './real-cluster.ts';

export interface RealFleetOptions {
  /**
   * Name of each cluster, which is also its ID, and its role. Exactly one leader; at least a first
   * one if `join` is false.
   */
  readonly clusters: Readonly<Record<string, Role>>;
  /**
   * How controllers run: `controllersAsProcesses` for `isthmus controller` processes of their own.
   * Default: in this process.
   */
  readonly controllers?: StartController | undefined;
  readonly endpointIPType?: EndpointIPType | undefined;
  /** Label identities are exchanged: `enableStretchedNetworkPolicy` everywhere. Default false. */
  readonly stretched?: boolean | undefined;
  /**
   * The Service networks of clusters, `--service-cluster-ip-range`. Default: the usual ones of
   * IPv4.
   */
  readonly serviceCIDRs?: Readonly<Record<string, string>> | undefined;
  /** The Pod networks in the configuration of members: `podCIDRs`. */
  readonly podCIDRs?: Readonly<Record<string, readonly string[]>> | undefined;
  /** Applies the manifests of `deploy/` first. Default true. */
  readonly install?: boolean | undefined;
  /** The controllers of kube-controller-manager. Default: those that a ClusterSet needs. */
  readonly kubeControllers?: readonly string[] | undefined;
  /** Starts the controllers and joins the members before it returns. Default true. */
  readonly join?: boolean | undefined;
  /** Runs each phase of the start, by its name. Default: it only runs. */
  readonly run?: RunPhase | undefined;
  /**
   * Ends the start, of which nothing is left then, and later each wait (`until`, `eventually`) of
   * the fleet: both reject with its reason.
   */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs a phase of the start. `phase`: its action, in the present tense. Returns the result of the
 * work, or its error.
 */
export type RunPhase = <T>(phase: string, work: () => Promise<T>) => Promise<T>;

/**
 * Real API servers with real controllers, which reach them over HTTPS as ServiceAccounts with the
 * generated RBAC.
 */
export interface RealFleet extends Waits, AsyncDisposable {
  readonly leader: RealCluster;
  readonly clusters: readonly RealCluster[];
  cluster(name: string): RealCluster;
  /**
   * Creates the ClusterSet of the leader and of each member, and waits until they are connected.
   */
  join(): Promise<void>;
}

export async function startRealFleet(options: RealFleetOptions): Promise<RealFleet> {
  const names = Object.keys(options.clusters);
  const leaderName = names.find((name) => options.clusters[name]?.startsWith('leader')) ?? '';
  const { run = (_phase, work) => work() } = options;
  await using stack = new AsyncDisposableStack();
  // Work that has not ended when the fleet is removed must not start anything more.
  const over = new AbortController();
  const signal = options.signal === undefined ? over.signal : AbortSignal.any([options.signal, over.signal]);

  const servers = stack.use(
    await run('start the API servers', () =>
      startApiServers(
        Object.fromEntries(
          names.map((name) => {
            const serviceCIDR = options.serviceCIDRs?.[name];
            const network = serviceCIDR === undefined ? {} : { serviceCIDR };
            return [name, { controllerManager: options.kubeControllers ?? true, signal, ...network }];
          }),
        ),
      ),
    ),
  );
  // All controllers of a fleet have the same time.
  const clock = systemClock();
  const waits = waitsUnless(signal);
  const clusters = names.map((name) => {
    const server = servers[name];
    if (server === undefined) throw new Error(`no API server ${name}`);
    return createRealCluster(
      {
        name,
        role: options.clusters[name] ?? 'member',
        server,
        controllers: options.controllers ?? controllersInProcess,
        endpointIPType: options.endpointIPType ?? 'ClusterIP',
        stretched: options.stretched === true,
        podCIDRs: options.podCIDRs?.[name] ?? [],
        clock,
        waits,
        signal: over.signal,
      },
      stack,
    );
  });
  stack.defer(() => over.abort(new Error('the fleet has been removed')));
  const find = (name: string): RealCluster => {
    const found = clusters.find((cluster) => cluster.name === name);
    if (found === undefined) throw new Error(`no cluster ${name}; there are ${names.join(', ')}`);
    return found;
  };
  const leader = find(leaderName);
  if (options.install !== false) {
    await run('install CRDs, RBAC and ServiceAccounts', () =>
      unlessAborted(Promise.all(clusters.map((cluster) => install(cluster))), signal),
    );
  }
  const fleet: RealFleet = {
    leader,
    clusters,
    cluster: find,
    join: () => join(fleet, leader),
    ...waits,
    async [Symbol.asyncDispose]() {
      await owned.disposeAsync();
    },
  };
  if (options.join !== false) {
    await run('start the controllers', () =>
      unlessAborted(Promise.all(clusters.map((cluster) => cluster.start())), signal),
    );
    await run('join the ClusterSet', () => unlessAborted(fleet.join(), signal)).catch((error: unknown) => {
      signal.throwIfAborted();
      throw withLastOutput(error, clusters);
    });
  }
  const owned = stack.move();
  return fleet;
}

/**
 * The result of `work`, or the reason of `signal` if it aborts first; the work then continues, and
 * its result is ignored.
 */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** The error with the last output of the controllers. */
function withLastOutput(error: unknown, clusters: readonly RealCluster[]): Error {
  const why = errorMessage(error);
  const words = clusters.flatMap(({ name, output }) => output.slice(-5).map((line) => `${name}: ${line}`));
  return new Error([why, ...words].join('\n  '), { cause: error });
}

async function install({ role, admin }: RealCluster): Promise<void> {
  if (role.includes('leader')) {
    await createNamespace(admin, FixedName.leaderNamespace);
    await installManifest(admin, 'deploy/leader.yaml');
  }
  if (role.includes('member')) await installManifest(admin, 'deploy/member.yaml');
}

async function join(fleet: RealFleet, leader: RealCluster): Promise<void> {
  const { leaderNamespace: namespace, memberNamespace } = FixedName;
  await created(leader.admin, ClusterSet, {
    metadata: { name: clusterSetName, namespace },
    spec: { clusterID: leader.name, leaders: [{ clusterID: leader.name }], namespace },
  });
  const members = fleet.clusters.filter(({ role }) => role.includes('member'));
  await Promise.all(
    members.map(async ({ name, admin }) => {
      const data = await issueMemberCredential(leader.admin, namespace, name);
      await created(admin, Secret, {
        metadata: { name: 'leader-token', namespace: memberNamespace },
        type: 'Opaque',
        data,
      });
      await created(admin, ClusterSet, {
        metadata: { name: clusterSetName, namespace: memberNamespace },
        spec: {
          clusterID: name,
          leaders: [{ clusterID: leader.name, server: leader.server.url, secret: 'leader-token' }],
          namespace,
        },
      });
    }),
  );
  await Promise.all(
    members.map(({ name, view }) =>
      fleet.eventually(`${name} is connected to the leader`, () => view.clusterSet(), 'True Connected'),
    ),
  );
}

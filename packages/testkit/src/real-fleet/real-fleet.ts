import { ClusterSet, FixedName, Namespace, Secret } from '@isthmus/api';
import type { EndpointIPType } from '@isthmus/wire';
import type { Client, MemoryLog } from '@isthmus/kube';
import { createClient, isAlreadyExists, memoryLog, systemClock } from '@isthmus/kube';
import type { KubernetesObject, ResourceType } from '@isthmus/machinery';
import { errorMessage } from '@isthmus/machinery';
import { adminTransport } from '../apiserver/admin-transport.ts';
import type { RealApiServer } from '../apiserver/api-server.ts';
import { startApiServers } from '../apiserver/fleet.ts';
import type { Role } from '@isthmus/fleet-sim';
import { clusterSetName } from '@isthmus/fleet-sim';
import type { ClusterUser } from './cluster-user.ts';
import { createClusterUser } from './cluster-user.ts';
import type { ClusterView } from './cluster-view.ts';
import { createClusterView } from './cluster-view.ts';
import { controllersInProcess } from './controllers-in-process.ts';
import type { ControllerPlan, StartController } from './controller-plan.ts';
import { issueMemberCredential, serviceAccountToken } from './credentials.ts';
import type { Waits } from './eventually.ts';
import { waitsUnless } from './eventually.ts';
import { installManifest, untilAnswered } from './install.ts';
import { pacedClock } from './paced-clock.ts';
import type { ShellOutput } from './world.ts';
import { directoryBeside, readCheckoutFile, runShell } from './world.ts';

export interface RealFleetOptions {
  /** Name of each cluster, which is also its ID, and its role. Exactly one leader; a first one at least where `join` is false. */
  readonly clusters: Readonly<Record<string, Role>>;
  /** How controllers run: `controllersAsProcesses` for `isthmus controller` processes of their own. Default: in this process. */
  readonly controllers?: StartController | undefined;
  /**
   * How many times as fast as the machine's the clock of the controllers in this process runs: what they wait for comes earlier. Their
   * requests keep the time of the machine. Default 1.
   */
  readonly pace?: number | undefined;
  readonly endpointIPType?: EndpointIPType | undefined;
  /** Label identities are exchanged: `enableStretchedNetworkPolicy` everywhere. Default false. */
  readonly stretched?: boolean | undefined;
  /** The Service networks of clusters, `--service-cluster-ip-range`, where they are not to be the usual ones of IPv4. */
  readonly serviceCIDRs?: Readonly<Record<string, string>> | undefined;
  /** The Pod networks of clusters, where their members are configured with them: `podCIDRs`. */
  readonly podCIDRs?: Readonly<Record<string, readonly string[]>> | undefined;
  /** Applies the manifests of `deploy/` first. Default true. */
  readonly install?: boolean | undefined;
  /** The controllers of kube-controller-manager. Default: those that a ClusterSet meets. */
  readonly kubeControllers?: readonly string[] | undefined;
  /** Starts the controllers and joins the members before it returns. Default true. */
  readonly join?: boolean | undefined;
  /** Runs each phase of the start, by its name. Default: it only runs. */
  readonly run?: RunPhase | undefined;
  /** Ends the start, of which nothing is left then, and later each wait (`until`, `eventually`) of the fleet: both reject with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Runs a phase of the start: what is done, in the present tense. Gives the result of the work, or its error. */
export type RunPhase = <T>(phase: string, work: () => Promise<T>) => Promise<T>;

export interface RealCluster {
  readonly name: string;
  readonly role: Role;
  readonly server: RealApiServer;
  /** An administrator's client. */
  readonly admin: Client;
  /** What its controllers in this process logged. */
  readonly log: MemoryLog;
  /** What its controllers as processes wrote. */
  readonly output: readonly string[];
  /** What a person does in this cluster, and what there is to see. */
  readonly user: ClusterUser;
  readonly view: ClusterView;
  start(role?: 'leader' | 'member', how?: StartOptions): Promise<void>;
  /** Ends the controllers: processes by SIGTERM, waited for. */
  stop(role?: 'leader' | 'member', namespace?: string): Promise<void>;
  /** A Common Area of its own beside the others of this cluster: the Namespace, what `leader-namespaced.yaml` puts there, and a leader. */
  startLeaderIn(namespace: string): Promise<void>;
  /** The text of a file of the checkout: what a person would give to kubectl. */
  manifest(path: string): Promise<string>;
  /** Runs a line of shell with kubectl, as this cluster's administrator. Errors: an exit code other than 0, with what was said. */
  shell(script: string, input?: string): Promise<ShellOutput>;
}

/** How a controller is to run, where it is not as usual. */
export interface StartOptions {
  /** The controller's Namespace. */
  readonly namespace?: string | undefined;
  readonly endpointIPType?: EndpointIPType | undefined;
}

/** Real API servers with real controllers, which reach them over HTTPS as ServiceAccounts with the generated RBAC. */
export interface RealFleet extends Waits, AsyncDisposable {
  readonly leader: RealCluster;
  readonly clusters: readonly RealCluster[];
  cluster(name: string): RealCluster;
  /** Creates the ClusterSet of the leader and of each member, and waits until they are connected. */
  join(): Promise<void>;
}

export async function startRealFleet(options: RealFleetOptions): Promise<RealFleet> {
  const names = Object.keys(options.clusters);
  const leaderName = names.find((name) => options.clusters[name]?.startsWith('leader')) ?? '';
  const { run = (_phase, work) => work() } = options;
  await using stack = new AsyncDisposableStack();
  // What is still under way when the fleet goes must not start anything more.
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
  const { pace = 1 } = options;
  // All controllers of a fleet agree on the time.
  const clock = pacedClock(systemClock(), pace);
  const waits = waitsUnless(signal, pace);
  const clusters = names.map((name) => realCluster(name));
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
      throw withLastWords(error, clusters);
    });
  }
  const owned = stack.move();
  return fleet;

  function realCluster(name: string): RealCluster {
    const role = options.clusters[name] ?? 'member';
    const server = servers[name];
    if (server === undefined) throw new Error(`no API server ${name}`);
    const admin = createClient({
      transport: adminTransport(server, 'isthmus-admin'),
      clock: systemClock(),
      server: name,
    });
    stack.defer(() => admin.close());
    const log = memoryLog();
    const output: string[] = [];
    const running = new Map<string, Running>();
    const user = createClusterUser(admin, `${name}-node`, waits);
    // Inside the cluster's own directory, which its supervisor removes however this process ends.
    const directory = () => directoryBeside(server.kubeconfigPath, 'isthmus');
    const roles = (only?: 'leader' | 'member') =>
      (['leader', 'member'] as const).filter((one) => role.includes(one) && (only ?? one) === one);
    const cluster: RealCluster = {
      name,
      role,
      server,
      admin,
      log,
      output,
      user,
      view: createClusterView(admin, user),
      async start(only, how = {}) {
        for (const one of roles(only)) {
          const usual = one === 'leader' ? FixedName.leaderNamespace : FixedName.memberNamespace;
          const { namespace = usual, endpointIPType = options.endpointIPType ?? 'ClusterIP' } = how;
          const id = `${one} ${namespace}`;
          if (running.has(id)) continue;
          const token = await serviceAccountToken(admin, namespace, FixedName.controllerServiceAccount);
          const plan: ControllerPlan = {
            cluster: name,
            role: one,
            namespace,
            endpointIPType,
            stretched: options.stretched === true,
            podCIDRs: options.podCIDRs?.[name] ?? [],
            url: server.url,
            caData: server.caData,
            token,
          };
          const surroundings = { clock, log, output, directory, signal: over.signal };
          const stop = await (options.controllers ?? controllersInProcess)(plan, surroundings);
          running.set(id, { role: one, namespace, stop });
        }
      },
      async stop(only, namespace) {
        for (const [id, controller] of running) {
          if ((only ?? controller.role) !== controller.role) continue;
          if ((namespace ?? controller.namespace) !== controller.namespace) continue;
          running.delete(id);
          await controller.stop();
        }
      },
      async startLeaderIn(namespace) {
        await createNamespace(admin, namespace);
        await installManifest(admin, 'deploy/leader-namespaced.yaml', {
          from: FixedName.namespaceToReplace,
          to: namespace,
        });
        await cluster.start('leader', { namespace });
      },
      manifest: readCheckoutFile,
      async shell(script, input) {
        return runShell(script, { kubeconfig: server.kubeconfigPath, home: (await directory()).path, input });
      },
    };
    stack.defer(() => cluster.stop());
    return cluster;
  }
}

/** The result of `work`, or the reason of `signal` when it aborts first; the work then goes on, and nobody hears of it. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** The error with what the controllers wrote last. */
function withLastWords(error: unknown, clusters: readonly RealCluster[]): Error {
  const why = errorMessage(error);
  const words = clusters.flatMap(({ name, output }) => output.slice(-5).map((line) => `${name}: ${line}`));
  return new Error([why, ...words].join('\n  '), { cause: error });
}

interface Running {
  readonly role: 'leader' | 'member';
  readonly namespace: string;
  readonly stop: () => Promise<void>;
}

async function install({ role, admin }: RealCluster): Promise<void> {
  if (role.includes('leader')) {
    await createNamespace(admin, FixedName.leaderNamespace);
    await installManifest(admin, 'deploy/leader.yaml');
  }
  if (role.includes('member')) await installManifest(admin, 'deploy/member.yaml');
}

/** Creates an object of the set-up. It may be there: a test made it before, or an answer did not arrive. */
async function created<T extends KubernetesObject>(admin: Client, type: ResourceType<T>, object: T): Promise<void> {
  await untilAnswered(() => admin.create(type, object)).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });
}

async function createNamespace(admin: Client, name: string): Promise<void> {
  await created(admin, Namespace, { metadata: { name } });
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

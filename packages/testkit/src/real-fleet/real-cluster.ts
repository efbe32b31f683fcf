import { FixedName } from '@isthmus/api';
import type { Client, MemoryLog } from '@isthmus/kube';
import { createClient, memoryLog, systemClock } from '@isthmus/kube';
import type { Clock } from '@isthmus/machinery';
import type { EndpointIPType } from '@isthmus/wire';
import { adminTransport } from '../apiserver/admin-transport.ts';
import type { RealApiServer } from '../apiserver/api-server.ts';
import type { Role } from '@isthmus/fleet-sim';
import type { ClusterUser } from './cluster-user.ts';
import { createClusterUser } from './cluster-user.ts';
import type { ClusterView } from './cluster-view.ts';
import { createClusterView } from './cluster-view.ts';
import type { ControllerPlan, StartController } from './controller-plan.ts';
import { createNamespace } from './created.ts';
import { serviceAccountToken } from './credentials.ts';
import type { Waits } from './eventually.ts';
import { installManifest } from './install.ts';
import type { ShellOutput } from './world.ts';
import { directoryBeside, readCheckoutFile, runShell } from './world.ts';

export interface RealCluster {
  readonly name: string;
  readonly role: Role;
  readonly server: RealApiServer;
  /** An administrator's client. */
  readonly admin: Client;
  /** The log of its controllers in this process. */
  readonly log: MemoryLog;
  /** The output of its controllers as processes. */
  readonly output: readonly string[];
  /** The actions of a user in this cluster, and its state. */
  readonly user: ClusterUser;
  readonly view: ClusterView;
  start(role?: 'leader' | 'member', how?: StartOptions): Promise<void>;
  /** Ends the controllers; processes get SIGTERM, and are waited for. */
  stop(role?: 'leader' | 'member', namespace?: string): Promise<void>;
  /**
   * Adds a Common Area beside the others of this cluster: the Namespace, the objects of
   * `leader-namespaced.yaml`, and a leader.
   */
  startLeaderIn(namespace: string): Promise<void>;
  /** The text of a file of the checkout, for kubectl. */
  manifest(path: string): Promise<string>;
  /**
   * Runs a line of shell with kubectl, as this cluster's administrator. Errors: an exit code other
   * than 0, with the output.
   */
  shell(script: string, input?: string): Promise<ShellOutput>;
}

/** How a controller runs, if not by default. */
export interface StartOptions {
  /** The controller's Namespace. */
  readonly namespace?: string | undefined;
  readonly endpointIPType?: EndpointIPType | undefined;
}

export interface RealClusterOptions {
  readonly name: string;
  readonly role: Role;
  readonly server: RealApiServer;
  readonly controllers: StartController;
  readonly endpointIPType: EndpointIPType;
  readonly stretched: boolean;
  readonly podCIDRs: readonly string[];
  /** The clock of all controllers of the fleet that run in this process. */
  readonly clock: Clock;
  readonly waits: Waits;
  /** Aborts when the fleet is removed. */
  readonly signal: AbortSignal;
}

/** A controller that runs. */
interface Running {
  readonly role: 'leader' | 'member';
  readonly namespace: string;
  readonly stop: () => Promise<void>;
}

/** The controllers that a cluster starts or stops: all of its role, or only one. */
function controllersOf(role: Role, only?: 'leader' | 'member'): readonly ('leader' | 'member')[] {
  return (['leader', 'member'] as const).filter((one) => role.includes(one) && (only ?? one) === one);
}

/**
 * A cluster without controllers. Controllers that are started later, and its client, end with
 * `stack`.
 */
export function createRealCluster(options: RealClusterOptions, stack: AsyncDisposableStack): RealCluster {
  const { name, role, server, stretched, podCIDRs, clock, signal } = options;
  const admin = createClient({
    transport: adminTransport(server, 'isthmus-admin'),
    clock: systemClock(),
    server: name,
  });
  stack.defer(() => admin.close());
  const log = memoryLog();
  const output: string[] = [];
  const running = new Map<string, Running>();
  const user = createClusterUser(admin, `${name}-node`, options.waits);
  // Inside the cluster's own directory, which its supervisor removes however this process ends.
  const directory = () => directoryBeside(server.kubeconfigPath, 'isthmus');
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
      for (const one of controllersOf(role, only)) {
        const usual = one === 'leader' ? FixedName.leaderNamespace : FixedName.memberNamespace;
        const { namespace = usual, endpointIPType = options.endpointIPType } = how;
        const id = `${one} ${namespace}`;
        if (running.has(id)) continue;
        const token = await serviceAccountToken(admin, namespace, FixedName.controllerServiceAccount);
        const { url, caData } = server;
        const settings = { endpointIPType, stretched, podCIDRs };
        const plan: ControllerPlan = { cluster: name, role: one, namespace, ...settings, url, caData, token };
        const stop = await options.controllers(plan, { clock, log, output, directory, signal });
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

import type { Access, Client, Reconciler, World } from '@isthmus/kube';
import { runController } from '@isthmus/kube';
import type { ResourceType } from '@isthmus/machinery';
import { clusterRoleAggregationController } from './cluster-role-aggregation.ts';
import { endpointSliceMirroringController } from './endpoint-slices/mirror-reconcile.ts';
import { endpointSliceController } from './endpoint-slices/reconcile.ts';
import { defaultAccountController } from './identity/default-accounts.ts';
import { rootCaController } from './identity/root-ca.ts';
import type { MintToken } from './identity/token-secrets.ts';
import { tokenSecretController } from './identity/token-secrets.ts';
import { garbageCollector } from './lifecycle/garbage-collector.ts';
import type { MetadataCaches } from './lifecycle/metadata-caches.ts';
import { createMetadataCaches } from './lifecycle/metadata-caches.ts';
import { namespaceController } from './lifecycle/namespace-controller.ts';
import { kubeletController } from './nodes/kubelet.ts';
import type { KubeletOptions } from './nodes/kubelet.ts';
import { nodeLifecycleController } from './nodes/node-lifecycle.ts';
import { nodeRegistration } from './nodes/node-registration.ts';
import { schedulerController } from './nodes/scheduler.ts';
import type { SharedCaches } from './shared-caches.ts';
import { createSharedCaches } from './shared-caches.ts';
import type { Telling } from './telling.ts';
import { createTelling } from './telling.ts';
import { daemonSetController } from './workloads/daemon-set.ts';
import { deploymentController } from './workloads/deployment.ts';
import { jobController } from './workloads/job.ts';
import { replicaSetController } from './workloads/replica-set.ts';
import { statefulSetController } from './workloads/stateful-set.ts';

/**
 * Every controller that makes a cluster live. `nodes`: kubelet and registration of the simulated
 * Nodes.
 */
export const controllerNames = [
  'serviceaccount',
  'root-ca',
  'token-secret',
  'namespace',
  'garbage-collector',
  'endpointslice',
  'endpointslice-mirroring',
  'deployment',
  'replicaset',
  'statefulset',
  'daemonset',
  'job',
  'scheduler',
  'nodes',
  'node-lifecycle',
  'clusterrole-aggregation',
] as const;

export type ControllerName = (typeof controllerNames)[number];

export interface ClusterControllersOptions {
  /**
   * A client with the rights in {@link ClusterControllers.access}. With all controllers it may read
   * and delete everything.
   */
  readonly client: Client;
  readonly world: World;
  /** Default: all of them. */
  readonly which?: readonly ControllerName[] | undefined;
  /**
   * The resources that garbage collection and the deletion of Namespaces watch. Default: all that
   * the server has at any moment; fewer cost less.
   */
  readonly monitors?: readonly ResourceType[] | undefined;
  /** PEM of the certificate authority, for `kube-root-ca.crt` and token Secrets. Default empty. */
  readonly caData?: string | undefined;
  /** Without it, token Secrets get no token. */
  readonly mintToken?: MintToken | undefined;
  /** The simulated Nodes and how their Pods fare. Default: no Nodes. */
  readonly kubelet?: KubeletOptions | undefined;
}

export interface ClusterControllers {
  /** The access that the controllers declare: RBAC that grants this suffices for all of them. */
  readonly access: readonly Access[];
  /** Works until `signal` aborts; everything it started has ended when this resolves. */
  run(signal: AbortSignal): Promise<void>;
}

/**
 * The controllers of kube-controller-manager that a ClusterSet needs, a scheduler and kubelets
 * without containers. They are ordinary API clients: they run against the sandbox or a real API
 * server, in virtual or real time. When idle, they only renew the Leases of Nodes and their
 * watches. Controllers of workloads write Events. The comment of each controller lists what it
 * leaves out. CronJobs, autoscaling, quotas, disruption budgets, volumes and certificates have no
 * controller here.
 */
export function createClusterControllers(options: ClusterControllersOptions): ClusterControllers {
  const { client, world, which = controllerNames, monitors, caData = '', mintToken, kubelet = { nodes: [] } } = options;
  const shared = createSharedCaches({ client, world });
  const metadata = createMetadataCaches({ client, world, monitors });
  const telling = createTelling({ client, world });
  const parts: Parts = { client, world, shared, metadata, telling, caData, mintToken, kubelet };
  const reconcilers = which.flatMap((name) => controllers[name](parts));
  const needsMetadata = which.includes('garbage-collector') || which.includes('namespace');
  return {
    access: reconcilers.flatMap(({ access }) => access),
    async run(signal) {
      telling.run(signal);
      await Promise.all([
        ...shared.all.map((cache) => cache.run(signal)),
        ...(needsMetadata ? [metadata.run(signal)] : []),
        ...reconcilers.map((reconciler) => runController(reconciler, { ...world, signal })),
      ]);
    },
  };
}

interface Parts {
  readonly client: Client;
  readonly world: World;
  readonly shared: SharedCaches;
  readonly metadata: MetadataCaches;
  readonly telling: Telling;
  readonly caData: string;
  readonly mintToken: MintToken | undefined;
  readonly kubelet: KubeletOptions;
}

const controllers: Readonly<Record<ControllerName, (parts: Parts) => readonly Reconciler[]>> = {
  serviceaccount: ({ shared }) => [defaultAccountController(shared)],
  'root-ca': ({ shared, caData }) => [rootCaController(shared, caData)],
  'token-secret': ({ shared, caData, mintToken }) =>
    mintToken === undefined ? [] : [tokenSecretController(shared, { caData, mintToken })],
  namespace: ({ client, shared, metadata, world }) => [
    namespaceController({ client, shared, caches: metadata, world }),
  ],
  'garbage-collector': ({ client, metadata }) => [garbageCollector({ client, caches: metadata })],
  endpointslice: ({ client, shared }) => [endpointSliceController(client, shared)],
  'endpointslice-mirroring': ({ client, shared }) => [endpointSliceMirroringController(client, shared)],
  deployment: ({ client, shared, world, telling }) => [
    deploymentController(client, shared, { ...world, tell: telling.by('deployment-controller') }),
  ],
  replicaset: ({ shared, world, telling }) => [
    replicaSetController(shared, { ...world, tell: telling.by('replicaset-controller') }),
  ],
  statefulset: ({ shared, world, telling }) => [
    statefulSetController(shared, { ...world, tell: telling.by('statefulset-controller') }),
  ],
  daemonset: ({ shared, world, telling }) => [
    daemonSetController(shared, { ...world, tell: telling.by('daemonset-controller') }),
  ],
  job: ({ shared, world }) => [jobController(shared, world)],
  scheduler: ({ client, shared, world }) => [schedulerController({ client, caches: shared, world })],
  nodes: ({ client, shared, world, kubelet }) => [
    nodeRegistration(shared, world, kubelet),
    kubeletController({ client, caches: shared, world, options: kubelet }),
  ],
  'node-lifecycle': ({ shared, world }) => [nodeLifecycleController(shared, world)],
  'clusterrole-aggregation': ({ shared }) => [clusterRoleAggregationController(shared)],
};

/**
 * One of the modules that may touch the world: it runs clusters with real Nodes (fs, os, timers,
 * randomness, environment).
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { RealApiServer } from '../apiserver/api-server.ts';
import { read } from '../apiserver/as-admin.ts';
import { files } from '../apiserver/flags.ts';
import { renderKubeconfig } from '../apiserver/kubeconfig.ts';
import { startApiServer } from '../apiserver/start.ts';
import { superviseIn } from '../apiserver/supervision.ts';
import type { ClusterLayout, TestbedClusterSpec } from './layout.ts';
import { kubernetesServiceAddresses, layoutOf } from './layout.ts';
import type { Machine, Place } from './machine.ts';
import { makeMachine } from './machine.ts';
import { cableSetup } from './node-files.ts';
import type { NodeNetwork } from './node-files.ts';
import type { NodeSettings, TestbedNode } from './node.ts';
import { makeNode } from './node.ts';
import { openRelay } from './open-relay.ts';
import { nodeProgram } from './programs.ts';
import { cgroupHierarchies, missingForNodes } from './requirements.ts';

/** The specification of a test bed. */
export interface TestbedOptions extends Partial<NodeSettings> {
  readonly clusters: Readonly<Record<string, TestbedClusterSpec>>;
  /** Called with each step as it begins. */
  readonly say?: ((line: string) => void) | undefined;
}

/** A cluster with real Nodes. */
export interface TestbedCluster {
  readonly layout: ClusterLayout;
  /** Its API server, which this process reaches on 127.0.0.1. */
  readonly server: RealApiServer;
  readonly nodes: readonly TestbedNode[];
  /** Runs a program in the network of the control plane. */
  readonly controlPlane: Pick<Place, 'run'>;
}

/**
 * Clusters with real Nodes: containerd, kubelet, kube-proxy and the scheduler, joined by one
 * network of Nodes.
 */
export interface Testbed extends AsyncDisposable {
  readonly clusters: Readonly<Record<string, TestbedCluster>>;
}

/**
 * Starts clusters whose Nodes run Pods. Resolves when all Nodes are Ready.
 *
 * Each Node is a network and a mount namespace with a containerd and a kubelet of its own, inside
 * one namespace of processes. On the machine only their processes and cgroups are visible. Nodes of
 * one cluster have routes to each other's Pods. Between clusters only Nodes reach each other,
 * unless the test bed is `routed`.
 *
 * Guarantees: when it rejects, when it is disposed of, and when this process ends, by kill -9 too,
 * no process, mount, namespace, cgroup or file remains. Sysctls of the machine are not touched.
 *
 * Errors: those of {@link missingForNodes}; the output of a part that ended early.
 */
export async function startTestbed(options: TestbedOptions): Promise<Testbed> {
  const missing = missingForNodes(process.env);
  if (missing.length > 0) throw new Error(`starting a test bed: ${missing.join('; ')}`);
  const { kubeProxy = 'nftables', masquerade = true, routed = false, say = () => {} } = options;
  const settings: NodeSettings = { kubeProxy, masquerade, routed };
  const layouts = layoutOf(options.clusters);

  await using stack = new AsyncDisposableStack();
  const id = `isthmus-testbed-${randomBytes(6).toString('hex')}`;
  const directory = join(tmpdir(), id);
  const supervision = stack.use(await superviseIn(directory, { cgroup: id }));
  makeCgroups(id, layouts);
  say('Making the network of the Nodes');
  const machine = await makeMachine(supervision);

  const starts = await Promise.allSettled(
    layouts.map((layout) => {
      const spec = options.clusters[layout.name];
      const own = { ...settings, kubeProxy: spec?.kubeProxy ?? kubeProxy };
      const place = { machine, directory, cgroup: id, stack };
      return startCluster({ layout, layouts, diskMiB: spec?.diskMiB, ...place, settings: own, say });
    }),
  );
  const failed = starts.find((start) => start.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  const clusters = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
  const owner = stack.move();
  return {
    clusters: Object.fromEntries(clusters.map((cluster) => [cluster.layout.name, cluster])),
    [Symbol.asyncDispose]: () => owner[Symbol.asyncDispose](),
  };
}

interface ClusterParts {
  readonly layout: ClusterLayout;
  /** The layouts of all clusters. */
  readonly layouts: readonly ClusterLayout[];
  readonly diskMiB: number | undefined;
  readonly machine: Machine;
  readonly directory: string;
  readonly cgroup: string;
  readonly settings: NodeSettings;
  readonly stack: AsyncDisposableStack;
  readonly say: (line: string) => void;
}

async function startCluster(parts: ClusterParts): Promise<TestbedCluster> {
  const { layout, layouts, diskMiB, machine, directory, cgroup, settings, stack, say } = parts;
  const { name, nodes } = layout;
  say(`Starting cluster ${name}: its control plane, and ${nodes.map((node) => node.name).join(', ')}`);
  const reached = settings.routed ? layouts : [layout];
  const podRoutes = (among: readonly ClusterLayout[], self: string | undefined) =>
    among
      .flatMap((cluster) => cluster.nodes)
      .filter((node) => node.name !== self)
      .flatMap(({ podCIDR, podCIDR6, address, address6 }) => [
        [podCIDR, address] as const,
        [podCIDR6, address6] as const,
      ]);
  const masqueradeBeyond = settings.masquerade ? reached.flatMap(({ clusterCIDRs }) => clusterCIDRs) : undefined;
  const control = `${name}-control`;
  const place = await machine.makePlace(control, {
    mounts: false,
    setup: controlPlaneSetup(layout, join(directory, control), podRoutes([layout], undefined)),
    ready: join(directory, control, 'ready'),
  });
  const made = await Promise.all([
    startControlPlane(layout, place, stack),
    ...nodes.map((node) =>
      makeNode({
        machine,
        directory,
        cgroup,
        cluster: layout,
        layout: node,
        diskMiB,
        network: { routes: podRoutes(reached, node.name), masqueradeBeyond },
        settings,
        environment: process.env,
      }),
    ),
  ] as const);
  const [server, ...empty] = made;
  say(`Cluster ${name}: the API server answers; starting kubelets`);
  await startScheduler(server, place, join(directory, control));
  const joined = await Promise.all(empty.map((node) => node.join(server)));
  await untilNodesReady(server, joined);
  say(`Cluster ${name}: ${joined.length} Nodes are Ready`);
  return { layout, server, nodes: joined, controlPlane: place };
}

function controlPlaneSetup(layout: ClusterLayout, directory: string, routes: NodeNetwork['routes']): string {
  return `set -eu
ip link set lo up
${cableSetup(layout, routes)}
touch ${directory}/ready
exec sleep infinity
`;
}

/** All controllers except those of clouds. */
const controllers = ['*', '-service-lb-controller', '-node-route-controller', '-cloud-node-lifecycle-controller'];

async function startControlPlane(
  layout: ClusterLayout,
  place: Place,
  stack: AsyncDisposableStack,
): Promise<RealApiServer> {
  const relay = stack.use(await openRelay(place.pid));
  const server = await startApiServer({
    name: layout.name,
    serviceCIDR: `${layout.serviceCIDR},${layout.serviceCIDR6}`,
    controllerManager: controllers,
    pickPort: () => Promise.resolve(relay.port),
    place: {
      // Only its network: its supervisor ends the programs that it has started.
      command: (program, args) => ({
        program: 'nsenter',
        args: [`--net=/proc/${place.pid}/ns/net`, '--', program, ...args],
      }),
      addresses: [layout.address, layout.address6, ...kubernetesServiceAddresses(layout)],
    },
    flags: {
      'kube-apiserver': {
        'bind-address': '::',
        'advertise-address': layout.address,
        'endpoint-reconciler-type': 'lease',
        'authorization-mode': 'Node,RBAC',
        'allow-privileged': 'true',
        // It has no kube-proxy beside it, so it calls webhooks at the addresses of their Pods.
        'enable-aggregator-routing': 'true',
        'kubelet-client-certificate': files.adminCertificate,
        'kubelet-client-key': files.adminKey,
        'kubelet-preferred-address-types': 'InternalIP',
      },
    },
  });
  return stack.use(server);
}

async function startScheduler(server: RealApiServer, place: Place, directory: string): Promise<void> {
  const user = await server.issueClient({ user: 'system:kube-scheduler', groups: [] });
  const kubeconfig = join(directory, 'scheduler.kubeconfig');
  const { name, url, caData } = server;
  writeFileSync(kubeconfig, renderKubeconfig({ name, url, caData, user }), { mode: 0o600 });
  const args = [`--kubeconfig=${kubeconfig}`, '--leader-elect=false', '--secure-port=0'];
  await place.start('kube-scheduler', nodeProgram('kube-scheduler', process.env), args);
}

interface NodeStatus {
  readonly metadata: { readonly name: string };
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[];
  };
}

/** Errors: after five minutes, with the status of the Nodes and the end of their kubelets' logs. */
async function untilNodesReady(server: RealApiServer, nodes: readonly TestbedNode[]): Promise<void> {
  let waiting: readonly string[] = [];
  for (let attempt = 0; attempt < 1500; attempt++) {
    const { items } = await read<{ readonly items: readonly NodeStatus[] }>(server, '/api/v1/nodes');
    const ready = (node: NodeStatus) => node.status?.conditions?.find(({ type }) => type === 'Ready');
    waiting = items
      .filter((node) => ready(node)?.status !== 'True')
      .map((node) => `${node.metadata.name}: ${ready(node)?.message ?? 'no status'}`);
    if (waiting.length === 0 && items.length === nodes.length) return;
    await delay(200);
  }
  const logs = nodes.map((node) => `${node.layout.name}:\n${node.logs('kubelet').slice(-1500)}`);
  throw new Error(`waiting for Nodes of cluster ${server.name}: ${waiting.join('; ')}\n${logs.join('\n')}`);
}

/**
 * Creates a cgroup for each Node in every hierarchy. A new one of `cpuset` has no processors, and
 * is unusable until they are set.
 */
function makeCgroups(id: string, layouts: readonly ClusterLayout[]): void {
  for (const hierarchy of cgroupHierarchies()) {
    const bed = join(hierarchy, id);
    for (const path of [bed, ...layouts.flatMap(({ nodes }) => nodes.map(({ name }) => join(bed, name)))]) {
      mkdirSync(path, { recursive: true });
      for (const file of hierarchy.endsWith('/cpuset') ? ['cpuset.cpus', 'cpuset.mems'] : [])
        writeFileSync(join(path, file), readFileSync(join(hierarchy, file)));
    }
  }
}

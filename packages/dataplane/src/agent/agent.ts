import { ClusterInfoImport, EndpointSlice, Label, Node, Service, managedByIsthmus } from '@isthmus/api';
import type { Access, Client, Reconciler, World } from '@isthmus/kube';
import { again, atStart, createCache, defineReconciler, done, from, runController } from '@isthmus/kube';
import type { Cidr } from '@isthmus/machinery';
import { addressText } from '@isthmus/machinery';
import { createNetworkPlanner } from '../desired/desired-network.ts';
import { ownNode } from '../desired/own-node.ts';
import type { TunnelSettings } from '../desired/cluster-network.ts';
import { createNetworkWriter } from '../kernel/network-writer.ts';
import { readUnderlayMTU } from '../kernel/underlay-mtu.ts';
import type { RunProgram } from '../kernel/write-network.ts';
import type { Problem } from '../objects/problem.ts';
import { createObjectReader } from '../objects/read-objects.ts';
import { sliceKey } from '../objects/read-service.ts';

export interface AgentOptions {
  /** To the API server of this cluster. */
  readonly client: Client;
  /** Of the member's controller, where ClusterInfoImports are. */
  readonly namespace: string;
  /** The name of the Node that it runs on. */
  readonly node: string;
  /** The Pod CIDRs of the cluster, where its Nodes do not have them. Default: none. */
  readonly podCIDRs?: readonly Cidr[] | undefined;
  readonly settings: Omit<TunnelSettings, 'underlayMTU'> & {
    /** Default: that of the device which has the address of the Node. */
    readonly underlayMTU?: number | undefined;
  };
  /** Runs `nft`, `ip` and `bridge` on the Node, with the right to change its network. */
  readonly run: RunProgram;
  readonly world: World;
}

/** The agent of one Node. */
export interface Agent {
  /** Why the network of the Node is not as it should be; nothing when it is. */
  notReady(): readonly string[];
  /** What is not used of the objects that it reads. */
  problems(): readonly Problem[];
  /** Keeps the network of the Node as it should be until `signal` aborts. What it wrote stays: the kernel goes on forwarding without an agent. */
  run(signal: AbortSignal): Promise<void>;
}

/** What an agent may do. */
export const agentAccess: readonly Access[] = [
  { at: 'local', type: Node, scope: 'all', verbs: ['get', 'list', 'watch'] },
  { at: 'local', type: ClusterInfoImport, scope: 'own', verbs: ['get', 'list', 'watch'] },
  { at: 'local', type: Service, scope: 'all', verbs: ['get', 'list', 'watch'] },
  { at: 'local', type: EndpointSlice, scope: 'all', verbs: ['get', 'list', 'watch'] },
];

const byService = 'service';

/** The network is one; a burst of changes is written together. */
const theOnly = 'network';
const burstMs = 50;
/** How often it is looked whether the Node has its address. */
const lookAgainMs = 5_000;

/**
 * Keeps the network of one Node as the objects of its cluster want it. It writes nothing before it has read everything once, so that a restart changes nothing; while
 * its API server is away, what was read last holds.
 */
export function createAgent(options: AgentOptions): Agent {
  const { client, namespace, node, podCIDRs = [], settings, run, world } = options;
  const every = { ...world, client };
  const nodes = createCache<Node>({ ...every, type: Node });
  const clusterInfoImports = createCache<ClusterInfoImport>({ ...every, type: ClusterInfoImport, namespace });
  // Of all Services and their endpoints in a cluster, those that imports made.
  const services = createCache<Service>({
    ...every,
    type: Service,
    labelSelector: `${Label.managedBy}=${managedByIsthmus}`,
  });
  const endpointSlices = createCache<EndpointSlice>({
    ...every,
    type: EndpointSlice,
    labelSelector: Label.mcsServiceName,
    indexes: { [byService]: (slice) => [sliceKey(slice)] },
  });
  const caches = { nodes, clusterInfoImports, services, endpointSlices };
  const readObjects = createObjectReader();
  const plan = createNetworkPlanner();
  const writer = createNetworkWriter(run);
  const underlay = createUnderlay(run, settings.underlayMTU);
  let problems: readonly Problem[] = [];
  let tunnels: TunnelSettings = { ...settings, underlayMTU: settings.underlayMTU ?? 0 };
  let notWritten: string | undefined = 'the network of the Node is not written yet';

  const all = () => [theOnly];
  const reconciler: Reconciler = defineReconciler({
    name: 'node-network',
    concurrency: 1,
    coalesceMs: burstMs,
    sources: [...Object.values(caches).map((cache) => from(cache as typeof nodes, all)), atStart(theOnly)],
    access: agentAccess,
    async reconcile() {
      const objects = {
        node,
        nodes: nodes.list(),
        clusterInfoImports: clusterInfoImports.list(),
        services: services.list(),
        slicesOf: (key: string) => endpointSlices.byIndex(byService, key),
        podCIDRs,
        settings: tunnels,
      };
      const read = readObjects(objects);
      note(read.problems);
      if (read.network === undefined) {
        notWritten = `Node ${node} does not exist, or has no address of type InternalIP`;
        return done;
      }
      try {
        const address = addressText(ownNode(read.network).address);
        const underlayMTU = await underlay.mtuOf(address);
        if (underlayMTU === undefined) {
          notWritten = `no device of this Node has the address ${address} of Node ${node}`;
          return again(lookAgainMs, notWritten);
        }
        if (tunnels.underlayMTU !== underlayMTU) tunnels = { ...tunnels, underlayMTU };
        await writer.write(plan({ ...read.network, settings: tunnels }));
        notWritten = undefined;
      } catch (error) {
        notWritten = error instanceof Error ? error.message : String(error);
        throw error;
      }
      return done;
    },
  });

  function note(found: readonly Problem[]): void {
    const known = new Set(problems.map(textOf));
    for (const one of found) if (!known.has(textOf(one))) world.log.warn('part of an object is not used', { ...one });
    problems = found;
  }

  return {
    notReady: () => [
      ...Object.entries(caches).flatMap(([name, cache]) => (cache.synced ? [] : [`${name} are not read yet`])),
      ...(notWritten === undefined ? [] : [notWritten]),
    ],
    problems: () => problems,
    async run(signal) {
      await Promise.all([
        ...Object.values(caches).map((cache) => cache.run(signal)),
        runController(reconciler, { ...world, signal }),
      ]);
    },
  };
}

const textOf = ({ kind, namespace, name, message }: Problem) => `${kind} ${namespace ?? ''}/${name} ${message}`;

/** The MTU of the device that carries tunnel packets: asked for once for each address of the Node. */
function createUnderlay(run: RunProgram, given: number | undefined) {
  let known: { readonly address: string; readonly mtu: number } | undefined;
  return {
    async mtuOf(address: string): Promise<number | undefined> {
      if (given !== undefined) return given;
      if (known?.address === address) return known.mtu;
      const mtu = await readUnderlayMTU(address, run);
      known = mtu === undefined ? undefined : { address, mtu };
      return mtu;
    },
  };
}

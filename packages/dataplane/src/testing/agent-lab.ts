import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { ClusterInfoImport, ClusterSet, EndpointSlice, Namespace, Node, Service } from '@isthmus/api';
import { createClient, memoryLog, noMetrics, systemClock } from '@isthmus/kube';
import type { Clock } from '@isthmus/machinery';
import { seededRandom } from '@isthmus/machinery';
import type { Sandbox } from '@isthmus/sandbox';
import { createSandbox } from '@isthmus/sandbox';
import { clusterAdmin, definitions } from '@isthmus/fleet-sim';
import { importedCart, importedCartEndpoints, labClusterInfo, labNodeObject, startPacketLab } from '@isthmus/testkit';
import type { PacketLab, PacketLabOptions } from '@isthmus/testkit';
import type { Agent } from '../agent/agent.ts';
import { createAgent } from '../agent/agent.ts';
import { remoteTable } from '../desired/devices.ts';
import { tunnelAddresses } from '../desired/tunnel-addresses.ts';
import { address } from './addresses.ts';
import { labWatch } from './lab-watch.ts';
import { openLabDirect } from './lab-direct.ts';
import { startLabProbe } from './lab-probe.ts';

const namespace = 'kube-system';

/**
 * A lab with an API server for each cluster, and an agent for each Node, which runs in this
 * process. Clusters import Service `shop/cart`.
 */
export interface AgentLab extends Pick<PacketLab, 'node' | 'pod'>, AsyncDisposable {
  agent(node: string): Agent;
  /** The objects of a cluster, as its administrator writes them. */
  admin(cluster: string): Sandbox['admin'];
  /** Sets the endpoints that the other clusters import from this cluster. */
  exportFrom(cluster: string, addresses: readonly string[]): void;
  setGateways(gateways: readonly string[]): void;
  /** Resolves when all agents are ready. */
  ready(): Promise<void>;
  /** Ends the agent of a Node. */
  endAgent(node: string): Promise<void>;
  /** Resolves when the groups of the senders have this gateway as a member. */
  untilUsed(gateway: string, senders: readonly string[]): Promise<void>;
  untilUnused(gateway: string, senders: readonly string[]): Promise<void>;
}

export async function startAgentLab(
  options: PacketLabOptions,
  {
    gateways,
    clusterIP,
    findsDirectPaths = false,
  }: {
    readonly gateways: readonly string[];
    readonly clusterIP: string;
    /** Default: false. */
    readonly findsDirectPaths?: boolean | undefined;
  },
): Promise<AgentLab> {
  await using stack = new AsyncDisposableStack();
  const lab = stack.use(await startPacketLab(options));
  const clock = systemClock();
  const servers = new Map<string, Sandbox>();
  const agents = new Map<string, { readonly agent: Agent; end(): Promise<void> }>();
  const clusters = Object.entries(lab.clusters);
  const admin = (cluster: string) => present(servers.get(cluster), `cluster ${cluster}`).admin;
  const setGateways = (now: readonly string[]) => {
    for (const [name, own] of clusters) {
      for (const node of own.nodes) admin(name).put(Node, labNodeObject(node, now.includes(node.layout.name)));
      for (const [, other] of clusters.filter(([one]) => one !== name))
        admin(name).put(
          ClusterInfoImport,
          labClusterInfo(other, {
            namespace,
            gateways: now,
            directProbes: findsDirectPaths
              ? other.nodes.flatMap(({ layout }) =>
                  [layout.podCIDR, layout.podCIDR6].map((one) => one.split('/')[0] ?? ''),
                )
              : [],
          }),
        );
    }
  };
  for (const [name] of clusters) servers.set(name, await labServer(name, clock));
  setGateways(gateways);
  for (const [name, { nodes }] of clusters) {
    for (const node of nodes) {
      const { probe } = stack.use(startLabProbe(node));
      const agent = createAgent({
        client: createClient({ transport: present(servers.get(name), name).transport(clusterAdmin), clock }),
        namespace,
        node: node.layout.name,
        settings: { port: 8479 },
        run: node.place.run,
        watch: labWatch(node),
        probe,
        ...(findsDirectPaths && {
          direct: { socket: stack.use(openLabDirect(node)).socket, nonce: () => randomUUID().replaceAll('-', '') },
        }),
        world: { clock, random: seededRandom(1), log: memoryLog(), metrics: noMetrics },
      });
      const stop = new AbortController();
      const running = agent.run(stop.signal);
      const end = async () => {
        stop.abort(new Error('over'));
        await running.catch(() => {});
      };
      stack.defer(end);
      agents.set(node.layout.name, { agent, end });
    }
  }

  const isUsed = (gateway: string, by: string) => usesGateway(lab, gateway, by);
  const until = async (isSo: () => Promise<boolean>) => {
    while (!(await isSo())) await delay(50);
  };
  const owner = stack.move();
  return {
    node: lab.node,
    pod: lab.pod,
    admin,
    agent: (node) => present(agents.get(node), `agent on Node ${node}`).agent,
    exportFrom(cluster, addresses) {
      for (const [name] of clusters.filter(([one]) => one !== cluster)) {
        admin(name).put(Service, importedCart(clusterIP));
        admin(name).put(EndpointSlice, importedCartEndpoints(addresses));
      }
    },
    setGateways,
    ready: async () => {
      for (const { agent } of agents.values()) await until(async () => agent.notReady().length === 0);
      for (const { agent } of agents.values())
        await until(async () => agent.gateways().every(({ state }) => state === 'alive'));
    },
    endAgent: (node) => present(agents.get(node), `agent on Node ${node}`).end(),
    untilUsed: async (gateway, senders) => {
      for (const by of senders) await until(() => isUsed(gateway, by));
    },
    untilUnused: async (gateway, senders) => {
      for (const by of senders) await until(async () => !(await isUsed(gateway, by)));
    },
    [Symbol.asyncDispose]: () => owner[Symbol.asyncDispose](),
  };
}

/** The API server of a cluster that has joined a ClusterSet. */
async function labServer(name: string, clock: Clock): Promise<Sandbox> {
  const server = createSandbox({ name, clock, serviceCIDR: '10.99.0.0/16', image: await definitions.ours() });
  for (const one of [namespace, 'shop']) server.admin.put(Namespace, { metadata: { name: one } });
  server.admin.put(ClusterSet, {
    metadata: { namespace, name: 'lab' },
    spec: { clusterID: name, leaders: [{ clusterID: 'none' }] },
  });
  return server;
}

/**
 * Whether a Node sends packets for other clusters through a gateway: a member of the groups that
 * their ranges are routed to. Routes to a single address always lead to that Node, so they do not
 * count.
 */
async function usesGateway(lab: Pick<PacketLab, 'node'>, gateway: string, by: string): Promise<boolean> {
  const { run } = lab.node(by).place;
  const { stdout } = await run('ip', ['-j', 'nexthop', 'show', 'protocol', '73']);
  const hops = JSON.parse(stdout || '[]') as readonly {
    readonly id: number;
    readonly gateway?: string;
    readonly group?: readonly { readonly id: number }[];
  }[];
  const routed = await run('ip', ['-j', 'route', 'show', 'table', String(remoteTable)]);
  const routes = JSON.parse(routed.stdout || '[]') as readonly { readonly dst: string; readonly nhid?: number }[];
  const groups = routes.flatMap(({ dst, nhid }) => (dst.includes('/') && nhid !== undefined ? [nhid] : []));
  const { hop } = tunnelAddresses(address(lab.node(gateway).layout.address));
  const own = hops.filter(({ gateway: via }) => via === hop.IPv4).map(({ id }) => id);
  return hops.some(({ id, group = [] }) => groups.includes(id) && group.some((member) => own.includes(member.id)));
}

function present<T>(found: T | undefined, what: string): T {
  if (found === undefined) throw new Error(`the lab has no ${what}`);
  return found;
}

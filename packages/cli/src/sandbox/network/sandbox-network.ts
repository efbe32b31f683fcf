import { Annotation, FixedName } from '@isthmus/api';
import { agent as agentRole, agentAccessObjects } from '@isthmus/install';
import { createImportNames } from '@isthmus/dataplane';
import { createClient, noMetrics, staticToken } from '@isthmus/kube';
import type { Log } from '@isthmus/kube';
import type { SimulatedNode } from '@isthmus/sandbox';
import type { Io } from '../../world/io.ts';
import { isthmusVersion } from '../../version/version.ts';
import type { AskedCluster } from '../cluster-list.ts';
import type { FleetCluster, FleetWorld } from '../fleet-cluster.ts';
import { create } from '../install.ts';
import { accountToken } from '../account-token.ts';
import type { ClusterNetworkLayout } from './layout.ts';
import { layoutOf, nodesScript } from './layout.ts';
import type { MachineWorld, SandboxMachine } from './machine.ts';
import { bridge, startMachine } from './machine.ts';
import { answerOf, clusterNames } from './names/cluster-names.ts';
import type { AnswerNames } from './names/names-lines.ts';
import { createServiceObjects } from './names/service-objects.ts';
import { createNodeAgent } from './node-agent.ts';
import { startNodeProcess } from './node-process.ts';
import type { ProcessRuntime } from './containers/process-runtime.ts';
import { createProcessRuntime } from './containers/process-runtime.ts';
import { runServiceProxy } from './service-proxy.ts';

/** The parts of the world for Nodes and Pods with networks. */
export type NetworkWorld = MachineWorld & Pick<Io, 'ownCommand' | 'env'> & { readonly log: Log };

/** The Nodes and Pods of a sandbox as networks and processes. Disposing removes all of them. */
export interface SandboxNetwork extends AsyncDisposable {
  /** The part of a cluster. Errors: throws if no cluster has that name. */
  cluster(name: string): NetworkOfCluster;
  /**
   * Carries packets in a cluster until `signal` aborts: the rules for its ClusterIPs on each Node,
   * and the agents of a member, which find their objects installed. `ready` resolves when the
   * networks of the Nodes are written.
   */
  run(cluster: FleetCluster, world: FleetWorld, signal: AbortSignal): Promise<RunningNodes>;
}

export interface NetworkOfCluster extends ClusterNetworkLayout {
  readonly simulated: readonly SimulatedNode[];
  readonly runtime: ProcessRuntime;
}

export interface RunningNodes {
  readonly ready: Promise<void>;
  readonly ended: Promise<void>;
}

/** The Nodes of a member: one is a gateway, and packets of the other pass through it. */
const nodesOfMember = 2;

const clusterSetDomain = 'clusterset.local';

/**
 * Makes the networks of all Nodes. Errors: throws with what the programs wrote; nothing is left
 * then.
 */
export async function startNetwork(clusters: readonly AskedCluster[], world: NetworkWorld): Promise<SandboxNetwork> {
  const path = world.env['PATH'] ?? '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
  const cache = world.env['NODE_COMPILE_CACHE'];
  const env = { PATH: path, ...(cache !== undefined && { NODE_COMPILE_CACHE: cache }) };
  await using stack = new AsyncDisposableStack();
  const machine = stack.use(await startMachine(world, env));
  let networks = 0;
  const nextNetwork = () => `pod${++networks}`;
  const all = new Map(
    clusters.map(({ name, isMember }, index): [string, NetworkOfCluster] => {
      const layout = layoutOf(name, index, isMember ? nodesOfMember : 1);
      const runtime = createProcessRuntime({ cluster: name, machine, world, path, nextNetwork, log: world.log });
      const simulated = layout.nodes.map((node, position) => ({
        name: node.name,
        podCIDR: node.podCIDR,
        internalIP: node.address,
        ...(isMember && position === 0 && { annotations: { [Annotation.gateway]: 'true' } }),
      }));
      return [name, { ...layout, simulated, runtime }];
    }),
  );
  await machine.script('make the networks of the Nodes', nodesScript([...all.values()], bridge));
  const cluster = (name: string) => {
    const found = all.get(name);
    if (found === undefined) throw new Error(`the network has no cluster ${name}`);
    return found;
  };
  const otherMembers = clusters.filter(({ isMember }) => isMember).length - 1;
  const owned = stack.move();
  return {
    cluster,
    run: (one, ofFleet, signal) =>
      runNodes(
        { machine, env, ownCommand: world.ownCommand, layout: cluster(one.name), otherMembers },
        one,
        ofFleet,
        signal,
      ),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

interface NodeParts {
  /** How many other members there are; each has one gateway. */
  readonly otherMembers: number;
  readonly machine: SandboxMachine;
  readonly env: Readonly<Record<string, string>>;
  readonly ownCommand: Io['ownCommand'];
  readonly layout: ClusterNetworkLayout;
}

async function runNodes(
  { machine, env, ownCommand, layout, otherMembers }: NodeParts,
  cluster: FleetCluster,
  { clock, random, log, network }: FleetWorld,
  signal: AbortSignal,
): Promise<RunningNodes> {
  const { admin, name } = cluster;
  const world = { clock, random, log: log.with({ cluster: name }), metrics: noMetrics };
  const nodes = layout.nodes.map((node) => node.name);
  const objects = createServiceObjects(admin, world);
  const imports = cluster.isMember
    ? createImportNames({ client: admin, zoneName: clusterSetDomain, world })
    : undefined;
  const zones = [...(imports === undefined ? [] : [imports.served]), clusterNames(objects)];
  const names: AnswerNames = (message, transport) => answerOf(message, transport, zones);
  const programs = await Promise.all(
    nodes.map((node) => startNodeProcess({ node, machine, ownCommand, env, names, log: world.log }, signal)),
  );
  const shared = Promise.all([
    objects.run(signal),
    imports?.run(signal),
    runServiceProxy({ objects, world, machine, nodes, podCIDR: layout.podCIDR, env }, signal),
  ]).then(() => {});
  const answering = Promise.all(programs.map((one) => one.ready)).then(() => {});
  // Callers that wait for them get the error, but there are none until the agents are started.
  for (const one of [shared, answering]) one.catch(() => {});
  if (!cluster.isMember) return { ready: answering, ended: shared };
  const namespace = FixedName.memberNamespace;
  await Promise.all(agentAccessObjects(namespace).map((object) => create(admin, object)));
  const token = await accountToken(admin, namespace, agentRole.installedAs.serviceAccount);
  const agents = programs.map(({ node, probe }, position) => {
    const transport = network.dial({
      server: cluster.url,
      caPem: cluster.caData,
      credentials: staticToken(token),
      userAgent: `isthmus-agent/${isthmusVersion}`,
    });
    const client = createClient({ transport, clock, server: `the API server of ${name}` });
    const agent = createNodeAgent({
      client,
      namespace,
      node,
      gateways: position === 0 ? otherMembers : 1,
      machine,
      probe,
      env,
      world: { ...world, log: world.log.with({ node }) },
    });
    return { agent, client };
  });
  const ended = Promise.all([
    shared,
    ...agents.map(({ agent, client }) => agent.run(signal).finally(() => client.close())),
  ]).then(() => {});
  const ready = Promise.all([answering, ...agents.map(({ agent }) => agent.ready(signal))]).then(() => {});
  return { ready, ended };
}

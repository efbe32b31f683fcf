import {
  ClusterInfoImport,
  ClusterSet,
  EndpointSlice,
  Label,
  Node,
  Service,
  ServiceExportV1alpha1,
  gatewayLeaseName,
} from '@isthmus/api';
import type { ServiceExport } from '@isthmus/api';
import type { Access, Client, Reconciler, World } from '@isthmus/kube';
import { again, atStart, createCache, defineReconciler, done, from, onChange, runController } from '@isthmus/kube';
import type { Cidr } from '@isthmus/machinery';
import { addressText, equal, errorMessage } from '@isthmus/machinery';
import { createNetworkPlanner } from '../desired/desired-network.ts';
import { withGoneEndpoints } from '../desired/gone-endpoints.ts';
import { ownNode } from '../desired/own-node.ts';
import type { TunnelSettings, VirtualCIDR } from '../desired/cluster-network.ts';
import type { HoldProgram } from '../kernel/held-nft.ts';
import { withHeldNft } from '../kernel/held-nft.ts';
import type { WatchProgram } from '../kernel/kernel-monitor.ts';
import { createKernelMonitor } from '../kernel/kernel-monitor.ts';
import type { AgentMetrics } from './metrics.ts';
import { noAgentMetrics } from './metrics.ts';
import { openPolicies, policyAccess } from './policies.ts';
import type { DirectAccess } from './direct-paths.ts';
import { createDirectPaths } from './direct-paths.ts';
import { ownClusterID } from '../objects/own-cluster-id.ts';
import type { GatewayOffer } from './gateway-lease.ts';
import { gatewayLease, gatewayLeaseAccess } from './gateway-lease.ts';
import { unreadReasons } from '../status/unread-reasons.ts';
import { agentReader, flowNotes, leaseNotes, missingRights, policyReader, staleNotes } from './notes.ts';
import { forgetFlows } from '../kernel/forget-flows.ts';
import { withLaterNft } from '../kernel/later-nft.ts';
import { readLocalAddresses } from '../kernel/local-addresses.ts';
import { createNetworkWriter } from '../kernel/network-writer.ts';
import { createOwnEchoes } from '../kernel/own-echoes.ts';
import { readUnderlay } from '../kernel/underlay.ts';
import { readUntilChanged } from '../kernel/until-changed.ts';
import type { RunProgram } from '../kernel/write-network.ts';
import { createSurroundings } from './surroundings.ts';
import { createSuspicion } from './suspicion.ts';
import type { Probe } from '../probes/probe.ts';
import type { GatewayReport } from '../probes/prober.ts';
import { createProber } from '../probes/prober.ts';
import { createProbeSummary } from '../probes/summarise-probes.ts';
import type { ProbedGateway } from '../probes/targets.ts';
import { probedGateways } from '../probes/targets.ts';
import { createRemembered } from '../remembered/remembered.ts';
import { withoutLocalGateways } from '../objects/local-gateways.ts';
import type { Problem } from '../objects/problem.ts';
import { createObjectReader } from '../objects/read-objects.ts';
import { sliceKey } from '../objects/read-service.ts';
import type { Network } from '../network/network.ts';
import type { ClusterNetwork } from '../desired/cluster-network.ts';
import type { AgentNote, AgentStatus } from '../status/agent-status.ts';
import { desiredItems, gatewayStatus, serviceStatuses, virtualStatus } from '../status/agent-status.ts';
import { missingWays } from '../status/missing-ways.ts';
import { policyStatus } from '../status/policy-status.ts';
import type { ReadPolicies } from '../policies/policy-reader.ts';

export interface AgentOptions {
  /** To the API server of this cluster. */
  readonly client: Client;
  /** Of the member's controller, where ClusterInfoImports are. */
  readonly namespace: string;
  /** The name of the Node that it runs on. */
  readonly node: string;
  /** The Pod CIDRs of the cluster, where its Nodes do not have them. Default: none. */
  readonly podCIDRs?: readonly Cidr[] | undefined;
  /** By which ranges other clusters know Pod CIDRs of this one. Default: those that the leader has allotted, or else their own. */
  readonly virtualCIDRs?: readonly VirtualCIDR[] | undefined;
  readonly settings: Omit<TunnelSettings, 'underlayMTU' | 'underlayDevice' | 'nodeDevices' | 'carriesLabels'> & {
    /** Default: that of the device which has the address of the Node. */
    readonly underlayMTU?: number | undefined;
  };
  /** Runs `nft`, `ip` and `bridge` on the Node, with the right to change its network. */
  readonly run: RunProgram;
  /** Keeps `nft` open on the Node. Default: it is started for each change. */
  readonly hold?: HoldProgram | undefined;
  /** Runs the monitors of `nft` and `ip` on the Node. */
  readonly watch: WatchProgram;
  /** Whether packets bear the numbers of labels, and policies about imported Services are enforced. Default: false. */
  readonly enableStretchedNetworkPolicy?: boolean | undefined;
  /** How often all that was written is compared with the kernel. Default: 600,000 ms. */
  readonly auditEveryMs?: number | undefined;
  /** Sends probes from the network of the Node. */
  readonly probe: Probe;
  /** Past the tunnels; with `off`, why no direct paths are looked for. Default: it was not asked to. */
  readonly direct?: DirectAccess | undefined;
  /** Default: nothing is counted. */
  readonly metrics?: AgentMetrics | undefined;
  readonly world: World;
}

/** The agent of one Node. */
export interface Agent {
  /** Why the network of the Node is not as it should be; nothing when it is. An API server that went away does not change that: what was read last holds. */
  notReady(): readonly string[];
  /** What is not read from the API server now, since when, and why; and what on the Node may keep packets from their way: a CNI that bypasses nft, a firewall. */
  notes(): readonly string[];
  /** What is not used of the objects that it reads. */
  problems(): readonly Problem[];
  /** What probes say about the gateways that this Node sends packets to. */
  gateways(): readonly GatewayReport[];
  /** All of it, with the network that it wants now. */
  status(): AgentStatus;
  /** Keeps the network of the Node as it should be until `signal` aborts. What it wrote stays: the kernel goes on forwarding without an agent. */
  run(signal: AbortSignal): Promise<void>;
}

/** What every agent may do. One that reads policies may also do what {@link policyAccess} lists. */
export const agentAccess: readonly Access[] = [
  { at: 'local', type: Node, scope: 'all', verbs: ['get', 'list', 'watch'] },
  { at: 'local', type: ClusterInfoImport, scope: 'own', verbs: ['get', 'list', 'watch'] },
  // Which virtual Pod CIDRs this cluster has.
  { at: 'local', type: ClusterSet, scope: 'own', verbs: ['get', 'list', 'watch'] },
  { at: 'local', type: Service, scope: 'all', verbs: ['get', 'list', 'watch'] },
  { at: 'local', type: EndpointSlice, scope: 'all', verbs: ['get', 'list', 'watch'] },
  { at: 'local', type: ServiceExportV1alpha1, scope: 'all', verbs: ['get', 'list', 'watch'] },
  ...gatewayLeaseAccess,
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
  const { client, namespace, node, podCIDRs = [], virtualCIDRs = [], settings, probe, world } = options;
  const { auditEveryMs = 600_000, metrics = noAgentMetrics, hold, watch: watchEarlier } = options;
  const { clock } = world;
  const heldNft = hold && withHeldNft({ run: options.run, hold, clock });
  const programs = withLaterNft({ run: heldNft?.run ?? options.run, watch: watchEarlier });
  const { run, watch } = programs;
  const every = { ...world, client };
  const nodes = createCache<Node>({ ...every, type: Node });
  const clusterInfoImports = createCache<ClusterInfoImport>({ ...every, type: ClusterInfoImport, namespace });
  const clusterSets = createCache<ClusterSet>({ ...every, type: ClusterSet, namespace, whenUnserved: 'empty' });
  // All: what is exported has no label, and no range of another cluster may cover any of them.
  const services = createCache<Service>({ ...every, type: Service });
  // In the version that every release serves.
  const serviceExports = createCache<ServiceExport>({
    ...every,
    type: ServiceExportV1alpha1,
    whenUnserved: 'empty',
  });
  // Of all endpoints in a cluster, those that imports made.
  const endpointSlices = createCache<EndpointSlice>({
    ...every,
    type: EndpointSlice,
    labelSelector: Label.mcsServiceName,
    indexes: { [byService]: (slice) => [sliceKey(slice)] },
  });
  // Of the API server: no range of another cluster may take the way to it.
  const apiServers = createCache<EndpointSlice>({
    ...every,
    type: EndpointSlice,
    namespace: 'default',
    labelSelector: `${Label.serviceName}=kubernetes`,
  });
  const policies = options.enableStretchedNetworkPolicy === true ? openPolicies(every, node) : undefined;
  const surroundings = createSurroundings({ programs, policies, log: world.log });
  const ownCaches = {
    nodes,
    clusterInfoImports,
    clusterSets,
    services,
    serviceExports,
    endpointSlices,
    'addresses of the API server': apiServers,
  };
  const policyCaches = policies?.caches ?? {};
  const caches = { ...ownCaches, ...policyCaches };
  const readObjects = createObjectReader();
  const plan = createNetworkPlanner();
  const rememberedProbed = createRemembered<ReadonlyMap<string, ProbedGateway>>();
  const echoes = createOwnEchoes(clock);
  const writer = createNetworkWriter(run, echoes);
  const suspicion = createSuspicion(clock);
  const monitor = createKernelMonitor({
    watch,
    clock,
    echoes,
    onChange: () => suspicion.raise(),
    onLost: () => suspicion.raise('faint'),
    onUnderlay: () => {
      underlay.forget();
      localAddresses.forget();
    },
    onEnd: (program, why) => world.log.warn('a monitor of the kernel ended and starts again', { program, why }),
  });
  let isWritten = false;
  // Before tunnels are written for the first time none answers. That may take longer than three probes, after which a gateway has died, and has to answer three times to return.
  const rounds = () => (isWritten ? 1 : 3);
  const prober = createProber({ probe, clock, rounds, onStateChange: noteGateway });
  const directPaths = createDirectPaths(options, () => ownClusterID(clusterSets.list()));
  const underlay = readUntilChanged((address) => readUnderlay(address, run));
  const givenUnderlay =
    settings.underlayMTU === undefined ? undefined : { mtu: settings.underlayMTU, device: undefined, devices: [] };
  const localAddresses = readUntilChanged(() => readLocalAddresses(run));
  const rememberedUsable = createRemembered<ReturnType<typeof withoutLocalGateways>>();
  /** Why flows of UDP could not be forgotten the last time. */
  let notForgotten: string | undefined;
  let problems: readonly Problem[] = [];
  let lastServices: ClusterNetwork['services'] = [];
  let tunnels: TunnelSettings = {
    ...settings,
    underlayMTU: settings.underlayMTU ?? 0,
    carriesLabels: options.enableStretchedNetworkPolicy,
  };
  let notWritten: string | undefined = 'the network of the Node is not written yet';
  let offer: GatewayOffer | undefined;
  let leaseError: unknown;
  let ways: readonly AgentNote[] = [];
  let wanted:
    | { readonly cluster: ClusterNetwork; readonly network: Network; readonly judged: ReadPolicies | undefined }
    | undefined;

  const all = () => [theOnly];
  const reconciler: Reconciler = defineReconciler({
    name: 'node-network',
    concurrency: 1,
    coalesceMs: burstMs,
    sources: [
      ...Object.values(caches).map((cache) => from(cache as typeof nodes, all)),
      atStart(theOnly),
      onChange(prober.subscribe, all),
      onChange(directPaths.subscribe, all),
      onChange(suspicion.subscribe, all),
      onChange(underlay.subscribe, all),
      onChange(localAddresses.subscribe, all),
    ],
    access: policies === undefined ? agentAccess : [...agentAccess, ...policyAccess],
    async reconcile() {
      const objects = {
        node,
        nodes: nodes.list(),
        clusterInfoImports: clusterInfoImports.list(),
        services: services.list(),
        serviceExports: serviceExports.list(),
        slicesOf: (key: string) => endpointSlices.byIndex(byService, key),
        podCIDRs,
        virtualCIDRs,
        clusterSets: clusterSets.list(),
        apiServers: apiServers.list(),
        settings: tunnels,
      };
      const read = readObjects(objects);
      if (read.network === undefined) {
        note(read.problems);
        const isThere = nodes.get({ name: node }) !== undefined;
        if (!isThere) offer = undefined;
        noteNotWritten(
          isThere
            ? `Node ${node} has no valid address of type InternalIP; its kubelet sets one, by --node-ip`
            : `Node ${node} does not exist in this cluster; start the agent with the name of its Node, in --node or the environment variable NODE_NAME`,
        );
        return done;
      }
      try {
        const self = ownNode(read.network);
        const address = addressText(self.address);
        const found = (await underlay.read(address)) ?? givenUnderlay;
        if (found === undefined) {
          const why = `no device of this machine has the address ${address} of Node ${node}; check that the agent runs on that Node, in its network`;
          noteNotWritten(why);
          return again(lookAgainMs, why);
        }
        const nodeDevices = self.podCIDRs.length === 0 ? found.devices : undefined;
        const now = {
          ...tunnels,
          underlayMTU: settings.underlayMTU ?? found.mtu,
          underlayDevice: found.device,
          nodeDevices,
        };
        if (!equal(tunnels, now)) tunnels = now;
        const { remotes } = read.network;
        const local = (await localAddresses.read('local')) ?? [];
        const usable = rememberedUsable.get('', [remotes, local], () =>
          withoutLocalGateways(remotes, local, namespace),
        );
        const cluster = directPaths.in({ ...read.network, remotes: usable.remotes, settings: tunnels });
        prober.watch(
          rememberedProbed.get('', [cluster.node, cluster.nodes, cluster.remotes, cluster.settings], () =>
            probedGateways(cluster),
          ),
        );
        // What an earlier run left out stays out, if it still does not answer.
        if (!isWritten) await Promise.all([prober.probedOnce(), directPaths.askedOnce()]);
        // Whatever cannot be looked at keeps nothing from being written; it is reported afterwards.
        const failures: unknown[] = [];
        const looked = (work: Promise<void>) => work.catch((error: unknown) => void failures.push(error));
        if (!isWritten) await looked(surroundings.look(cluster.podCIDRs));
        const compare = async () => {
          const drift = await writer.audit();
          metrics.repairedItems.inc({}, drift.length);
          if (drift.length === 0) return;
          world.log.warn('the network of the Node was changed by others, and is repaired', { drift });
          // Meanwhile kube-proxy may have translated in place of us, to others than our endpoints.
          lastServices = [];
        };
        await looked(
          suspicion.whenDue(auditEveryMs, async () => {
            await looked(surroundings.look(cluster.podCIDRs));
            await compare();
            if (failures.length > 0) throw failures[0];
          }),
        );
        // Not before it is known whether Antrea enforces them.
        const judged = policies?.read(nodes.get({ name: node }), services.list());
        note([...read.problems, ...usable.problems, ...(judged?.problems ?? [])]);
        const reaching = { ...cluster, direct: directPaths.used() };
        const network = plan({
          ...reaching,
          silent: prober.silent(),
          identities: judged?.identities,
          egress: judged?.egress,
        });
        wanted = { cluster: reaching, network, judged };
        if (!self.isGateway) offer = undefined;
        noteWays(reaching);
        await timed(() => suspicion.during(() => writer.write(network)));
        await forgetGone(cluster.services);
        isWritten = true;
        if (notWritten !== undefined) world.log.info('the network of the Node is written', { node });
        notWritten = undefined;
        offer = self.isGateway
          ? {
              publicKey: writer.publicKey,
              bypassedBy: surroundings.bypassedBy(),
              directProbes: directPaths.answersAt(cluster),
            }
          : undefined;
        if (failures.length > 0) throw failures[0];
      } catch (error) {
        // A gateway stays one: its kernel forwards what it did, and the probes of other clusters show whether it does.
        notWritten = errorMessage(error);
        throw error;
      }
      return again(suspicion.lookAgainMs(auditEveryMs), 'the network is compared with the kernel');
    },
  });

  const summarise = createProbeSummary();
  const lease = gatewayLease({
    client,
    namespace,
    node,
    clock,
    offer: () => offer,
    probes: () => summarise(prober.reports()),
    onWritten: (error) => (leaseError = error),
  });

  /** What no failure reports. */
  function noteNotWritten(why: string): void {
    if (notWritten !== why) world.log.warn('the network of the Node is not written', { why });
    notWritten = why;
  }

  function noteWays(cluster: ClusterNetwork): void {
    const before = new Set(ways.map(({ message }) => message));
    ways = missingWays(cluster, {
      namespace,
      clusterSets: clusterSets.list().length,
      clusterInfoImports: clusterInfoImports.list().length,
    });
    for (const { message, next } of ways) if (!before.has(message)) world.log.info(message, { next });
  }

  const noted = (): readonly AgentNote[] => [
    ...staleNotes(ownCaches, agentReader),
    ...staleNotes(policyCaches, policyReader),
    ...missingRights(policyCaches, true),
    ...leaseNotes(`${namespace}/${gatewayLeaseName(node)}`, leaseError),
    ...surroundings.notes(),
    ...flowNotes(notForgotten),
    ...ways,
  ];

  /** Measures a change of the kernel. */
  async function timed(write: () => Promise<unknown>): Promise<void> {
    const startedMs = clock.monotonic();
    const count = (outcome: string) =>
      metrics.writeSeconds.observe({ outcome }, (clock.monotonic() - startedMs) / 1_000);
    try {
      await write();
      count('written');
    } catch (error) {
      count('failed');
      throw error;
    }
  }

  /** Flows of UDP would go on to endpoints that are gone, also since before this agent. The network is as it should be without it, so a failure is no reason not to be ready. */
  async function forgetGone(services: ClusterNetwork['services']): Promise<void> {
    const lost = withGoneEndpoints(lastServices, services);
    try {
      if (lost.length > 0) await forgetFlows(lost, run);
      // Otherwise it is tried again after the next change or comparison.
      lastServices = services;
      notForgotten = undefined;
    } catch (error) {
      const why = errorMessage(error);
      if (why !== notForgotten)
        world.log.warn('UDP flows may continue to endpoints that are gone, until their clients pause', { why });
      notForgotten = why;
    }
  }

  function noteGateway({ gateway, state, roundTripMs, loss }: GatewayReport, before: GatewayReport['state']): void {
    if (before === 'new' && state !== 'dead') return;
    const { clusterID, underlay: address } = gateway;
    const fields = {
      ...(clusterID !== undefined && { remoteCluster: clusterID }),
      gateway: address,
      roundTripMs,
      loss,
    };
    if (state === 'dead') world.log.warn('a gateway does not answer probes', fields);
    else world.log.info('a gateway answers probes', fields);
  }

  function note(found: readonly Problem[]): void {
    const known = new Set(problems.map(textOf));
    for (const one of found.filter((each) => !known.has(textOf(each)))) {
      const { message: why, ...object } = one;
      world.log.warn('part of an object is not used', { ...object, why });
    }
    problems = found;
  }

  const agent: Agent = {
    notReady: () => [
      ...unreadReasons(ownCaches, agentReader),
      ...unreadReasons(policyCaches, policyReader),
      ...missingRights(policyCaches, false).map(({ message }) => message),
      ...(notWritten === undefined ? [] : [notWritten]),
    ],
    notes: () => noted().map(({ message }) => message),
    problems: () => problems,
    gateways: () => prober.reports(),
    status: () => ({
      node,
      isGateway: wanted !== undefined && ownNode(wanted.cluster).isGateway,
      notReady: agent.notReady(),
      notes: noted(),
      problems,
      encryption: settings.wireGuardPort === undefined ? 'none' : 'wireGuard',
      gateways: prober.reports().map(gatewayStatus),
      virtualPodCIDRs: (wanted?.cluster.virtualCIDRs ?? []).map(virtualStatus),
      directPaths: directPaths.status(wanted?.cluster),
      services: wanted === undefined ? [] : serviceStatuses(wanted.cluster),
      ...(wanted?.judged !== undefined && { policies: policyStatus(wanted.judged) }),
      ...(wanted !== undefined && { desired: desiredItems(wanted.network) }),
    }),
    async run(signal) {
      using stack = new DisposableStack();
      stack.defer(() => heldNft?.close());
      await Promise.all([
        ...Object.values(caches).map((cache) => cache.run(signal)),
        prober.run(signal),
        directPaths.run(signal),
        monitor.run(signal),
        runController(reconciler, { ...world, signal }),
        runController(lease, { ...world, signal }),
      ]);
    },
  };
  return agent;
}

const textOf = ({ kind, namespace, name, message }: Problem) => `${kind} ${namespace ?? ''}/${name} ${message}`;

import type { ClusterSet } from '@isthmus/api';
import type { Outcome } from '@isthmus/kube';
import { again, done } from '@isthmus/kube';
import { addressText, errorMessage, urlHost } from '@isthmus/machinery';
import { ownNode } from '../desired/own-node.ts';
import type { Problem } from '../objects/problem.ts';
import { createObjectReader } from '../objects/read-objects.ts';
import { forgetGone, lookAround, writeNetwork } from './act.ts';
import type { Gathered } from './decide.ts';
import { createDecider, newOnes, offerOf } from './decide.ts';
import type { OpenGateways } from './open-gateways.ts';
import type { OpenKernel } from './open-kernel.ts';
import type { OpenObjects } from './open-objects.ts';
import type { AgentOptions } from './options.ts';
import type { OpenPolicies } from './policies.ts';
import type { AgentMemory, AgentState } from './state.ts';

export interface KeepingOptions {
  readonly options: AgentOptions;
  readonly objects: OpenObjects;
  /** Undefined: policies are off. */
  readonly policies: OpenPolicies | undefined;
  readonly kernel: OpenKernel;
  readonly gateways: OpenGateways;
  readonly memory: AgentMemory;
}

/** Gathers all input of the network of a Node, decides the network, and writes it. */
export function createKeeper(keeping: KeepingOptions): () => Promise<Outcome> {
  const { options, objects, policies, kernel, gateways, memory } = keeping;
  const { node, namespace, podCIDRs = [], virtualCIDRs = [], settings, auditEveryMs = 600_000 } = options;
  const { log } = options.world;
  const readObjects = createObjectReader();
  const decider = createDecider(options);

  async function gather(): Promise<Gathered> {
    const listed = objects.list();
    const localRanges = await kernel.localRanges.read(leaderHosts(listed.clusterSets));
    if (localRanges !== undefined) memory.remember({ localRanges });
    const read = readObjects({ node, podCIDRs, virtualCIDRs, localRanges, settings: memory.state.tunnels, ...listed });
    const hasNode = objects.node(node) !== undefined;
    if (read.network === undefined) return { read, hasNode, local: [] };
    const underlay = await kernel.underlay.read(addressText(ownNode(read.network).address));
    const isHere = underlay !== undefined || settings.underlayMTU !== undefined;
    const local = isHere ? await kernel.localAddresses.read('local') : undefined;
    return { read, hasNode, underlay, local: local ?? [] };
  }

  /** Updates the state. New problems and notes are logged once. */
  function remember(changes: Partial<AgentState>): void {
    const { problems, ways } = memory.state;
    for (const { message: why, ...object } of newOnes(problems, changes.problems ?? [], problemText))
      log.warn('part of an object is not used', { ...object, why });
    for (const { message, next } of newOnes(ways, changes.ways ?? [], (way) => way.message))
      log.info(message, { next });
    memory.remember(changes);
  }

  async function keep(): Promise<Outcome> {
    const place = decider.place(memory.state, await gather());
    if (place.kind === 'unknown') {
      const { why, changes, lookAgainMs } = place;
      if (memory.state.notWritten !== why) log.warn('the network of the Node is not written', { why });
      remember({ ...changes, notWritten: why });
      return lookAgainMs === undefined ? done : again(lookAgainMs, why);
    }
    remember({ tunnels: place.cluster.settings });
    const cluster = gateways.watch(place.cluster);
    // A gateway that an earlier run left out remains left out, if it still does not answer.
    if (!memory.state.isWritten) await gateways.probedOnce();
    // The agent knows whether Antrea enforces policies only after it has looked at the Node.
    const failures = await lookAround(keeping, { podCIDRs: cluster.podCIDRs, auditEveryMs });
    const { clusterSets, clusterInfoImports, services } = objects.list();
    const decision = decider.decide({
      cluster,
      problems: place.problems,
      silent: gateways.prober.silent(),
      direct: gateways.directPaths.used(),
      judged: policies?.read(objects.node(node), services),
      member: { namespace, clusterSets: clusterSets.length, clusterInfoImports: clusterInfoImports.length },
    });
    const { problems, ways, isGateway, ...wanted } = decision;
    remember({ problems, ways, wanted, ...(!isGateway && { offer: undefined }) });
    await writeNetwork(keeping, wanted.network);
    await forgetGone(keeping, cluster.services);
    if (memory.state.notWritten !== undefined) log.info('the network of the Node is written', { node });
    const offer = offerOf(decision, {
      publicKey: kernel.writer.publicKey,
      bypassedBy: kernel.surroundings.bypassedBy(),
      directProbes: gateways.directPaths.answersAt(cluster),
    });
    remember({ isWritten: true, notWritten: undefined, offer });
    if (failures.length > 0) throw failures[0];
    return again(kernel.auditSchedule.lookAgainMs(auditEveryMs), 'the network is compared with the kernel');
  }

  return async () => {
    try {
      return await keep();
    } catch (error) {
      // The Node remains a gateway: its kernel forwards as before, and probes of other clusters
      // show it.
      memory.remember({ notWritten: errorMessage(error) });
      throw error;
    }
  };
}

/** The hosts of the API server of the leader, separated by blanks. */
function leaderHosts(clusterSets: readonly ClusterSet[]): string {
  const servers = clusterSets.flatMap(({ spec }) => spec?.leaders ?? []).map(({ server = '' }) => server);
  const urls = servers.flatMap((server) => URL.parse(server) ?? []);
  return [...new Set(urls.map(urlHost))].toSorted().join(' ');
}

const problemText = ({ kind, namespace, name, message }: Problem) => `${kind} ${namespace ?? ''}/${name} ${message}`;

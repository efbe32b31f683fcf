import type { Reconciler, RunnableCache } from '@isthmus/kube';
import { atStart, defineReconciler, from, onChange, runController } from '@isthmus/kube';
import type { KubernetesObject } from '@isthmus/machinery';
import type { Problem } from '../objects/problem.ts';
import type { GatewayReport } from '../probes/gateway-record.ts';
import { smallPathsOf } from '../probes/sizes/small-paths.ts';
import { createProbeSummary } from '../probes/summarise-probes.ts';
import type { AgentStatus } from '../status/agent-status.ts';
import { gatewayLease } from './gateway-lease.ts';
import { openGateways } from './open-gateways.ts';
import type { KeepingOptions } from './keep-network.ts';
import { createKeeper } from './keep-network.ts';
import { openKernel } from './open-kernel.ts';
import { agentAccess, openObjects } from './open-objects.ts';
import type { AgentOptions } from './options.ts';
import { openPolicies, policyAccess } from './policies.ts';
import { agentNotes, agentStatus, notReadyReasons } from './report.ts';
import { createMemory, firstState } from './state.ts';

/** The agent of one Node. */
export interface Agent {
  /**
   * Why the network of the Node is not as it should be; empty if it is. An unreachable API server
   * is not a reason: the objects that were read last still apply.
   */
  notReady(): readonly string[];
  /**
   * Objects that cannot be read from the API server now, since when, and why. Also anything on the
   * Node that may stop packets: a CNI that bypasses nft, or a firewall.
   */
  notes(): readonly string[];
  /** The parts of objects that the agent does not use. */
  problems(): readonly Problem[];
  /** The results of probes of the gateways that this Node sends packets to. */
  gateways(): readonly GatewayReport[];
  /** All of the above, with the desired network. */
  status(): AgentStatus;
  /**
   * Keeps the network of the Node as it should be until `signal` aborts. The network remains then:
   * the kernel continues to forward without an agent.
   */
  run(signal: AbortSignal): Promise<void>;
}

/**
 * Keeps the network of one Node as the objects of its cluster require. It writes nothing before it
 * has read all objects once, so a restart changes nothing. While its API server is unreachable, the
 * objects that were read last apply.
 */
export function createAgent(options: AgentOptions): Agent {
  const { client, namespace, node, world } = options;
  const memory = createMemory(firstState(options));
  const every = { ...world, client };
  const objects = openObjects(every, namespace);
  const policies = options.enableStretchedNetworkPolicy === true ? openPolicies(every, node) : undefined;
  const kernel = openKernel(options, policies);
  const isWritten = () => memory.state.isWritten;
  const gateways = openGateways(options, {
    isWritten,
    clusterID: objects.clusterID,
    onDead: () => kernel.auditSchedule.request(),
  });
  const keeping: KeepingOptions = { options, objects, policies, kernel, gateways, memory };
  const caches: readonly RunnableCache<KubernetesObject>[] = Object.values({ ...objects.caches, ...policies?.caches });
  const summarise = createProbeSummary();
  const lease = gatewayLease({
    client,
    namespace,
    node,
    clock: world.clock,
    offer: () => memory.state.offer,
    probes: () => summarise(gateways.prober.reports()),
    smallPaths: () => smallPathsOf(gateways.reports()),
    localRanges: () => memory.state.localRanges,
    onWritten: (leaseError) => memory.remember({ leaseError }),
  });
  const network = networkReconciler(keeping, caches);
  return {
    notReady: () => notReadyReasons(keeping),
    notes: () => agentNotes(keeping).map(({ message }) => message),
    problems: () => memory.state.problems,
    gateways: () => gateways.reports(),
    status: () => agentStatus(keeping),
    async run(signal) {
      using stack = new DisposableStack();
      stack.defer(() => kernel.close());
      await Promise.all([
        ...caches.map((cache) => cache.run(signal)),
        gateways.prober.run(signal),
        gateways.sizes.run(signal),
        gateways.directPaths.run(signal),
        kernel.monitor.run(signal),
        runController(network, { ...world, signal }),
        runController(lease, { ...world, signal }),
      ]);
    },
  };
}

/** The only key: the network is written as a whole, so a burst of changes causes one write. */
const theOnly = 'network';
const burstMs = 50;

function networkReconciler(keeping: KeepingOptions, caches: readonly RunnableCache<KubernetesObject>[]): Reconciler {
  const { policies, kernel, gateways } = keeping;
  const all = () => [theOnly];
  return defineReconciler({
    name: 'node-network',
    concurrency: 1,
    coalesceMs: burstMs,
    sources: [
      ...caches.map((cache) => from(cache, all)),
      atStart(theOnly),
      onChange(gateways.prober.subscribe, all),
      onChange(gateways.directPaths.subscribe, all),
      onChange(kernel.auditSchedule.subscribe, all),
      onChange(kernel.underlay.subscribe, all),
      onChange(kernel.localAddresses.subscribe, all),
      onChange(kernel.localRanges.subscribe, all),
    ],
    access: policies === undefined ? agentAccess : [...agentAccess, ...policyAccess],
    reconcile: createKeeper(keeping),
  });
}

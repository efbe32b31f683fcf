import { Lease } from '@isthmus/api';
import type { Reconciler, World } from '@isthmus/kube';
import { again, atStart, defineReconciler, done, from, isNotFound } from '@isthmus/kube';
import { conditionOf, rfc3339, rfc3339Micro } from '@isthmus/machinery';
import { Node } from '../kinds.ts';
import type { SharedCaches } from '../shared-caches.ts';
import type { KubeletOptions, SimulatedNode } from './simulated-node.ts';
import { isStopped, nodeIP } from './simulated-node.ts';

export const leaseNamespace = 'kube-node-lease';
export const leaseSeconds = 40;
const heartbeatMs = 10_000;
const namespaceRetryMs = 200;

/**
 * Registers the simulated Nodes and keeps them ready: a Lease every 10 s, one write each. Stopped
 * Nodes are skipped.
 */
export function nodeRegistration(caches: SharedCaches, world: World, { nodes, runtime }: KubeletOptions): Reconciler {
  const { clock } = world;
  const resource = caches.of(Node);
  const leases = caches.of(Lease);
  const simulated = new Map(nodes.map((node) => [node.name, node]));
  return defineReconciler({
    name: 'node-registration',
    sources: [
      from(resource.cache, ({ metadata }) => (simulated.has(metadata.name) ? [metadata.name] : [])),
      from(leases.cache, () => []),
      atStart(...simulated.keys()),
    ],
    access: [
      { at: 'local', type: Node, scope: 'all', verbs: ['list', 'watch', 'create'] },
      { at: 'local', type: Node, subresource: 'status', scope: 'all', verbs: ['patch'] },
      { at: 'local', type: Lease, scope: 'all', verbs: ['list', 'watch', 'create', 'patch'] },
    ],
    async reconcile(name, { signal }) {
      const wanted = simulated.get(name);
      if (wanted === undefined) return done;
      const found = resource.cache.getByKey(name);
      if (isStopped(found)) return done;
      const node = found ?? (await resource.create(registered(wanted), signal));
      const isReady = conditionOf(node.status?.conditions, 'Ready')?.status === 'True';
      if (!isReady) {
        await resource.changeStatus(
          node,
          {
            ...node.status,
            ...readyStatus(wanted, node, { now: rfc3339(clock.now()), runtime: runtime?.version ?? 'simulated://1' }),
          },
          signal,
        );
      }
      const taints = node.spec?.taints?.filter(
        ({ key }) =>
          !key.startsWith('node.kubernetes.io/not-ready') && !key.startsWith('node.kubernetes.io/unreachable'),
      );
      if (taints !== undefined && taints.length !== node.spec?.taints?.length) {
        const current = resource.cache.getByKey(name) ?? node;
        await resource.change(current, { ...current, spec: { ...current.spec, taints } }, signal);
      }
      const lease = leases.cache.get({ namespace: leaseNamespace, name });
      const dueMs =
        lease === undefined || !isReady ? 0 : Date.parse(lease.spec?.renewTime ?? '') + heartbeatMs - clock.now();
      if (dueMs > 0) return again(dueMs, 'the next heartbeat');
      const spec = { holderIdentity: name, leaseDurationSeconds: leaseSeconds, renewTime: rfc3339Micro(clock.now()) };
      try {
        if (lease === undefined) await leases.create({ metadata: { name, namespace: leaseNamespace }, spec }, signal);
        else await leases.change(lease, { ...lease, spec: { ...lease.spec, ...spec } }, signal);
      } catch (error) {
        // A server makes that Namespace a moment after its start.
        if (!isNotFound(error)) throw error;
        return again(namespaceRetryMs, `Namespace ${leaseNamespace} is not there yet`);
      }
      return again(heartbeatMs, 'the next heartbeat');
    },
  });
}

function registered({ name, podCIDR, labels, annotations }: SimulatedNode): Node {
  const own = { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64' };
  return {
    metadata: { name, labels: { ...own, ...labels }, ...(annotations !== undefined && { annotations }) },
    spec: { podCIDR, podCIDRs: [podCIDR] },
  };
}

function readyStatus(
  simulated: SimulatedNode,
  node: Node,
  { now, runtime }: { readonly now: string; readonly runtime: string },
): Node['status'] & object {
  const condition = (type: string, status: 'True' | 'False', reason: string, message: string) => ({
    type,
    status,
    reason,
    message,
    lastHeartbeatTime: now,
    lastTransitionTime:
      (conditionOf(node.status?.conditions, type)?.status === status
        ? conditionOf(node.status?.conditions, type)?.lastTransitionTime
        : undefined) ?? now,
  });
  const resources = { cpu: '4', memory: '8Gi', pods: '110' };
  const info = {
    architecture: 'amd64',
    bootID: '',
    containerRuntimeVersion: runtime,
    kernelVersion: '',
    kubeProxyVersion: '',
    kubeletVersion: 'v1.36.3',
    machineID: '',
    operatingSystem: 'linux',
    osImage: 'simulated',
    systemUUID: '',
  };
  // More than the type of a Node here knows.
  const machine = { capacity: resources, allocatable: resources, nodeInfo: info };
  return {
    ...machine,
    addresses: [
      { type: 'InternalIP', address: nodeIP(simulated) },
      { type: 'Hostname', address: simulated.name },
    ],
    conditions: [
      condition('MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'),
      condition('DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'),
      condition('PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'),
      condition('Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'),
    ],
  };
}

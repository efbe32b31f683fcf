import { Lease } from '@isthmus/api';
import type { Reconciler, World } from '@isthmus/kube';
import { again, defineReconciler, done, from } from '@isthmus/kube';
import { conditionOf, rfc3339, setCondition } from '@isthmus/machinery';
import { Node, Pod } from '../kinds.ts';
import type { Taint } from '../kinds.ts';
import { isReady } from '../pod-state.ts';
import type { SharedCaches } from '../shared-caches.ts';
import { Index } from '../shared-caches.ts';
import { leaseNamespace, leaseSeconds } from './node-registration.ts';

const unreachable = 'node.kubernetes.io/unreachable';
const notReady = 'node.kubernetes.io/not-ready';
const unschedulable = 'node.kubernetes.io/unschedulable';

/** The time that a Node may take until its first report. */
const startupSeconds = 60;

/**
 * Marks a Node as Unknown and unreachable, and its Pods as not ready, if its Lease or status has
 * not changed for 40 s. A Node that has never reported has 60 s since it was first seen. These
 * times are measured by the local clock, since clocks of Nodes may differ. A cordoned Node gets the
 * taint for it. Left out: eviction for a `NoExecute` taint, taints for pressure, zones, and Events.
 */
export function nodeLifecycleController(caches: SharedCaches, { clock }: World): Reconciler {
  const nodes = caches.of(Node);
  const pods = caches.of(Pod);
  const leases = caches.of(Lease);
  const seen = new Map<string, { readonly sign: string; readonly atMs: number }>();
  return defineReconciler({
    name: 'node-lifecycle',
    sources: [
      from(nodes.cache, ({ metadata }) => [metadata.name]),
      from(leases.cache, ({ metadata }) => (metadata.namespace === leaseNamespace ? [metadata.name] : [])),
      from(pods.cache, (pod) => (pod.spec?.nodeName === undefined ? [] : [pod.spec.nodeName])),
    ],
    access: [
      { at: 'local', type: Node, scope: 'all', verbs: ['list', 'watch', 'patch'] },
      { at: 'local', type: Node, subresource: 'status', scope: 'all', verbs: ['patch'] },
      { at: 'local', type: Lease, scope: 'all', verbs: ['list', 'watch'] },
      { at: 'local', type: Pod, scope: 'all', verbs: ['list', 'watch'] },
      { at: 'local', type: Pod, subresource: 'status', scope: 'all', verbs: ['patch'] },
    ],
    async reconcile(name, { signal }) {
      const found = nodes.cache.getByKey(name);
      if (found === undefined) seen.delete(name);
      if (found === undefined) return done;
      const node = await cordoned(found, signal);
      const ready = conditionOf(node.status?.conditions, 'Ready');
      const renewed = leases.cache.get({ namespace: leaseNamespace, name })?.spec?.renewTime ?? '';
      const sign = `${renewed} ${ready?.lastHeartbeatTime ?? ''}`;
      const before = seen.get(name);
      const sighting = before?.sign === sign ? before : { sign, atMs: clock.monotonic() };
      seen.set(name, sighting);
      const patienceSeconds = ready === undefined ? startupSeconds : leaseSeconds;
      const leftMs = sighting.atMs + patienceSeconds * 1_000 - clock.monotonic();
      if (ready?.status !== 'Unknown' && leftMs > 0) return again(leftMs, 'the Node may fall silent');
      if (ready?.status !== 'Unknown') await markUnknown(node, signal);
      await markPods(name, signal);
      return done;
    },
  });

  async function markUnknown(node: Node, signal: AbortSignal): Promise<void> {
    const now = rfc3339(clock.now());
    let conditions = node.status?.conditions ?? [];
    for (const type of ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure']) {
      const known = conditionOf(conditions, type);
      const reason = known === undefined ? 'NodeStatusNeverUpdated' : 'NodeStatusUnknown';
      const message =
        known === undefined ? 'Kubelet never posted node status.' : 'Kubelet stopped posting node status.';
      const heartbeat = known?.lastHeartbeatTime ?? node.metadata.creationTimestamp;
      conditions = setCondition(
        conditions,
        { type, status: 'Unknown', reason, message, lastHeartbeatTime: heartbeat },
        now,
      );
    }
    const written = await nodes.changeStatus(node, { ...node.status, conditions }, signal);
    const others = (written.spec?.taints ?? []).filter(({ key }) => key !== unreachable && key !== notReady);
    const taints: Taint[] = [
      ...others,
      ...['NoSchedule', 'NoExecute'].map((effect) => ({ key: unreachable, effect, timeAdded: now })),
    ];
    await nodes.change(written, { ...written, spec: { ...written.spec, taints } }, signal);
  }

  /** The Node with the taint of cordoned Nodes if it is cordoned, and without it otherwise. */
  async function cordoned(node: Node, signal: AbortSignal): Promise<Node> {
    const { taints = [] } = node.spec ?? {};
    const wanted = node.spec?.unschedulable === true;
    if (taints.some(({ key }) => key === unschedulable) === wanted) return node;
    const others = taints.filter(({ key }) => key !== unschedulable);
    const taint = { key: unschedulable, effect: 'NoSchedule', timeAdded: rfc3339(clock.now()) };
    const spec = { ...node.spec, taints: wanted ? [...others, taint] : others };
    return nodes.change(node, { ...node, spec }, signal);
  }

  async function markPods(node: string, signal: AbortSignal): Promise<void> {
    const now = rfc3339(clock.now());
    for (const pod of pods.cache.byIndex(Index.node, node).filter(isReady)) {
      const conditions = (pod.status?.conditions ?? []).map((condition) =>
        condition.type === 'Ready' ? { ...condition, status: 'False' as const, lastTransitionTime: now } : condition,
      );
      await pods.changeStatus(pod, { ...pod.status, conditions }, signal);
    }
  }
}

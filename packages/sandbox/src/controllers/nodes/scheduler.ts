import type { Client, Reconciler, World } from '@isthmus/kube';
import { defineReconciler, done, from, isConflict, isNamespaceTerminating, isNotFound, pathOf } from '@isthmus/kube';
import { keyOfObject, rfc3339, setCondition } from '@isthmus/machinery';
import { Node, Pod } from '../kinds.ts';
import { isFinished } from '../pod-state.ts';
import type { SharedCaches } from '../shared-caches.ts';
import { Index } from '../shared-caches.ts';
import { misfit } from './placement.ts';

export interface SchedulerOptions {
  readonly client: Client;
  readonly caches: SharedCaches;
  readonly world: World;
}

/** The Node with the fewest Pods among those that fit, the first by name; or why there is none. */
export type Choice =
  | { readonly kind: 'node'; readonly name: string }
  | { readonly kind: 'none'; readonly message: string };

function chooseNode(pod: Pod, nodes: readonly Node[], podsOn: (node: string) => number): Choice {
  const misfits = nodes.map((node) => ({ node, why: misfit(pod.spec ?? {}, node) }));
  const [best] = misfits
    .filter(({ why }) => why === undefined)
    .map(({ node }) => ({ name: node.metadata.name, pods: podsOn(node.metadata.name) }))
    .toSorted((a, b) => a.pods - b.pods || (a.name < b.name ? -1 : 1));
  if (best !== undefined) return { kind: 'node', name: best.name };
  if (nodes.length === 0) return { kind: 'none', message: 'no nodes available to schedule pods' };
  const counts = new Map<string, number>();
  for (const { why = '' } of misfits) counts.set(why, (counts.get(why) ?? 0) + 1);
  const reasons = [...counts].map(([why, count]) => `${count} ${why}`).toSorted();
  return { kind: 'none', message: `0/${nodes.length} nodes are available: ${reasons.join(', ')}.` };
}

/**
 * Binds Pods to Nodes by Node selector, required Node affinity and taints. Left out: resources,
 * ports of the Node, affinity between Pods, spreading, preferences, preemption, scheduling gates,
 * and Events. Pods of other schedulers are none of its business.
 */
export function schedulerController({ client, caches, world }: SchedulerOptions): Reconciler {
  const pods = caches.of(Pod);
  const nodes = caches.of(Node);
  /** Bound by us, and not yet seen so in the cache. */
  const bound = new Map<string, string>();
  const podsOn = (node: string) =>
    pods.cache.byIndex(Index.node, node).filter((pod) => !isFinished(pod)).length +
    [...bound.values()].filter((one) => one === node).length;
  const isWaiting = ({ spec, metadata }: Pod) =>
    (spec?.nodeName ?? '') === '' &&
    (spec?.schedulerName ?? 'default-scheduler') === 'default-scheduler' &&
    metadata.deletionTimestamp === undefined;
  return defineReconciler({
    name: 'scheduler',
    concurrency: 1,
    sources: [
      from(pods.cache, (pod) => [keyOfObject(pod)]),
      from(nodes.cache, () => pods.cache.list().filter(isWaiting).map(keyOfObject)),
    ],
    access: [
      { at: 'local', type: Node, scope: 'all', verbs: ['list', 'watch'] },
      { at: 'local', type: Pod, scope: 'all', verbs: ['list', 'watch'] },
      { at: 'local', type: Pod, subresource: 'binding', scope: 'all', verbs: ['create'] },
      { at: 'local', type: Pod, subresource: 'status', scope: 'all', verbs: ['patch'] },
    ],
    async reconcile(key, { signal }) {
      const pod = pods.cache.getByKey(key);
      if (pod === undefined || !isWaiting(pod)) bound.delete(key);
      if (pod === undefined || !isWaiting(pod) || bound.has(key)) return done;
      const choice = chooseNode(pod, nodes.cache.list(), podsOn);
      if (choice.kind === 'none') {
        const condition = {
          type: 'PodScheduled',
          status: 'False',
          reason: 'Unschedulable',
          message: choice.message,
        } as const;
        const conditions = setCondition(pod.status?.conditions ?? [], condition, rfc3339(world.clock.now()));
        await pods.changeStatus(pod, { ...pod.status, conditions }, signal);
        return done;
      }
      const { name, namespace, uid } = pod.metadata;
      const target = { apiVersion: 'v1', kind: 'Node', name: choice.name };
      const body = { apiVersion: 'v1', kind: 'Binding', metadata: { name, namespace, uid }, target };
      const path = pathOf(Pod, { namespace, name, subresource: 'binding' });
      bound.set(key, choice.name);
      try {
        const headers = { 'content-type': 'application/json' };
        await client.request({ method: 'POST', path, headers, body: JSON.stringify(body) }, { signal });
      } catch (error) {
        bound.delete(key);
        if (!isNotFound(error) && !isConflict(error) && !isNamespaceTerminating(error)) throw error;
      }
      return done;
    },
  });
}

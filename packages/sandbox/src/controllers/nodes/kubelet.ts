import type { Client, Reconciler, World } from '@isthmus/kube';
import { again, defineReconciler, done, from, onChange } from '@isthmus/kube';
import { keyOfObject } from '@isthmus/machinery';
import { Node, Pod } from '../kinds.ts';
import { isFinished } from '../pod-state.ts';
import type { SharedCaches } from '../shared-caches.ts';
import { Index } from '../shared-caches.ts';
import { graceMs, terminationEndMs, workLeftMs } from './pod-times.ts';
import { removePod } from './remove-pod.ts';
import { runContainers } from './run-containers.ts';
import { runningStatus, succeededStatus } from './running-status.ts';
import type { KubeletOptions } from './simulated-node.ts';
import { SimulationAnnotation, freeAddress, isStopped, nodeIP } from './simulated-node.ts';

export type { KubeletOptions } from './simulated-node.ts';

export interface KubeletControllerOptions {
  readonly client: Client;
  readonly caches: SharedCaches;
  readonly world: World;
  readonly options: KubeletOptions;
}

/**
 * Runs the Pods of the simulated Nodes: assigns each an address (one, IPv4) and reports its
 * containers as running. A deleted Pod is removed when its containers have ended.
 *
 * - Without a runtime, containers never fail. Those of a Job succeed after a second; others run
 *   forever.
 * - With a runtime, it runs the containers, which are restarted by the restart policy of their Pod.
 *
 * Left out: probes, init containers (they count as done, and have no statuses), volumes, resources
 * of the Node, eviction for a taint, and Events.
 */
export function kubeletController({ client, caches, world, options }: KubeletControllerOptions): Reconciler {
  const pods = caches.of(Pod);
  const nodes = caches.of(Node);
  const simulated = new Map(options.nodes.map((node) => [node.name, node]));
  const { runtime } = options;
  const isReady =
    options.isReady ?? (({ metadata }: Pod) => metadata.annotations?.[SimulationAnnotation.ready] !== 'false');
  return defineReconciler({
    name: 'kubelet',
    // Addresses are assigned one after the other, since taken ones are read from the Pods.
    concurrency: 1,
    sources: [
      from(pods.cache, (pod) => (simulated.has(pod.spec?.nodeName ?? '') ? [keyOfObject(pod)] : [])),
      from(nodes.cache, ({ metadata }) =>
        simulated.has(metadata.name) ? pods.cache.byIndex(Index.node, metadata.name).map(keyOfObject) : [],
      ),
      ...(runtime === undefined ? [] : [onChange(runtime.subscribe, runtime.pods)]),
    ],
    access: [
      { at: 'local', type: Pod, scope: 'all', verbs: ['list', 'watch', 'delete'] },
      { at: 'local', type: Pod, subresource: 'status', scope: 'all', verbs: ['patch'] },
      { at: 'local', type: Node, scope: 'all', verbs: ['list', 'watch'] },
    ],
    async reconcile(key, { signal }) {
      const pod = pods.cache.getByKey(key);
      const node = simulated.get(pod?.spec?.nodeName ?? '');
      // One that was deleted without waiting for its containers, or another one of that name.
      const runningUid = runtime?.uidOf(key);
      if (runningUid !== undefined && runningUid !== pod?.metadata.uid && runtime?.stop(key, 0) === false) return done;
      if (pod === undefined || node === undefined || isStopped(nodes.cache.getByKey(node.name))) return done;
      const now = world.clock.now();
      if (runtime !== undefined && pod.metadata.deletionTimestamp !== undefined) {
        // The runtime notifies when the Pod has gone.
        if (runtime.stop(key, graceMs(pod, options.terminationMs))) await removePod(client, pod, signal);
        return done;
      }
      const endsAtMs = terminationEndMs(pod, options.terminationMs);
      if (endsAtMs !== undefined) {
        if (now < endsAtMs) return again(endsAtMs - now, 'the containers are ending');
        await removePod(client, pod, signal);
        return done;
      }
      if (isFinished(pod)) return done;
      const hostIP = nodeIP(node);
      const taken = new Set(
        pods.cache
          .byIndex(Index.node, node.name)
          .filter((one) => !isFinished(one))
          .map((one) => one.status?.podIP ?? ''),
      );
      const podIP = pod.spec?.hostNetwork === true ? hostIP : (pod.status?.podIP ?? freeAddress(node, taken));
      // Another Pod's end gives an address back; the change of that Pod does not wake this one.
      if (podIP === undefined) return again(1_000, `Node ${node.name} has no address left in ${node.podCIDR}`);
      if (runtime !== undefined) {
        const at = { node: node.name, podIP, hostIP, signal };
        return runContainers({ runtime, pods, clock: world.clock, isReady }, pod, at);
      }
      const leftMs = workLeftMs(pod, now);
      const status =
        leftMs === 0
          ? succeededStatus(pod, now)
          : runningStatus(pod, { podIP, hostIP, isReady: isReady(pod), nowMs: now });
      await pods.changeStatus(pod, status, signal);
      return leftMs === undefined || leftMs === 0 ? done : again(leftMs, 'the Pod of a Job is at work');
    },
  });
}

import type { Client, Outcome, Reconciler, World } from '@isthmus/kube';
import { again, defineReconciler, done, from, isConflict, isNotFound, onChange, pathOf } from '@isthmus/kube';
import { controllerOf, keyOfObject, parseRfc3339 } from '@isthmus/machinery';
import { Node, Pod } from '../kinds.ts';
import { isFinished } from '../pod-state.ts';
import type { SharedCaches } from '../shared-caches.ts';
import { Index } from '../shared-caches.ts';
import { decideContainers } from './decide-containers.ts';
import type { RestartPolicy } from './decide-containers.ts';
import type { PodRuntime } from './pod-runtime.ts';
import { processStatus } from './process-status.ts';
import { runningStatus, succeededStatus } from './running-status.ts';
import type { KubeletOptions } from './simulated-node.ts';
import { SimulationAnnotation, freeAddress, isStopped, nodeIP } from './simulated-node.ts';

export type { KubeletOptions } from './simulated-node.ts';

/** How long the Pod of a Job runs. */
const jobMs = 1_000;

export interface KubeletControllerOptions {
  readonly client: Client;
  readonly caches: SharedCaches;
  readonly world: World;
  readonly options: KubeletOptions;
}

/** The Node and the addresses of a Pod. */
interface Placed {
  readonly node: string;
  readonly podIP: string;
  readonly hostIP: string;
  readonly signal: AbortSignal;
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
        const { deletionGracePeriodSeconds = 0 } = pod.metadata;
        const graceMs = Math.min(deletionGracePeriodSeconds * 1_000, options.terminationMs ?? Infinity);
        // The runtime notifies when the Pod has gone.
        if (!runtime.stop(key, graceMs)) return done;
        await remove(pod, signal);
        return done;
      }
      const endsAtMs = terminationEnd(pod);
      if (endsAtMs !== undefined) {
        if (now < endsAtMs) return again(endsAtMs - now, 'the containers are ending');
        await remove(pod, signal);
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
      if (runtime !== undefined) return runContainers(runtime, pod, { node: node.name, podIP, hostIP, signal });
      const leftMs = controllerOf(pod)?.kind === 'Job' ? workLeftMs(pod, now) : undefined;
      const status =
        leftMs === 0
          ? succeededStatus(pod, now)
          : runningStatus(pod, { podIP, hostIP, isReady: isReady(pod), nowMs: now });
      await pods.changeStatus(pod, status, signal);
      return leftMs === undefined || leftMs === 0 ? done : again(leftMs, 'the Pod of a Job is at work');
    },
  });

  /** Starts the containers that are to run, and reports how they are. */
  async function runContainers(runtime: PodRuntime, pod: Pod, at: Placed): Promise<Outcome> {
    const { podIP, hostIP, signal } = at;
    const key = keyOfObject(pod);
    await runtime.start(pod, at);
    const names = (pod.spec?.containers ?? []).map(({ name }) => name);
    const restartPolicy =
      (pod.spec as { readonly restartPolicy?: RestartPolicy } | undefined)?.restartPolicy ?? 'Always';
    const decide = () => decideContainers(names, runtime.runs(key), { restartPolicy, nowMs: world.clock.now() });
    for (const [name, { kind }] of decide().containers) if (kind === 'start') await runtime.startContainer(key, name);
    const verdict = decide();
    const { simulation } = runtime;
    const nowMs = world.clock.now();
    const status = processStatus(pod, { podIP, hostIP, verdict, mayBeReady: isReady(pod), simulation, nowMs });
    await pods.changeStatus(pod, status, signal);
    if (verdict.phase !== 'Running') await runtime.finish(key);
    const { againMs } = verdict;
    return againMs === undefined ? done : again(againMs, 'a container that has ended is started again');
  }

  /** Milliseconds until the Pod of a Job has done its work. */
  function workLeftMs({ status }: Pod, nowMs: number): number {
    const started = parseRfc3339(status?.startTime);
    return started === undefined ? jobMs : Math.max(0, started + jobMs - nowMs);
  }

  function terminationEnd({ metadata }: Pod): number | undefined {
    const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = metadata;
    if (deletionTimestamp === undefined) return undefined;
    // The deletionTimestamp is the end of the grace period.
    const graceMs = deletionGracePeriodSeconds * 1_000;
    return (parseRfc3339(deletionTimestamp) ?? 0) - graceMs + Math.min(graceMs, options.terminationMs ?? graceMs);
  }

  async function remove(pod: Pod, signal: AbortSignal): Promise<void> {
    const { name, namespace, uid } = pod.metadata;
    const body = { apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds: 0, preconditions: { uid } };
    const headers = { 'content-type': 'application/json' };
    try {
      await client.request(
        { method: 'DELETE', path: pathOf(Pod, { namespace, name }), headers, body: JSON.stringify(body) },
        { signal },
      );
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }
}

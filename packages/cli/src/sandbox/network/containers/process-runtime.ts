import { keyOfObject } from '@isthmus/machinery';
import type { ContainerRef, ContainerStreams, PodRuntime, RuntimePod } from '@isthmus/sandbox';
import { execInContainer } from './exec-in-container.ts';
import type { PodNetwork } from './pod-network.ts';
import { podNetworkOf } from './pod-network.ts';
import type { ContainerHost } from './run-container.ts';
import { endContainer, runContainer } from './run-container.ts';
import type { RunningPod } from './running-pod.ts';

export interface ProcessRuntimeOptions extends ContainerHost {
  /** Gives the network of each Pod of all clusters a name of its own. */
  readonly nextNetwork: () => string;
}

/** The containers of one cluster. */
export interface ProcessRuntime extends PodRuntime, ContainerStreams {
  /** Ends all of them. */
  end(): void;
}

const simulation = {
  reason: 'ProcessesOfTheHost',
  message:
    'The image of this Pod was not pulled: its containers are processes of the machine that runs the sandbox, with the files of that machine, in the network of the Pod.',
};

/**
 * Runs containers as processes of this machine: each in namespaces of processes, mounts and host
 * names of its own, with the files of the machine, and in the network of its Pod. Errors are those
 * of the programs that make networks.
 */
export function createProcessRuntime(options: ProcessRuntimeOptions): ProcessRuntime {
  const { cluster, machine, nextNetwork } = options;
  const pods = new Map<string, RunningPod>();
  const listeners = new Set<() => void>();
  const changed = () => {
    for (const listener of listeners) listener();
  };
  return {
    version: 'processes://1',
    simulation,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    pods: () => [...pods.keys()],
    uidOf: (key) => pods.get(key)?.uid,
    async start(pod, place) {
      const key = keyOfObject(pod);
      if (pods.has(key)) return;
      const network = podNetworkOf(pod, place, nextNetwork());
      if (network.make.length > 0) await machine.script(`make the network of Pod ${key}`, network.make.join('\n'));
      pods.set(key, runningPod(pod, { cluster, ...place }, network));
    },
    runs: (key) => [...(pods.get(key)?.runs.values() ?? [])].map(({ state }) => state),
    async startContainer(key, name) {
      const pod = pods.get(key);
      const container = pod?.containers.get(name);
      if (pod === undefined || container === undefined || pod.stopping !== undefined) return;
      await runContainer(options, pod, container, changed);
    },
    async finish(key) {
      const pod = pods.get(key);
      if (pod !== undefined) await removeNetwork(options, pod);
    },
    stop(key, graceMs) {
      const pod = pods.get(key);
      if (pod === undefined) return true;
      pod.stopping ??= stopPod(options, pod, graceMs).then(() => {
        // Before the Pod goes: listeners ask which Pods there are.
        changed();
        pods.delete(key);
      });
      return false;
    },
    log({ pod, container }: ContainerRef, which) {
      const run = pods.get(pod)?.runs.get(container);
      return which === 'last' ? run?.log : run?.previous;
    },
    exec: ({ pod, container }, wanted) => execInContainer(options, pods.get(pod), container, wanted),
    end() {
      for (const { runs } of pods.values()) for (const { process: started } of runs.values()) started?.kill('SIGKILL');
    },
  };
}

function runningPod(
  { metadata, spec }: RuntimePod,
  place: { readonly cluster: string; readonly node: string; readonly podIP: string },
  network: PodNetwork,
): RunningPod {
  const { name, namespace = '', uid = '', labels = {} } = metadata;
  return {
    uid,
    about: { ...place, namespace, name, uid, labels, serviceAccount: spec?.serviceAccountName ?? 'default' },
    containers: new Map((spec?.containers ?? []).map((one) => [one.name, one])),
    runs: new Map(),
    network,
    isRemoved: false,
    stopping: undefined,
  };
}

/**
 * Ends the containers of a Pod, and removes its network. Never rejects: a network that is left is
 * logged.
 */
async function stopPod(host: ContainerHost, pod: RunningPod, graceMs: number): Promise<void> {
  await Promise.all([...pod.runs.values()].map((run) => endContainer(host, run, graceMs)));
  await removeNetwork(host, pod).catch((error: unknown) => {
    if (!host.machine.hasEnded) host.log.warn('the network of a Pod is left', { why: String(error) });
  });
}

async function removeNetwork({ machine }: ContainerHost, pod: RunningPod): Promise<void> {
  if (pod.isRemoved) return;
  pod.isRemoved = true;
  const { network, about } = pod;
  if (network.remove.length > 0)
    await machine.script(`remove the network of Pod ${about.namespace}/${about.name}`, network.remove.join('\n'));
}

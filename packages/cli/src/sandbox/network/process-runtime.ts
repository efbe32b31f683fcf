import type { Container } from '@isthmus/api';
import type { Log } from '@isthmus/kube';
import { errorMessage, keyOfObject } from '@isthmus/machinery';
import type {
  ContainerExit,
  ContainerRef,
  ContainerRun,
  ContainerStreams,
  PodRuntime,
  RuntimePod,
} from '@isthmus/sandbox';
import type { Io, ProgramExit, RunningProgram } from '../../world/io.ts';
import type { ContainerPod } from './container-command.ts';
import { containerCommand } from './container-command.ts';
import type { KeptLog } from './kept-log.ts';
import { keptLog } from './kept-log.ts';
import { podScript, removePodScript } from './layout.ts';
import type { MachineWorld, SandboxMachine } from './machine.ts';
import { childOf } from './machine.ts';
import { resolvConfOf } from './names/resolv-conf.ts';
import { readyLine } from './programs/names.ts';

export interface ProcessRuntimeOptions {
  readonly cluster: string;
  readonly machine: SandboxMachine;
  readonly world: MachineWorld & Pick<Io, 'ownCommand'>;
  /** Where programs are looked for. */
  readonly path: string;
  /** Gives the network of each Pod of all clusters a name of its own. */
  readonly nextNetwork: () => string;
  readonly log: Log;
}

/** The containers of one cluster. */
export interface ProcessRuntime extends PodRuntime, ContainerStreams {
  /** Ends all of them. */
  end(): void;
}

/** A Pod whose network was made. */
interface RunningPod {
  readonly uid: string;
  readonly about: ContainerPod;
  readonly containers: ReadonlyMap<string, Container>;
  readonly runs: Map<string, Run>;
  /** The name of its network; that of its Node where it has none of its own. */
  readonly network: string;
  /** The file that its containers see as `/etc/resolv.conf`. */
  readonly resolvConf: string;
  /** What removes its network and that file. */
  readonly removal: readonly string[];
  isRemoved: boolean;
  stopping: Promise<void> | undefined;
}

/** A container that was started. */
interface Run {
  readonly log: KeptLog;
  readonly previous: KeptLog | undefined;
  state: ContainerRun;
  process: RunningProgram | undefined;
}

const simulation = {
  reason: 'ProcessesOfTheHost',
  message:
    'The image of this Pod was not pulled: its containers are processes of the machine that runs the sandbox, with the files of that machine, in the network of the Pod.',
};

/** How long the last words of a container that is killed are waited for. */
const killedWithinMs = 5_000;

/**
 * Runs containers as processes of this machine: each in namespaces of processes, mounts and host names of its own, with the files of the machine, and in the
 * network of its Pod. Errors are those of the programs that make networks.
 */
export function createProcessRuntime(options: ProcessRuntimeOptions): ProcessRuntime {
  const { cluster, machine, world, path, nextNetwork, log } = options;
  const { clock, ownCommand, runTool } = world;
  const pods = new Map<string, RunningPod>();
  const listeners = new Set<() => void>();
  const changed = () => {
    for (const listener of listeners) listener();
  };

  async function start(pod: RuntimePod, place: { readonly node: string; readonly podIP: string }): Promise<void> {
    const key = keyOfObject(pod);
    if (pods.has(key)) return;
    const { node, podIP } = place;
    const { name, namespace = '', uid = '', labels = {} } = pod.metadata;
    const spec = pod.spec;
    const ownsNetwork = spec?.hostNetwork !== true;
    const own = nextNetwork();
    const network = ownsNetwork ? own : node;
    const text = resolvConfOf(spec ?? {}, namespace);
    const resolvConf = text === undefined ? '/etc/resolv.conf' : `/run/resolv/${own}`;
    const serviceAccount = spec?.serviceAccountName ?? 'default';
    const scripts = [
      ...(ownsNetwork ? [podScript({ network, node, address: podIP })] : []),
      ...(text === undefined ? [] : [`printf %s ${quoted(text)} > ${resolvConf}`]),
    ];
    if (scripts.length > 0) await machine.script(`make the network of Pod ${key}`, scripts.join('\n'));
    pods.set(key, {
      uid,
      about: { cluster, namespace, name, uid, node, podIP, labels, serviceAccount },
      containers: new Map((spec?.containers ?? []).map((one) => [one.name, one])),
      runs: new Map(),
      network,
      resolvConf,
      removal: [
        ...(ownsNetwork ? [removePodScript({ network, node })] : []),
        ...(text === undefined ? [] : [`rm -f ${resolvConf}`]),
      ],
      isRemoved: false,
      stopping: undefined,
    });
  }

  async function startContainer(key: string, name: string): Promise<void> {
    const pod = pods.get(key);
    const container = pod?.containers.get(name);
    if (pod === undefined || container === undefined || pod.stopping !== undefined) return;
    const last = pod.runs.get(name);
    const { command, env, isOurs } = containerCommand(container, pod.about, { ownCommand, path });
    const written = keptLog();
    const now = () => clock.now();
    const run: Run = {
      log: written,
      previous: last?.log,
      process: undefined,
      state: {
        name,
        id: '',
        restarts: last === undefined ? 0 : last.state.restarts + 1,
        startedAtMs: now(),
        isReady: !isOurs,
      },
    };
    pod.runs.set(name, run);
    let isUnread = isOurs;
    const onStdout = (bytes: Uint8Array) => {
      if (!isUnread) return written.add(bytes, now());
      // The first line is for us. It is written in one piece.
      isUnread = false;
      const text = new TextDecoder().decode(bytes);
      const rest = text.startsWith(`${readyLine}\n`) ? text.slice(readyLine.length + 1) : text;
      written.add(new TextEncoder().encode(rest), now());
      run.state = { ...run.state, isReady: true };
      changed();
    };
    const ended = (exit: ContainerExit) => {
      written.end(now());
      run.process = undefined;
      run.state = { ...run.state, isReady: false, exit };
      changed();
    };
    const directory = container.workingDir ?? '/';
    try {
      const started = await machine.start(
        pod.network,
        [...ownNamespaces, 'sh', '-c', enter, 'sh', pod.about.name, pod.resolvConf, directory, ...command],
        { env, onStdout, onStderr: (bytes) => written.add(bytes, now()) },
      );
      started.endInput();
      run.process = started;
      run.state = { ...run.state, id: `process://${started.pid}` };
      void started.exited.then((how) => ended(exitOf(how, now())));
    } catch (error) {
      ended({ code: 128, atMs: now(), message: errorMessage(error) });
    }
  }

  /** The first process of a container, by its number on this machine. */
  async function firstProcess(started: RunningProgram): Promise<number | undefined> {
    const outer = await childOf(world, started.pid);
    return outer === undefined ? undefined : childOf(world, outer);
  }

  async function endContainer({ process: started }: Run, graceMs: number): Promise<void> {
    if (started === undefined) return;
    if (graceMs > 0) {
      const first = await firstProcess(started);
      if (first !== undefined) await runTool('sh', ['-c', `kill -TERM ${first}`], '');
    }
    let cancel = clock.after(graceMs, () => {
      started.kill('SIGKILL');
      cancel = clock.after(killedWithinMs, () =>
        log.warn('a container does not end', { cluster, process: started.pid }),
      );
    });
    await started.exited;
    cancel();
  }

  async function removeNetwork(pod: RunningPod): Promise<void> {
    if (pod.isRemoved) return;
    pod.isRemoved = true;
    const { removal, about } = pod;
    if (removal.length > 0)
      await machine.script(`remove the network of Pod ${about.namespace}/${about.name}`, removal.join('\n'));
  }

  async function stopPod(key: string, pod: RunningPod, graceMs: number): Promise<void> {
    await Promise.all([...pod.runs.values()].map((run) => endContainer(run, graceMs)));
    await removeNetwork(pod).catch((error: unknown) => {
      if (!machine.hasEnded) log.warn('the network of a Pod is left', { why: String(error) });
    });
    // Listeners are told which Pods there are.
    changed();
    pods.delete(key);
  }

  return {
    version: 'processes://1',
    simulation,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    pods: () => [...pods.keys()],
    uidOf: (key) => pods.get(key)?.uid,
    start,
    runs: (key) => [...(pods.get(key)?.runs.values() ?? [])].map(({ state }) => state),
    startContainer,
    async finish(key) {
      const pod = pods.get(key);
      if (pod !== undefined) await removeNetwork(pod);
    },
    stop(key, graceMs) {
      const pod = pods.get(key);
      if (pod === undefined) return true;
      pod.stopping ??= stopPod(key, pod, graceMs);
      return false;
    },
    log({ pod, container }: ContainerRef, which) {
      const run = pods.get(pod)?.runs.get(container);
      return which === 'last' ? run?.log : run?.previous;
    },
    async exec({ pod, container }, { command, hasTerminal, onStdout, onStderr }) {
      const found = pods.get(pod);
      const started = found?.runs.get(container)?.process;
      const definition = found?.containers.get(container);
      if (found === undefined || definition === undefined || started === undefined) return undefined;
      const first = await firstProcess(started);
      if (first === undefined) return undefined;
      const { env } = containerCommand(definition, found.about, { ownCommand, path });
      const run = hasTerminal ? ['script', '-qefc', command.map(quoted).join(' '), '/dev/null'] : command;
      const inside = await machine.startBeside(
        first,
        ['sh', '-c', 'cd "$1"; shift; exec "$@"', 'sh', definition.workingDir ?? '/', ...run],
        { env: { ...env, ...(hasTerminal && { TERM: 'xterm' }) }, onStdout, onStderr },
      );
      return {
        write: inside.write,
        endInput: inside.endInput,
        kill: () => inside.kill('SIGKILL'),
        exited: inside.exited.then((how) => exitOf(how, 0).code),
      };
    },
    end() {
      for (const { runs } of pods.values()) for (const { process: started } of runs.values()) started?.kill('SIGKILL');
    },
  };
}

const ownNamespaces = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc', '--mount', '--uts', '--ipc'];
/** Gives a container its host name and servers of names. */
const enter =
  'hostname "$1"; if [ -e /etc/resolv.conf ]; then mount --bind "$2" /etc/resolv.conf; fi; cd "$3"; shift 3; exec "$@"';

const signalNumbers: Readonly<Record<string, number>> = { SIGKILL: 9, SIGTERM: 15, SIGSEGV: 11, SIGINT: 2 };

function exitOf({ code, signal }: ProgramExit, atMs: number): ContainerExit {
  if (signal === undefined) return { code: code ?? 0, atMs };
  return { code: 128 + (signalNumbers[signal] ?? 0), atMs, message: `ended by ${signal}` };
}

/** As one word of `sh`. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

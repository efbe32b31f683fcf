import type { Container } from '@isthmus/api';
import type { Log } from '@isthmus/kube';
import { errorMessage } from '@isthmus/machinery';
import type { ContainerExit } from '@isthmus/sandbox';
import { childOf } from '../machine.ts';
import type { MachineWorld, SandboxMachine } from '../machine.ts';
import type { Io, ProgramExit, RunningProgram } from '../../../world/io.ts';
import { containerCommand } from './container-command.ts';
import { keptLog } from './kept-log.ts';
import { readyLine } from '../programs/names.ts';
import type { Run, RunningPod } from './running-pod.ts';

/** The machine and settings that the containers of one cluster run with. */
export interface ContainerHost {
  readonly cluster: string;
  readonly machine: SandboxMachine;
  readonly world: MachineWorld & Pick<Io, 'ownCommand'>;
  /** Where programs are looked for. */
  readonly path: string;
  readonly log: Log;
}

const ownNamespaces = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc', '--mount', '--uts', '--ipc'];
/** Gives a container its host name and servers of names. */
const enter =
  'hostname "$1"; if [ -e /etc/resolv.conf ]; then mount --bind "$2" /etc/resolv.conf; fi; cd "$3"; shift 3; exec "$@"';

/** How long to wait for the last output of a container that is killed. */
const killedWithinMs = 5_000;

/**
 * Starts a container of a Pod once more, and calls `changed` whenever its state changes. Never
 * rejects: a container that cannot be started has ended with the code 128.
 */
export async function runContainer(
  host: ContainerHost,
  pod: RunningPod,
  container: Container,
  changed: () => void,
): Promise<void> {
  const { clock, ownCommand } = host.world;
  const { command, env, isOurs } = containerCommand(container, pod.about, { ownCommand, path: host.path });
  const run = nextRun(container.name, pod.runs.get(container.name), { startedAtMs: clock.now(), isReady: !isOurs });
  pod.runs.set(container.name, run);
  const written = (bytes: Uint8Array) => run.log.add(bytes, clock.now());
  const ready = () => {
    run.state = { ...run.state, isReady: true };
    changed();
  };
  const ended = (exit: ContainerExit) => {
    run.log.end(clock.now());
    run.process = undefined;
    run.state = { ...run.state, isReady: false, exit };
    changed();
  };
  const directory = container.workingDir ?? '/';
  try {
    const started = await host.machine.start(
      pod.network.name,
      [...ownNamespaces, 'sh', '-c', enter, 'sh', pod.about.name, pod.network.resolvConf, directory, ...command],
      { env, onStdout: isOurs ? afterReadyLine(written, ready) : written, onStderr: written },
    );
    started.endInput();
    run.process = started;
    run.state = { ...run.state, id: `process://${started.pid}` };
    void started.exited.then((how) => ended(exitOf(how, clock.now())));
  } catch (error) {
    ended({ code: 128, atMs: clock.now(), message: errorMessage(error) });
  }
}

function nextRun(
  name: string,
  last: Run | undefined,
  at: { readonly startedAtMs: number; readonly isReady: boolean },
): Run {
  return {
    log: keptLog(),
    previous: last?.log,
    process: undefined,
    state: { name, id: '', restarts: last === undefined ? 0 : last.state.restarts + 1, ...at },
  };
}

/**
 * Removes the first line of our own program from its output. That line is for the runtime, and is
 * written in one piece.
 */
function afterReadyLine(written: (bytes: Uint8Array) => void, ready: () => void): (bytes: Uint8Array) => void {
  let isUnread = true;
  return (bytes) => {
    if (!isUnread) return written(bytes);
    isUnread = false;
    const text = new TextDecoder().decode(bytes);
    const rest = text.startsWith(`${readyLine}\n`) ? text.slice(readyLine.length + 1) : text;
    written(new TextEncoder().encode(rest));
    ready();
  };
}

/** Ends a run: with SIGTERM, and with SIGKILL once the grace is over. */
export async function endContainer(host: ContainerHost, { process: started }: Run, graceMs: number): Promise<void> {
  if (started === undefined) return;
  const { cluster, world, log } = host;
  const { clock, runTool } = world;
  if (graceMs > 0) {
    const first = await firstProcess(world, started);
    if (first !== undefined) await runTool('sh', ['-c', `kill -TERM ${first}`], '');
  }
  let cancel = clock.after(graceMs, () => {
    started.kill('SIGKILL');
    cancel = clock.after(killedWithinMs, () => log.warn('a container does not end', { cluster, process: started.pid }));
  });
  await started.exited;
  cancel();
}

/**
 * The first process of a container, by its number on this machine; undefined where it has ended.
 */
export async function firstProcess(world: MachineWorld, started: RunningProgram): Promise<number | undefined> {
  const outer = await childOf(world, started.pid);
  return outer === undefined ? undefined : childOf(world, outer);
}

const signalNumbers: Readonly<Record<string, number>> = { SIGKILL: 9, SIGTERM: 15, SIGSEGV: 11, SIGINT: 2 };

/** How a container ended, with codes as of a shell: for a signal, 128 plus its number. */
export function exitOf({ code, signal }: ProgramExit, atMs: number): ContainerExit {
  if (signal === undefined) return { code: code ?? 0, atMs };
  return { code: 128 + (signalNumbers[signal] ?? 0), atMs, message: `ended by ${signal}` };
}

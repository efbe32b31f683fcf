/**
 * The runner's side of a supervisor: it starts processes that cannot outlive this one. One of the
 * modules that may touch the world: it implements processes (child_process, fs, timers) for tests
 * and the demo.
 */
import { spawn } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { SpawnRequest, SupervisorEvent } from './supervisor-protocol.ts';

/** A program to run under supervision. */
export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** File name inside the supervised directory; both output streams are appended to it. */
  readonly log: string;
}

/** A process that runs or has run under supervision. */
export interface SupervisedProcess {
  readonly pid: number;
  /**
   * How it ended ("exited with code 1", "was ended by SIGKILL"). Resolves once it has been reaped;
   * never rejects.
   */
  readonly exited: Promise<string>;
  /** Sends a signal at once. Does nothing if the process has ended. */
  signal(name: NodeJS.Signals): void;
  /**
   * Sends SIGSTOP, and resolves when none of its threads runs any more, or when it has ended. The
   * signal alone only asks the kernel to stop them: on a busy machine some run on for a while.
   * Without `/proc`, resolves when the signal is sent.
   */
  freeze(): Promise<void>;
}

/**
 * A directory and processes that are removed when this is disposed of, and when this process ends
 * in any way.
 */
export interface Supervision extends AsyncDisposable {
  readonly directory: string;
  /**
   * Starts a process with `directory` as its working directory. Rejects if the program cannot be
   * executed.
   */
  spawn(command: Command): Promise<SupervisedProcess>;
}

export interface SupervisionOptions {
  /**
   * The name of a cgroup that is removed with the directory, in every hierarchy of cgroup v1 in
   * which it was created.
   */
  readonly cgroup?: string | undefined;
}

interface Entry {
  readonly spawned: PromiseWithResolvers<number>;
  readonly exited: PromiseWithResolvers<string>;
}

/**
 * Starts a supervisor that makes `directory` (mode 0700; must not exist yet).
 *
 * Guarantees: disposing resolves when its processes are reaped and the directory is removed. After
 * kill -9 of this process, of the supervisor, or of both, the same happens automatically
 * (supervisor.ts has the details). Errors: the directory cannot be made, with the output of the
 * supervisor.
 */
export async function superviseIn(directory: string, { cgroup }: SupervisionOptions = {}): Promise<Supervision> {
  const program = fileURLToPath(new URL('supervisor.ts', import.meta.url));
  const supervisor = spawn(process.execPath, [program, directory, ...(cgroup === undefined ? [] : [cgroup])], {
    // Its own session and process group: a Ctrl-C in the terminal reaches only the runner.
    detached: true,
    env: environmentOfPrograms(),
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const complaints: string[] = [];
  supervisor.stderr?.setEncoding('utf8').on('data', (text: string) => complaints.push(text));
  supervisor.stdout?.resume();

  const entries = new Map<number, Entry>();
  const ready = Promise.withResolvers<void>();
  const gone = Promise.withResolvers<void>();
  let ended: string | undefined;
  let lastId = 0;

  supervisor.on('message', (event: SupervisorEvent) => {
    if (event.kind === 'ready') return ready.resolve();
    const entry = entries.get(event.id);
    if (entry === undefined) return;
    if (event.kind === 'spawned') return entry.spawned.resolve(event.pid);
    entries.delete(event.id);
    settle(entry, event.how);
  });
  const onEnd = (how: string) => {
    ended = how;
    ready.reject(new Error(`supervising ${directory}: the supervisor ${how}\n${complaints.join('').trim()}`));
    for (const entry of entries.values()) settle(entry, `lost its supervisor, which ${how}`);
    entries.clear();
    gone.resolve();
  };
  supervisor.once('error', (error) => onEnd(`could not be started: ${error.message}`));
  // The output closes when the last process that has it open ends: the guard, which removes the
  // directory. (The event 'close' of the process would show the same, but Node does not emit it
  // after disconnect().)
  const silent = new Promise<void>((resolve) => supervisor.stdout?.once('close', () => resolve()));
  supervisor.once('exit', (code, signal) => {
    void silent.then(() => onEnd(signal === null ? `exited with code ${code}` : `was ended by ${signal}`));
  });

  await ready.promise;

  return {
    directory,
    async spawn(command) {
      if (ended !== undefined) throw new Error(`starting ${command.program}: its supervisor ${ended}`);
      const id = ++lastId;
      const entry: Entry = { spawned: Promise.withResolvers(), exited: Promise.withResolvers() };
      entries.set(id, entry);
      const { program, args, log, env = {} } = command;
      const request: SpawnRequest = { id, program, args, env, log };
      // An error here means that the supervisor is ending, which its end reports.
      if (supervisor.connected) supervisor.send(request, () => {});
      let pid: number;
      try {
        pid = await entry.spawned.promise;
      } catch (cause) {
        throw new Error(`starting ${program}: it ${String(cause)}`, { cause });
      }
      return {
        pid,
        exited: entry.exited.promise,
        signal(name) {
          if (entries.has(id)) sendSignal(pid, name);
        },
        async freeze() {
          if (!entries.has(id)) return;
          sendSignal(pid, 'SIGSTOP');
          while (entries.has(id) && runs(pid)) await delay(1);
        },
      };
    },
    async [Symbol.asyncDispose]() {
      if (supervisor.connected) supervisor.disconnect();
      await gone.promise;
    },
  };
}

/**
 * The environment variables that programs of this checkout need: the locations of programs, and of
 * Node's cache of compiled modules.
 */
export function environmentOfPrograms(): Readonly<Record<string, string>> {
  const { PATH = '', NODE_COMPILE_CACHE } = process.env;
  return { PATH, ...(NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }) };
}

/** Before the process started, `how` is the reason of a failure; afterwards, how it ended. */
function settle(entry: Entry, how: string): void {
  entry.spawned.reject(how);
  entry.exited.resolve(how);
}

function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    // It has ended, and the message about it has not arrived yet.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/**
 * Whether a thread of the process is in another state than stopped (T) or dead (Z, X), as defined
 * in proc_pid_stat(5).
 */
function runs(pid: number): boolean {
  // The name of the program, in parentheses, may contain any character.
  const stateOf = (stat: string) => stat[stat.lastIndexOf(')') + 2] ?? 'X';
  const directory = `/proc/${pid}/task`;
  return ifThere(() => readdirSync(directory), []).some(
    (thread) => !'TtZX'.includes(stateOf(ifThere(() => readFileSync(`${directory}/${thread}/stat`, 'utf8'), ''))),
  );
}

/** The result of `read`, or `otherwise` if the process or thread ends meanwhile. */
function ifThere<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

/**
 * One of the modules that may touch the world: it makes namespaces and runs programs in them
 * (child_process, fs, timers).
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { SupervisedProcess, Supervision } from '../apiserver/supervision.ts';

/** The output of a program and its exit code. */
export interface RunResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Namespaces that a process holds open: a network, and for Nodes their mounts. */
export interface Place {
  /** The name; its end of the cable at the bridge has the same one. */
  readonly name: string;
  /** The pid of the process on this machine. */
  readonly pid: number;
  /** The command that runs a program in there. */
  command(program: string, args: readonly string[]): { readonly program: string; readonly args: readonly string[] };
  /** Runs a program until it ends; any exit code is a result. */
  run(program: string, args: readonly string[], input?: string): Promise<RunResult>;
  /**
   * Starts a program that keeps running. Its output is appended to `<name>.<log>.log` of the
   * directory.
   */
  start(log: string, program: string, args: readonly string[]): Promise<PlacedProcess>;
  /** Connects it to the bridge, or cuts the cable. */
  setLink(state: 'up' | 'down'): Promise<void>;
}

/** A program in a place. */
export interface PlacedProcess {
  /** Resolves when it has ended, to the way it ended; never rejects. */
  readonly exited: Promise<string>;
  signal(name: 'TERM' | 'KILL' | 'STOP' | 'CONT'): Promise<void>;
}

/**
 * The namespaces that all Nodes of a test bed share: of processes, and the network with the bridge
 * that joins them.
 */
export interface Machine {
  /**
   * Makes a place. `setup` is a shell script that runs in it first; it gets its end of the cable,
   * `eth0`, meanwhile, and ends by `touch <ready>` and `exec sleep infinity`.
   */
  makePlace(
    name: string,
    options: { readonly mounts: boolean; readonly setup: string; readonly ready: string },
  ): Promise<Place>;
}

const path = process.env['PATH'] ?? '';

/**
 * Makes the namespaces of a machine under `supervision`: process 1 of a process namespace, a mount
 * namespace with its own `/proc`, and a network with a bridge and nothing else. When the
 * supervision ends, in whatever way, process 1 is killed, and the kernel ends all that runs inside.
 */
export async function makeMachine(supervision: Supervision): Promise<Machine> {
  const { directory } = supervision;
  const ready = join(directory, 'machine.ready');
  const script = join(directory, 'machine.sh');
  // Process 1 reaps what loses its parent: shims of containerd, above all.
  writeFileSync(
    script,
    `set -eu; mount --make-rprivate /; ip link set lo up; ip link add br0 type bridge; ip link set br0 up; touch ${ready}\nsleep infinity & while :; do wait $! || :; done\n`,
  );
  const outer = await supervision.spawn({
    program: 'unshare',
    args: ['--pid', '--fork', '--kill-child', '--mount-proc', '--net', 'sh', script],
    env: { PATH: path },
    log: 'machine.log',
  });
  await untilReady(ready, outer, () => readFileSync(join(directory, 'machine.log'), 'utf8'));
  const machine = childOf(outer.pid);
  const inside = (program: string, args: readonly string[]) => ({
    program: 'nsenter',
    args: ['-t', String(machine), '-p', '-m', '-n', '--', program, ...args],
  });
  let cables = 0;

  const makePlace: Machine['makePlace'] = async (name, { mounts, setup, ready }) => {
    mkdirSync(join(directory, name), { recursive: true, mode: 0o755 });
    const setupPath = join(directory, name, 'setup.sh');
    const pidPath = join(directory, name, 'pid');
    writeFileSync(setupPath, `echo $$ > ${pidPath}.new; mv ${pidPath}.new ${pidPath}\n${setup}`);
    const namespaces = mounts ? ['--net', '--mount', '--propagation', 'private'] : ['--net'];
    const holder = await supervision.spawn({
      ...inside('unshare', [...namespaces, 'sh', setupPath]),
      env: { PATH: path },
      log: `${name}.log`,
    });
    const log = () => readFileSync(join(directory, `${name}.log`), 'utf8');
    await untilReady(pidPath, holder, log);
    const cable = `port${++cables}`;
    const connect = [
      `ip link add ${cable} type veth peer name eth0 netns ${readFileSync(pidPath, 'utf8').trim()}`,
      `ip link set ${cable} master br0 up`,
    ];
    const connected = await run(inside('sh', ['-ec', connect.join('\n')]));
    if (connected.code !== 0) throw new Error(`connecting ${name}: ${connected.stderr}`);
    await untilReady(ready, holder, log);
    const pid = childOf(holder.pid);
    const command = (program: string, args: readonly string[]) => ({
      program: 'nsenter',
      args: ['-t', String(pid), '-p', '-m', '-n', '--', program, ...args],
    });
    const signal = (file: string, how: string) => run(command('sh', ['-c', `kill -${how} $(cat ${file})`]));
    return {
      name,
      pid,
      command,
      run: (program, args, input) => run(command(program, args), input),
      async start(what, program, args) {
        const file = join(directory, name, `${what}.pid`);
        rmSync(file, { force: true });
        const started = await supervision.spawn({
          ...command('sh', ['-c', `echo $$ > ${file}.new; mv ${file}.new ${file}; exec "$@"`, 'sh', program, ...args]),
          env: { PATH: path },
          log: `${name}.${what}.log`,
        });
        // Signals need its pid in that namespace.
        await untilReady(file, started, () => readFileSync(join(directory, `${name}.${what}.log`), 'utf8'));
        return {
          exited: started.exited,
          async signal(how) {
            await signal(file, how);
            // `nsenter` stops itself when its child stops, and would never see it end.
            if (how === 'CONT') started.signal('SIGCONT');
          },
        };
      },
      async setLink(state) {
        const { code, stderr } = await run(inside('ip', ['link', 'set', cable, state]));
        if (code !== 0) throw new Error(`setting the link of ${name} ${state}: ${stderr}`);
      },
    };
  };
  return { makePlace };
}

/** Waits for a file that the process creates. Errors: the process ended before, with its output. */
async function untilReady(file: string, { exited }: SupervisedProcess, log: () => string): Promise<void> {
  let ended: string | undefined;
  void exited.then((how) => (ended = how));
  while (!existsSync(file)) {
    if (ended !== undefined) throw new Error(`waiting for ${file}: the process that makes it ${ended}\n${log()}`);
    await delay(10);
  }
}

/** The one child of a process that forks once. */
function childOf(pid: number): number {
  const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  if (child === undefined || child === '') throw new Error(`looking for the child of process ${pid}: it has none`);
  return Number(child);
}

function run(
  { program, args }: { readonly program: string; readonly args: readonly string[] },
  input?: string,
): Promise<RunResult> {
  return new Promise((resolve, reject) => {
    const child = execFile(program, args, { env: { PATH: path }, maxBuffer: 64 << 20 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : error.code;
      if (typeof code === 'number') resolve({ code, stdout, stderr });
      else reject(error ?? new Error(`running ${program}`));
    });
    // A program may end without reading all its input; the exit code is the result.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}

import type { HoldProgram, RunProgram } from '@isthmus/dataplane';
import { sleep } from '@isthmus/machinery';
import { holdProgram } from '../../agent/hold-program.ts';
import type { Io, RunningProgram, StartOptions } from '../../world/io.ts';

/** The parts of the world that run programs in namespaces. */
export type MachineWorld = Pick<Io, 'clock' | 'readFile' | 'runTool' | 'startProgram'>;

/** The result of a program that ran to its end. */
interface RunResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * The namespaces in which a sandbox has its Nodes and Pods: of processes, mounts and a network with
 * nothing but a bridge. `network` names one of the networks in there that `ip netns` made.
 * Disposing ends all programs inside, and nothing of them is left; so does the end of this process,
 * however it ends.
 */
export interface SandboxMachine extends AsyncDisposable {
  /** Whether it has ended, or is about to: nothing in it needs to be removed. */
  readonly hasEnded: boolean;
  /**
   * Runs a script of `sh` beside the networks. Errors: throws with what it wrote where it fails.
   */
  script(doing: string, text: string): Promise<void>;
  /** Runs a program in a network to its end; any code is a result. */
  run(network: string, program: string, args: readonly string[], input?: string): Promise<RunResult>;
  /** Starts a program in a network that ends with this process and with the machine. */
  start(network: string, command: readonly string[], options: StartOptions): Promise<RunningProgram>;
  /** Starts a program in the namespaces of a process inside, by its number on this machine. */
  startBeside(pid: number, command: readonly string[], options: StartOptions): Promise<RunningProgram>;
}

/** The name of the bridge that joins Nodes. */
export const bridge = 'underlay';

/**
 * Process 1 of the machine. It ends when the pipe from the process that started it closes, and the
 * kernel then ends all others. Meanwhile it reaps processes without a parent. A shell cannot read
 * from the pipe itself: the end of a child interrupts it.
 */
const firstProcess = [
  'set -eu',
  'mount -t tmpfs -o mode=755 tmpfs /run',
  'mkdir -p /run/netns /run/lock /run/resolv',
  // For a link into a folder that the new mounts hide.
  'if [ -L /etc/resolv.conf ] && [ ! -e /etc/resolv.conf ]; then f=$(readlink -m /etc/resolv.conf); mkdir -p "${f%/*}"; : > "$f"; fi',
  'ip link set lo up',
  `ip link add ${bridge} type bridge`,
  `ip link set ${bridge} up`,
  'echo ready',
  'exec 3<&0',
  'cat <&3 >/dev/null & pipe=$!',
  'while kill -0 $pipe 2>/dev/null; do wait $pipe || :; done',
].join('\n');

/**
 * Starts a machine. Needs Linux and the rights of root. Errors: throws with what the programs
 * wrote.
 */
export async function startMachine(
  world: MachineWorld,
  env: Readonly<Record<string, string>>,
): Promise<SandboxMachine> {
  const { clock, runTool, startProgram } = world;
  const isReady = Promise.withResolvers<void>();
  let said = '';
  const options = ['--pid', '--fork', '--kill-child', '--mount-proc', '--mount', '--net', '--uts', '--ipc'];
  const outer = await startProgram('unshare', [...options, 'sh', '-c', firstProcess], {
    env,
    onStdout: () => isReady.resolve(),
    onStderr: (bytes) => void (said = (said + new TextDecoder().decode(bytes)).slice(-2_000)),
  });
  let hasEnded = false;
  void outer.exited.then(() => {
    hasEnded = true;
    isReady.reject(new Error(`cannot create the namespaces of the sandbox: ${said.trim()}`));
  });
  await isReady.promise;
  const first = await childOf(world, outer.pid);
  if (first === undefined) throw new Error('cannot create the namespaces of the sandbox: they ended at once');
  const networkPath = (network: string) => `/proc/${first}/root/run/netns/${network}`;
  /**
   * The kernel ends it with the process that was started, which may be outside of the namespaces of
   * processes.
   */
  const tied = ['setpriv', '--pdeathsig', 'KILL'];
  return {
    get hasEnded() {
      return hasEnded;
    },
    async script(doing, text) {
      const inside = ['-t', String(first), '-p', '-m', '-n', '-u', '--', 'sh', '-e'];
      const { code, stderr } = await runTool('nsenter', inside, text);
      if (code !== 0) throw new Error(`cannot ${doing}: ${stderr.trim()}`);
    },
    // Without the namespace of processes: it saves a process, and such programs end by themselves.
    run: (network, program, args, input = '') =>
      runTool('nsenter', [`--net=${networkPath(network)}`, '--', program, ...args], input),
    start: (network, command, options) =>
      startProgram(
        'nsenter',
        ['-t', String(first), '-p', '-m', '-u', '-i', `--net=${networkPath(network)}`, '--', ...tied, ...command],
        options,
      ),
    startBeside: (pid, command, options) =>
      startProgram('nsenter', ['-t', String(pid), '-p', '-m', '-n', '-u', '-i', '--', ...tied, ...command], options),
    async [Symbol.asyncDispose]() {
      hasEnded = true;
      outer.endInput();
      const cancel = clock.after(5_000, () => outer.kill('SIGKILL'));
      await outer.exited;
      cancel();
    },
  };
}

/** The one child of a process that forks once; undefined where it has ended. */
export async function childOf({ clock, readFile }: MachineWorld, pid: number): Promise<number | undefined> {
  // Between the start of the program and its fork.
  for (let look = 0; look < 200; look++) {
    const path = `/proc/${pid}/task/${pid}/children`;
    const children = await readFile(path).then(
      ({ text }) => text.trim(),
      () => undefined,
    );
    if (children === undefined) return undefined;
    const [child = ''] = children.split(' ');
    if (child !== '') return Number(child);
    await sleep(clock, 5, new AbortController().signal);
  }
  return undefined;
}

/** Runs programs in a network of the machine to their end, and keeps others open there. */
export function programsIn(
  machine: SandboxMachine,
  network: string,
  env: Readonly<Record<string, string>>,
): { readonly run: RunProgram; readonly hold: HoldProgram } {
  return {
    run: (program, args, input) => machine.run(network, program, args, input),
    hold: holdProgram({
      env,
      startProgram: (program, args, options) => machine.start(network, [program, ...args], options),
    }),
  };
}

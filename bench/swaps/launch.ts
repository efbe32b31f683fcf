import { spawn } from 'node:child_process';
import { readFileSync, readlinkSync, realpathSync } from 'node:fs';
import type { OtherController } from './other-make.ts';

export interface LaunchedController extends OtherController {
  /** The number of the process; undefined where it does not run. */
  pid(): number | undefined;
  readonly ended: Promise<void>;
  /** Its last output. */
  said(): string;
  /**
   * Resolves when it is Ready. Errors, with its last output: it ended, or is not Ready within ten
   * minutes, a limit that only catches hangs.
   */
  ready(): Promise<void>;
}

const readyMs = 600_000;

export interface Launch {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The port of its health. */
  readonly health: number;
}

/** Starts a controller; returns at once. It cannot outlive this process. */
export function launch({ program, args, env, health }: Launch): LaunchedController {
  // A process that ends when its standard input does: however this one ends.
  const script =
    'exec 3<&0; "$@" 3<&- & pid=$!; (read -r _ <&3; kill -TERM $pid; sleep 10; kill -KILL $pid) 2>/dev/null & watch=$!; wait $pid; kill $watch';
  const child = spawn('sh', ['-c', script, 'sh', program, ...args], { env, stdio: ['pipe', 'ignore', 'pipe'] });
  const heard: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    heard.push(text);
    heard.splice(0, heard.length - 50);
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const pid = () => (child.pid === undefined ? undefined : childRunning(child.pid, realpathSync(program)));
  return {
    pid,
    ended,
    said: () => heard.join(''),
    async ready() {
      const from = performance.now();
      while (!(await isReady(health))) {
        if (child.exitCode !== null || performance.now() - from > readyMs)
          throw new Error(`${program} ${args.join(' ')} is not ready:\n${heard.join('')}`);
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    },
    async stop() {
      child.stdin.destroy();
      await ended;
    },
    async kill() {
      const running = pid();
      if (running !== undefined) process.kill(running, 'SIGKILL');
      await ended;
    },
  };
}

/** The child of a process that runs this program. Linux only; undefined where there is none. */
function childRunning(parent: number, program: string): number | undefined {
  try {
    const children = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').trim().split(' ').map(Number);
    return children.find((child) => readlinkSync(`/proc/${child}/exe`) === program);
  } catch {
    // It has ended meanwhile.
    return undefined;
  }
}

async function isReady(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
}

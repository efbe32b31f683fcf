import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const checkout = fileURLToPath(new URL('../../../../..', import.meta.url));

export interface DemoProcess {
  readonly ended: Promise<{ readonly code: number | null; readonly out: string; readonly err: string }>;
  /**
   * Resolves with all of standard error once that text was printed, there or on standard output, or
   * when the demo has ended.
   */
  hasSaid(text: string): Promise<string>;
  /** To every process of the command, as Ctrl-C in a terminal does. */
  signal(name: NodeJS.Signals): void;
}

/** As a person types it. */
export const typed: readonly string[] = ['npm', 'run', '--silent', 'demo', '--'];

/**
 * Where the exit code after a signal counts: npm and its shell die by the same signal, and then it
 * is theirs.
 */
export const withoutNpm: readonly string[] = [process.execPath, `${checkout}packages/cli/src/demo/main.ts`];

export interface DemoProcessOptions {
  readonly command?: readonly string[] | undefined;
  readonly env: Readonly<Record<string, string>>;
  /** Default: the checkout. */
  readonly cwd?: string | undefined;
}

/** The demo as a command, with pipes in place of a terminal. */
export function demoProcess(args: readonly string[], options: DemoProcessOptions): DemoProcess {
  const [program = '', ...first] = options.command ?? typed;
  const child = spawn(program, [...first, ...args], {
    cwd: options.cwd ?? checkout,
    env: { ...process.env, FORCE_COLOR: undefined, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const written = { out: '', err: '' };
  let heard = Promise.withResolvers<void>();
  for (const stream of ['out', 'err'] as const) {
    child[`std${stream}`].setEncoding('utf8').on('data', (text: string) => {
      written[stream] += text;
      heard.resolve();
      heard = Promise.withResolvers();
    });
  }
  const ended = new Promise<Awaited<DemoProcess['ended']>>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, ...written }));
  });
  return {
    ended,
    async hasSaid(text) {
      while (!`${written.out}\n${written.err}`.includes(text) && !child.stderr.closed)
        await Promise.race([heard.promise, ended]);
      return written.err;
    },
    signal(name) {
      if (child.pid !== undefined) process.kill(-child.pid, name);
    },
  };
}

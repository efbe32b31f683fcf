import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** An example that runs as its readers start it. */
export interface Program {
  readonly written: { readonly out: string; readonly err: string };
  /** Its exit code. */
  readonly ended: Promise<number | null>;
  /** Asks it to end, and waits. */
  stop(): Promise<number | null>;
}

/** Starts a program of this folder. */
export function startProgram(path: string, args: readonly string[], env: Readonly<Record<string, string>>): Program {
  const file = fileURLToPath(new URL(`../${path}`, import.meta.url));
  // Where Node keeps what it made of the sources: without it each start takes twice the processor
  // time.
  const { NODE_COMPILE_CACHE } = process.env;
  const child = spawn(process.execPath, [file, ...args], { env: { NODE_COMPILE_CACHE, ...env }, stdio: 'pipe' });
  const written = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (written.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (written.err += text));
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  return {
    written,
    ended,
    async stop() {
      child.kill('SIGTERM');
      return await ended;
    },
  };
}

/**
 * The first result of `attempt` that is not a throw; after five minutes, which only catch what
 * hangs, what it throws.
 */
export async function eventually<T>(attempt: () => Promise<T> | T): Promise<T> {
  for (let left = 6_000; ; left--) {
    try {
      return await attempt();
    } catch (error) {
      if (left === 0) throw error;
      await delay(50);
    }
  }
}

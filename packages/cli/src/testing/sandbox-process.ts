import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findBinaries } from '@isthmus/testkit';

const launcher = fileURLToPath(new URL('../../bin/isthmus.js', import.meta.url));

/**
 * `isthmus sandbox up` as a person runs it in a terminal of its own. Disposing of it ends it at
 * once.
 */
export interface SandboxProcess extends Disposable {
  readonly pid: number;
  /** What it had written when all clusters were ready. */
  readonly said: string;
  /** For a shell beside it, which has a real kubectl. */
  readonly env: Readonly<Record<string, string>>;
  /** Ends it as Ctrl-C does. Resolves to its exit code. */
  stop(): Promise<number | null>;
}

/**
 * Runs it in a folder, where it writes its kubeconfig, and waits until all clusters are ready.
 * `program`: the file of the command; default: that of the checkout. Errors: it ended before.
 */
export async function startSandboxProcess(
  folder: string,
  args: readonly string[] = [],
  program = launcher,
): Promise<SandboxProcess> {
  const child = spawn(process.execPath, [program, 'sandbox', 'up', ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit') as Promise<readonly unknown[]>;
  let said = '';
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the sandbox ended with ${code}:\n${said}`)));
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (said.includes('Press Ctrl-C to stop the clusters.')) resolve();
    });
  });
  const path = `${dirname(findBinaries(process.env).kubectl)}:${process.env['PATH'] ?? ''}`;
  return {
    pid: child.pid ?? 0,
    said,
    env: { HOME: folder, KUBECONFIG: join(folder, 'isthmus-sandbox.kubeconfig'), PATH: path },
    async stop() {
      child.kill('SIGTERM');
      const [code] = await ended;
      return code as number | null;
    },
    [Symbol.dispose]: () => void child.kill('SIGKILL'),
  };
}

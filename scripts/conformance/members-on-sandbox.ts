import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Members } from './members.ts';

/**
 * `isthmus sandbox up`, with `flags`, whose members have these names. `directory`: for its
 * kubeconfig. Errors: it ends before its clusters are ready.
 */
export async function startMembersOnSandbox(directory: string, flags: readonly string[]): Promise<Members> {
  const kubeconfig = join(directory, 'kubeconfig');
  const program = fileURLToPath(new URL('../../packages/cli/src/main.ts', import.meta.url));
  const child = spawn(process.execPath, [program, 'sandbox', 'up', '--kubeconfig', kubeconfig, ...flags], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  // The file appears when all clusters are ready.
  while (!existsSync(kubeconfig)) {
    if (child.exitCode !== null) throw new Error(`isthmus sandbox up has ended with exit code ${child.exitCode}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return {
    kubeconfig,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

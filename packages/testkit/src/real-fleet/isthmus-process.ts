/**
 * One of the modules that may touch the world: it runs the `isthmus` command (processes,
 * environment).
 */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { environmentOfPrograms } from '../apiserver/supervision.ts';

/**
 * If this process ends, by kill -9 too, its end closes the channel, and the command ends as well.
 */
const endWithParent =
  'data:text/javascript,process.on("disconnect",()=>process.exit(1));process.channel.unref()' as const;

/**
 * The `isthmus` command as a process that cannot outlive this one; its output goes to `onLine`,
 * line by line.
 */
export function spawnIsthmus(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  onLine: (line: string) => void,
): ChildProcess {
  const program = fileURLToPath(new URL('../../../cli/src/main.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', endWithParent, program, ...args], {
    env: { ...environmentOfPrograms(), NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  for (const stream of [child.stdout, child.stderr]) {
    let rest = '';
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      lines.forEach(onLine);
    });
  }
  return child;
}

/**
 * Asks a process to end, and kills it if it has not ended after `graceMs`; resolves when it has.
 * Leaves no timer.
 */
export function endProcess(child: ChildProcess, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    const kill = setTimeout(() => child.kill('SIGKILL'), graceMs);
    child.once('exit', () => {
      clearTimeout(kill);
      resolve();
    });
    child.kill('SIGTERM');
  });
}

/** Of the modules that may touch the world: what real fleets need of it (files of the checkout, processes, real time). */
import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findBinaries } from '../apiserver/find-binaries.ts';

const root = fileURLToPath(new URL('../../../..', import.meta.url));

/** A file of the checkout, by its path from the root. */
export function readCheckoutFile(path: string): Promise<string> {
  return readFile(join(root, path), 'utf8');
}

/** A directory that only this user can read. */
export interface PrivateDirectory {
  readonly path: string;
  /** Writes a file and returns its path. */
  write(name: string, text: string): Promise<string>;
}

/** A directory beside a file; who removes that file's directory removes it too. Nothing changes where it is there already. */
export async function directoryBeside(file: string, name: string): Promise<PrivateDirectory> {
  const path = join(dirname(file), name);
  await mkdir(path, { recursive: true, mode: 0o700 });
  return {
    path,
    async write(fileName, text) {
      const written = join(path, fileName);
      await writeFile(written, text, { mode: 0o600 });
      return written;
    },
  };
}

/** However this process ends, by kill -9 too, its end closes the channel, and the command goes with it. */
const endWithParent =
  'data:text/javascript,process.on("disconnect",()=>process.exit(1));process.channel.unref()' as const;

/** The `isthmus` command as a process that cannot outlive this one; what it says goes to `heard`, line by line. */
export function spawnIsthmus(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  heard: (line: string) => void,
): ChildProcess {
  const program = join(root, 'packages/cli/src/main.ts');
  const child = spawn(process.execPath, ['--import', endWithParent, program, ...args], {
    env: { PATH: process.env['PATH'] ?? '', NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  for (const stream of [child.stdout, child.stderr]) {
    let rest = '';
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      lines.forEach(heard);
    });
  }
  return child;
}

/** Asks a process to end, and makes it where it has not ended after `graceMs`; resolves when it has. Leaves no timer. */
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

/** What a command printed. */
export interface ShellOutput {
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a line of shell, as a document prints it, with kubectl and etcdutl at hand and pointed at one cluster. Errors: an exit code other than 0, with
 * what was said.
 */
export function runShell(
  script: string,
  options: { readonly kubeconfig: string; readonly home: string; readonly input?: string | undefined },
): Promise<ShellOutput> {
  const { kubectl, etcdutl } = findBinaries(process.env);
  const path = [...new Set([kubectl, etcdutl].map((program) => dirname(program))), process.env['PATH'] ?? ''].join(
    delimiter,
  );
  // kubectl keeps what it has discovered under HOME.
  const env = { PATH: path, HOME: options.home, KUBECONFIG: options.kubeconfig };
  const { promise, resolve, reject } = Promise.withResolvers<ShellOutput>();
  const child = execFile('sh', ['-c', script], { env, cwd: options.home }, (error, stdout, stderr) => {
    if (error === null) resolve({ stdout, stderr });
    else reject(new Error(`${script}: ${stderr.trim()}`, { cause: error }));
  });
  // A script may end before it has read its input: its exit code counts.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(options.input ?? '');
  return promise;
}

export function after(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

export function nowMs(): number {
  return performance.now();
}

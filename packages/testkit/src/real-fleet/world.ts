/**
 * One of the modules that may touch the world: the parts of it that real fleets need (files of the
 * checkout, processes, real time).
 */
import { execFile } from 'node:child_process';
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

/**
 * A directory beside a file; it is removed with that file's directory. Nothing changes if it exists
 * already.
 */
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

/** The output of a command. */
export interface ShellOutput {
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a line of shell, as in a document, with kubectl and etcdutl for one cluster. Errors: an exit
 * code other than 0, with the output.
 */
export function runShell(
  script: string,
  options: { readonly kubeconfig: string; readonly home: string; readonly input?: string | undefined },
): Promise<ShellOutput> {
  const { kubectl, etcdutl } = findBinaries(process.env);
  const path = [...new Set([kubectl, etcdutl].map((program) => dirname(program))), process.env['PATH'] ?? ''].join(
    delimiter,
  );
  // kubectl stores its discovery cache under HOME.
  const env = { PATH: path, HOME: options.home, KUBECONFIG: options.kubeconfig };
  const { promise, resolve, reject } = Promise.withResolvers<ShellOutput>();
  const child = execFile('sh', ['-c', script], { env, cwd: options.home }, (error, stdout, stderr) => {
    if (error === null) resolve({ stdout, stderr });
    else reject(new Error(`${script}: ${stderr.trim()}`, { cause: error }));
  });
  // A script may end before it has read its input: its exit code decides.
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

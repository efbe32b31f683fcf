import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Operation } from './operations.ts';
import type { ToolSet } from './programs.ts';
import type { Reached } from './reached.ts';
import { clientNodeCalls } from './client-node-calls.ts';
import { isthmusCalls } from './isthmus-calls.ts';

/** How an operation ended. */
export interface Outcome {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** One run through the list against one server. */
export interface Run extends Disposable {
  perform(operation: Operation): Promise<Outcome>;
}

const here = dirname(fileURLToPath(import.meta.url));
const patienceMs = 90_000;
const meanwhileMs = 1_000;

export interface RunOptions {
  readonly namespace: string;
  /** Where kubectl finds `diff` and the editor `sed`: a `PATH`. */
  readonly searchPath: string;
}

/**
 * Makes a home of its own for the tools of one run: kubeconfig, caches, manifests. Disposing
 * removes it.
 */
export function startRun(server: Reached, tools: ToolSet, { namespace, searchPath }: RunOptions): Run {
  const home = mkdtempSync(join(tmpdir(), 'isthmus-tools-'));
  const replaced = (text: string) =>
    text
      .replaceAll('NAMESPACE', namespace)
      .replaceAll('MANIFESTS', join(home, 'manifests'))
      .replaceAll('CHART', join(home, 'chart'));
  copyTree(join(here, 'manifests'), join(home, 'manifests'), replaced);
  copyTree(join(here, 'chart'), join(home, 'chart'));
  const kubeconfig = join(home, 'kubeconfig');
  writeFileSync(kubeconfig, kubeconfigOf(server, namespace), { mode: 0o600 });
  return {
    async perform(operation) {
      const args = operation.args.map(replaced);
      if (operation.program === 'client-node')
        return called(() => clientNodeCalls[args[0] ?? '']?.(kubeconfig, namespace));
      if (operation.program === 'isthmus') return called(() => isthmusCalls[args[0] ?? '']?.(server, namespace));
      const env = {
        PATH: searchPath,
        HOME: home,
        KUBECONFIG: kubeconfig,
        KUBECTL_KUBERC: 'false',
        ...Object.fromEntries(Object.entries(operation.env ?? {}).map(([name, value]) => [name, editor(home, value)])),
      };
      const { meanwhile } = operation;
      const main = executed(tools[operation.program], args, { cwd: home, env });
      if (meanwhile !== undefined) {
        await sleep(meanwhileMs);
        await executed(tools.kubectl, meanwhile.map(replaced), { cwd: home, env });
      }
      return main;
    },
    [Symbol.dispose]: () => rmSync(home, { recursive: true, force: true }),
  };
}

/** kubectl splits an editor at blanks: a script has none. `·` stands for a blank. */
function editor(home: string, line: string): string {
  const path = join(home, 'editor.sh');
  const [program = '', ...args] = line.split(' ');
  const quoted = args.map((word) => `'${word.replaceAll('·', ' ')}'`).join(' ');
  writeFileSync(path, `#!/bin/sh\nexec ${program} ${quoted} "$1"\n`, { mode: 0o755 });
  return path;
}

function executed(
  program: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'], timeout: patienceMs });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.on('error', reject);
    child.on('close', (code) => resolve({ exitCode: code ?? -1, stdout, stderr }));
  });
}

async function called(call: () => Promise<string> | undefined): Promise<Outcome> {
  try {
    const stdout = await call();
    if (stdout === undefined) throw new Error('there is no such call');
    return { exitCode: 0, stdout, stderr: '' };
  } catch (error) {
    return { exitCode: 1, stdout: '', stderr: error instanceof Error ? error.message : String(error) };
  }
}

function copyTree(from: string, to: string, change: (text: string) => string = (text) => text): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) copyTree(source, target, change);
    else {
      copyFileSync(source, target);
      writeFileSync(target, change(readFileSync(source, 'utf8')));
    }
  }
}

function kubeconfigOf({ url, caData, certData, keyData }: Reached, namespace: string): string {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'admin', namespace } }],
    clusters: [{ name: 'test', cluster: { server: url, 'certificate-authority-data': base64(caData) } }],
    users: [
      { name: 'admin', user: { 'client-certificate-data': base64(certData), 'client-key-data': base64(keyData) } },
    ],
  });
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, open, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checksAllPoints, sweepOf } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const modules = fileURLToPath(new URL('../../../node_modules', import.meta.url));
const launcher = fileURLToPath(new URL('../bin/isthmus.js', import.meta.url));
const header = 'apiVersion: multicluster.crd.antrea.io/v1alpha1\nkind: MultiClusterConfig\n';

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/**
 * The Node that the machine has, whichever it is, as a user's shell would find it: without what npm
 * puts in front.
 */
const userPath = (process.env['PATH'] ?? '')
  .split(':')
  .filter((folder) => !folder.includes('node_modules'))
  .join(':');

/** Starts the launcher; `onErr` gets standard error so far, with each piece. */
function isthmus(args: readonly string[], onErr: (all: string) => void = () => {}) {
  const child = spawn('node', [launcher, ...args], { env: { PATH: userPath, HOME: directory }, stdio: 'pipe' });
  const written = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (written.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    written.err += text;
    onErr(written.err);
  });
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, ...written }));
  });
  return { child, ended };
}

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'isthmus-cli-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

describe.concurrent('the isthmus process', () => {
  it('runs under the Node of the machine, and prints its version', async () => {
    const { code, out, err } = await isthmus(['version']).ended;
    expect({ code, out, err }).toEqual({
      code: 0,
      out: expect.stringMatching(/^isthmus \d+\.\d+\.\d+(?:-rc\.\d+)? \(wire 2\)\n$/),
      err: '',
    });
  });

  it('writes all that it prints before it ends, whatever its size and however a pipe is read', async () => {
    const bundle = join(directory, 'long.yaml');
    const uri = 'u'.repeat(400_000);
    const component = `{id: x, version: {upstream: v1.0.0}, artifacts: [{name: image, kind: image, uri: ${uri}}]}`;
    const head = 'apiVersion: upgrade.isthmus.dev/v1alpha1\nkind: ComponentBundle\nmetadata: {name: long}\n';
    await writeFile(
      bundle,
      `${head}spec: {number: 1, channel: c, createdAt: 2026-11-01T00:00:00Z, components: [${component}]}\n`,
    );
    const { code, out } = await isthmus(['upgrade', 'bundle', 'show', bundle, '-o', 'json']).ended;
    expect(code).toBe(0);
    expect(out.endsWith('}\n')).toBe(true);
    expect(out.includes(uri)).toBe(true);
  });

  it.skipIf(process.platform !== 'linux')(
    'ends with an error of one line where its output cannot be written',
    async () => {
      await using full = await open('/dev/full', 'w');
      const child = spawn('node', [launcher, 'version'], {
        env: { PATH: userPath, HOME: directory },
        stdio: ['ignore', full.fd, 'pipe'],
      });
      let err = '';
      child.stderr?.setEncoding('utf8').on('data', (text: string) => (err += text));
      const [code] = (await once(child, 'close')) as [number | null];
      expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(/^error: writing the output: ENOSPC.*\n$/) });
    },
  );

  it('loads nothing of the sandbox for a command that does without: its memory is that of every controller', async () => {
    const main = fileURLToPath(new URL('main.ts', import.meta.url));
    const tellLoaded = `data:text/javascript,import { registerHooks } from 'node:module';
      registerHooks({ load: (url, context, next) => (console.error(url), next(url, context)) });`;
    const child = spawn(process.execPath, ['--import', tellLoaded, main, 'version'], { stdio: 'pipe' });
    let loaded = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (loaded += text));
    await once(child, 'close');
    expect(loaded).toContain('/packages/cli/src/sandbox/command.ts');
    expect(loaded).toContain('/packages/controlplane/src/');
    expect(loaded).not.toContain('/packages/sandbox/src/');
  });

  it('ends with 2 for a configuration that it cannot use, and prints the place', async () => {
    const config = join(directory, 'bad.yaml');
    await writeFile(config, `${header}podCIDR: 10.0.0.0/8\n`);
    const { code, out, err } = await isthmus(['controller', 'leader', '--config', config]).ended;
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(`${config}:3: podCIDR: unknown field`);
  });

  it('ends with 0 after a SIGTERM, while its API server accepts connections and never answers', async () => {
    await using silent = await silentServer();
    const kubeconfig = join(directory, 'silent.kubeconfig');
    await writeFile(kubeconfig, kubeconfigOf(silent.port), { mode: 0o600 });
    const config = join(directory, 'quiet.yaml');
    await writeFile(config, `${header}health: { healthProbeBindAddress: '127.0.0.1:0' }\n`);
    const asked = silent.asked;
    const { child, ended } = isthmus(['controller', 'member', '--kubeconfig', kubeconfig, '--config', config]);
    await asked;
    child.kill('SIGTERM');
    const { code, err } = await ended;
    expect(code).toBe(0);
    expect(err).toContain('"message":"stopped"');
  });

  // `run-controller.test.ts` shows the same but for the process.
  it.runIf(checksAllPoints())('ends with 1 where its address is taken', async () => {
    await using taken = await silentServer();
    const kubeconfig = join(directory, 'any.kubeconfig');
    await writeFile(kubeconfig, kubeconfigOf(taken.port), { mode: 0o600 });
    const config = join(directory, 'taken.yaml');
    await writeFile(config, `${header}health: { healthProbeBindAddress: '127.0.0.1:${taken.port}' }\n`);
    const { code, err } = await isthmus(['controller', 'leader', '--kubeconfig', kubeconfig, '--config', config]).ended;
    expect(code).toBe(1);
    expect(err).toContain(
      'another process uses this port; choose another port (setting health.healthProbeBindAddress)',
    );
  });
});

describe.concurrent('the launcher', () => {
  const reached = [
    ['SIGINT', 'its whole process group'],
    ['SIGTERM', 'its whole process group'],
    ['SIGINT', 'it alone'],
    ['SIGTERM', 'it alone'],
  ] as const;
  const handedOn = sweepOf(reached, { oneIn: 2, kindOf: ([, whom]) => whom });
  it.each(handedOn)('hands a %s that reaches %s on once', async (signal, whom) => {
    await using run = await launch('count1');
    process.kill(whom === 'it alone' ? run.pid : -run.pid, signal);
    expect(await run.ended).toEqual({ code: 0, signal: null });
    expect(run.said()).toEqual([signal]);
  });

  it.runIf(checksAllPoints())('hands on the second signal of a person who does not want to wait', async () => {
    await using run = await launch('count2');
    for (const said of [['SIGINT'], ['SIGINT', 'SIGINT']]) {
      process.kill(-run.pid, 'SIGINT');
      await run.hasSaid(said.length);
      expect(run.said()).toEqual(said);
    }
    expect(await run.ended).toEqual({ code: 0, signal: null });
  });

  it.each(sweepOf(['SIGTERM', 'SIGINT', 'SIGKILL'] as const, { oneIn: 3 }))(
    'ends by %s where the program ends by it',
    async (signal) => {
      await using run = await launch(signal);
      expect(await run.ended).toEqual({ code: null, signal });
    },
  );

  it('ends with the code of the program', async () => {
    await using run = await launch('7');
    expect(await run.ended).toEqual({ code: 7, signal: null });
  });

  it.each(sweepOf(['SIGKILL', 'SIGHUP'] as const, { oneIn: 2 }))(
    'takes the program with it when it is ended by %s',
    async (signal) => {
      await using run = await launch('count1');
      process.kill(run.pid, signal);
      expect(await run.ended).toEqual({ code: null, signal });
      await run.silent;
      expect(run.said()).toEqual(['SIGTERM']);
    },
  );
});

/**
 * The program that the launcher starts instead of the command. It prints its number, then the name
 * of each signal. It ends half a second after the expected number of signals, so that one too many
 * shows; or as its arguments require.
 */
const probe = `
const how = process.argv[2];
if (how.startsWith('count')) {
  let expected = Number(how.slice(5));
  const hang = setTimeout(() => process.exit(9), 300_000);
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.on(signal, () => {
      console.log(signal);
      expected -= 1;
      if (expected !== 0) return;
      clearTimeout(hang);
      setTimeout(() => process.exit(0), 500);
    });
  }
  console.log(process.pid);
} else if (how.startsWith('SIG')) {
  console.log(process.pid);
  process.kill(process.pid, how);
} else {
  console.log(process.pid);
  process.exitCode = Number(how);
}
`;

interface Launched extends AsyncDisposable {
  /** The process of the launcher, which leads a process group as it would in a shell. */
  readonly pid: number;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  /** The lines of the program after its number. */
  said(): readonly string[];
  /**
   * Resolves when there are so many of these lines, or when no process is left that could write
   * one.
   */
  hasSaid(lines: number): Promise<void>;
  /** Resolves when no process is left that could write: launcher and program have ended. */
  readonly silent: Promise<void>;
}

/** Starts a copy of the launcher before the {@link probe}; resolves when the probe runs. */
async function launch(how: string): Promise<Launched> {
  const checkout = await mkdtemp(join(directory, 'launcher-'));
  await Promise.all(['bin', 'src'].map((folder) => mkdir(join(checkout, folder))));
  await Promise.all([
    copyFile(launcher, join(checkout, 'bin/isthmus.js')),
    symlink(modules, join(checkout, 'node_modules')),
    writeFile(join(checkout, 'package.json'), '{ "type": "module" }'),
    writeFile(join(checkout, 'src/main.ts'), probe),
  ]);
  const child = spawn('node', [join(checkout, 'bin/isthmus.js'), how], {
    env: { PATH: userPath, HOME: directory },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  const ended = once(child, 'exit').then(([code, signal]) => ({ code, signal }));
  const silent = once(child, 'close').then(() => {});
  const lines = () => out.split('\n').slice(0, -1);
  const has = async (count: number) => {
    while (lines().length < count && !child.stdout.closed) await Promise.race([once(child.stdout, 'data'), silent]);
  };
  await has(1);
  return {
    pid: child.pid ?? 0,
    ended,
    said: () => lines().slice(1),
    hasSaid: (count) => has(1 + count),
    silent,
    async [Symbol.asyncDispose]() {
      // The program goes with it.
      child.kill('SIGKILL');
      await silent;
    },
  };
}

function kubeconfigOf(port: number): string {
  return `current-context: here
clusters: [{ name: here, cluster: { server: 'http://127.0.0.1:${port}' } }]
users: [{ name: me, user: {} }]
contexts: [{ name: here, context: { cluster: here, user: me } }]
`;
}

/** A server that reads and never answers; `asked` resolves when a client has sent something. */
async function silentServer(): Promise<AsyncDisposable & { readonly port: number; readonly asked: Promise<void> }> {
  const asked = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => asked.resolve());
  });
  await new Promise<void>((resolve) => server.listen({ host: '127.0.0.1', port: 0 }, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    asked: asked.promise,
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

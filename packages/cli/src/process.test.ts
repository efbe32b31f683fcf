import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const launcher = fileURLToPath(new URL('../bin/isthmus.js', import.meta.url));
const header = 'apiVersion: multicluster.crd.antrea.io/v1alpha1\nkind: MultiClusterConfig\n';

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** The Node that the machine has, whichever it is, as a user's shell would find it: without what npm puts in front. */
const userPath = (process.env['PATH'] ?? '')
  .split(':')
  .filter((folder) => !folder.includes('node_modules'))
  .join(':');

/** Starts the launcher; `err` tells each piece of standard error. */
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
      out: expect.stringMatching(/^isthmus \d+\.\d+\.\d+ \(wire 1\)\n$/),
      err: '',
    });
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

  it('ends with 1 where its address is taken', async () => {
    await using taken = await silentServer();
    const kubeconfig = join(directory, 'any.kubeconfig');
    await writeFile(kubeconfig, kubeconfigOf(taken.port), { mode: 0o600 });
    const config = join(directory, 'taken.yaml');
    await writeFile(config, `${header}health: { healthProbeBindAddress: '127.0.0.1:${taken.port}' }\n`);
    const { code, err } = await isthmus(['controller', 'leader', '--kubeconfig', kubeconfig, '--config', config]).ended;
    expect(code).toBe(1);
    expect(err).toContain('another process listens there; choose another port (setting health.healthProbeBindAddress)');
  });
});

function kubeconfigOf(port: number): string {
  return `current-context: here
clusters: [{ name: here, cluster: { server: 'http://127.0.0.1:${port}' } }]
users: [{ name: me, user: {} }]
contexts: [{ name: here, context: { cluster: here, user: me } }]
`;
}

/** A server that hears and says nothing; `asked` resolves when somebody has sent something. */
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

import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  ClusterSet,
  Deployment,
  EndpointSlice,
  Namespace,
  Pod,
  Service,
  ServiceExport,
  ServiceImport,
} from '@isthmus/api';
import type { Client } from '@isthmus/kube';
import { connect, createClient, findConnection, readFile, systemClock } from '@isthmus/kube';
import { checksAllPoints } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const launcher = fileURLToPath(new URL('../../bin/isthmus.js', import.meta.url));
const file = 'isthmus-sandbox.kubeconfig';

/** The Node that the machine has, whichever it is: without what npm puts in front. */
const path = (process.env['PATH'] ?? '')
  .split(':')
  .filter((folder) => !folder.includes('node_modules'))
  .join(':');

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'isthmus-up-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function isthmus(...args: readonly string[]) {
  const child = spawn('node', [launcher, 'sandbox', 'up', ...args], {
    cwd: folder,
    env: { PATH: path },
    stdio: 'pipe',
  });
  const written = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (written.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (written.err += text));
  const ended = new Promise<typeof written & { readonly code: number | null }>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, ...written }));
  });
  return { child, ended };
}

/** A client with the server and credentials of the kubeconfig, and nothing else. */
async function clientOf(context: string): Promise<Client> {
  const clock = systemClock();
  const settings = await findConnection({ env: {}, home: undefined, readFile, path: join(folder, file), context });
  return createClient({ transport: await connect(settings, { clock, readFile, userAgent: 'a person' }), clock });
}

describe('isthmus sandbox up, as a process', () => {
  it('serves clusters over HTTPS that a Service goes between, until Ctrl-C', async () => {
    const { child, ended } = isthmus('--clusters', 'north:leader+member,east');
    await expect.poll(() => existsSync(join(folder, file)), { interval: 20 }).toBe(true);
    expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
    const [north, east] = await Promise.all([clientOf('north'), clientOf('east')]);
    const sets = (await Promise.all([north, east].map((client) => client.list(ClusterSet)))).map(({ items }) =>
      items.map(({ metadata, spec }) => `${metadata.namespace} ${spec?.clusterID}`),
    );
    expect(sets).toEqual([['antrea-multicluster north', 'kube-system north'], ['kube-system east']]);

    const ref = { namespace: 'shop', name: 'cart' };
    const labels = { app: 'cart' };
    for (const client of [north, east]) await client.create(Namespace, { metadata: { name: ref.namespace } });
    await east.create(Deployment, {
      metadata: { ...ref },
      spec: {
        replicas: 2,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'cart', image: 'cart:1' }] } },
      },
    });
    await east.create(Service, { metadata: { ...ref }, spec: { selector: labels, ports: [{ port: 80 }] } });
    await east.create(ServiceExport, { metadata: { ...ref } });
    const imported = async () => (await north.list(ServiceImport)).items[0]?.status?.clusters?.[0]?.cluster;
    await expect.poll(imported).toBe('east');
    const slices = async () => (await north.list(EndpointSlice, { namespace: 'shop' })).items;
    const ip = (await east.get(Service, ref)).spec?.clusterIP;
    const addresses = async () => (await slices()).flatMap(({ endpoints }) => endpoints?.[0]?.addresses);
    await expect.poll(addresses).toEqual([ip]);
    const pods = (await east.list(Pod, { namespace: 'shop' })).items;
    expect(pods.map(({ status }) => status?.phase)).toEqual(['Running', 'Running']);
    for (const client of [north, east]) client.close();

    child.kill('SIGINT');
    const { code, out, err } = await ended;
    expect({ code, err }).toEqual({ code: 0, err: 'SIGINT: stopping the sandbox\n' });
    const key = /client-key-data/;
    expect(out + err).not.toMatch(key);
    expect(readdirSync(folder)).toEqual([]);
  });

  // `process.test.ts` shows a process that ends with 2, and `up.test.ts` which file is left alone.
  it.runIf(checksAllPoints())(
    'ends with 2 and leaves the file alone where there is a kubeconfig of somebody else',
    async () => {
      const mine = 'kind: Config\nclusters: [{name: work}]\n';
      writeFileSync(join(folder, 'config'), mine);
      const { code, out, err } = await isthmus('--kubeconfig', 'config').ended;
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(err).toContain('--kubeconfig config: this file was not written by a sandbox');
      expect(readFileSync(join(folder, 'config'), 'utf8')).toBe(mine);
      rmSync(join(folder, 'config'));
    },
  );
});

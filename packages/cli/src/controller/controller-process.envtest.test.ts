import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  ClusterSet,
  CustomResourceDefinition,
  Lease,
  Namespace,
  Pod,
  ResourceExport,
  ResourceImport,
} from '@isthmus/api';
import type { Client } from '@isthmus/kube';
import { createClient, isAlreadyExists, systemClock } from '@isthmus/kube';
import type { KubernetesObject } from '@isthmus/machinery';
import { parseYaml } from '@isthmus/machinery';
import { adminTransport, startApiServer, waitLimitMs } from '@isthmus/testkit';
import type { RealApiServer } from '@isthmus/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

const checkout = fileURLToPath(new URL('../../../..', import.meta.url));
const namespace = 'antrea-multicluster';
const lease = { namespace, name: 'isthmus-leader' };

type Line = Readonly<Record<string, unknown>>;

/** A controller of its own process. */
interface Controller {
  /** Its log so far. */
  readonly log: readonly Line[];
  readonly ended: Promise<number | NodeJS.Signals>;
  signal(name: NodeJS.Signals): void;
  readyz(): Promise<{ readonly status: number; readonly body: string }>;
  metrics(): Promise<string>;
}

let directory: string;
let server: RealApiServer;
let admin: Client;
const running: Controller[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'isthmus-controller-'));
  server = await startApiServer({ name: 'controller' });
  const transport = adminTransport(server, 'isthmus-test');
  admin = createClient({ transport, clock: systemClock() });
  await admin.create(Namespace, { metadata: { name: namespace } });
});

afterEach(async () => {
  for (const controller of running.splice(0)) {
    controller.signal('SIGKILL');
    await controller.ended;
  }
});

afterAll(async () => {
  admin?.close();
  await server?.[Symbol.asyncDispose]();
  if (directory !== undefined) await rm(directory, { recursive: true, force: true });
});

describe('a controller process against a real API server', () => {
  it('names the missing CRDs, starts when they are applied, counts its reconciles, and ends with 0', async () => {
    const controller = await start('leader', ['--kubeconfig', server.kubeconfigPath]);
    await until('it is not ready', async () => (await controller.readyz()).body.includes('does not serve'));
    const { status, body } = await controller.readyz();
    expect(status).toBe(500);
    expect(body).toContain('clustersets.multicluster.crd.antrea.io (v1alpha2)');
    expect(body).toContain('run: kubectl apply -f deploy/leader-crds.yaml');

    await applyManifest('deploy/leader-crds.yaml');
    await until('it is ready', async () => (await controller.readyz()).status === 200);
    await admin.create(ClusterSet, {
      metadata: { namespace, name: 'set' },
      spec: { clusterID: 'north', namespace, leaders: [{ clusterID: 'north' }] },
    });
    await until('it has reconciled', async () =>
      /isthmus_controller_reconcile_total\{[^}]*controller="leader-cluster-set"[^}]*outcome="(?:done|again)"[^}]*\} [1-9]/.test(
        await controller.metrics(),
      ),
    );

    controller.signal('SIGTERM');
    expect(await controller.ended).toBe(0);
    expect(controller.log.filter(({ level }) => level === 'error')).toEqual([]);
    expect(controller.log.at(-1)).toMatchObject({ message: 'stopped' });
    expect((await admin.get(Lease, lease)).spec?.holderIdentity).toBe('');
  });

  it('waits as a ready standby, and takes over from one that was killed when its Lease has run out', async () => {
    await applyManifest('deploy/leader-crds.yaml');
    const first = await start('leader', ['--kubeconfig', server.kubeconfigPath], { POD_NAME: 'first' });
    await until('the first leads', async () => (await checksOf(first)).includes('[+]lease-leading ok'));
    const second = await start('leader', ['--kubeconfig', server.kubeconfigPath], { POD_NAME: 'second' });
    await until('the second is a standby', async () => (await checksOf(second)).includes('[+]lease-standby ok'));
    expect((await second.readyz()).status).toBe(200);

    first.signal('SIGKILL');
    expect(await first.ended).toBe('SIGKILL');
    const { renewTime = '' } = (await admin.get(Lease, lease)).spec ?? {};
    await until('the second leads', async () => (await checksOf(second)).includes('[+]lease-leading ok'));
    const { holderIdentity, leaseTransitions, acquireTime = '' } = (await admin.get(Lease, lease)).spec ?? {};
    expect(holderIdentity).toMatch(/^second_/);
    expect(leaseTransitions).toBeGreaterThan(0);
    expect(Date.parse(acquireTime) - Date.parse(renewTime)).toBeGreaterThanOrEqual(15_000);
  });

  it('works at once in the next container of its Pod after a kill -9', async () => {
    await applyManifest('deploy/leader.yaml');
    const pod = { POD_NAME: 'pod-a', POD_UID: '6b3f2c1a-0d4e-4f5a-8b6c-7d8e9f0a1b2c' };
    const kubeconfig = await tokenKubeconfig();
    const first = await start('leader', ['--kubeconfig', kubeconfig], pod, firstOfItsContainer);
    await until('the first leads', async () => (await checksOf(first)).includes('[+]lease-leading ok'));
    await killed(first);

    const next = await start('leader', ['--kubeconfig', kubeconfig], pod, firstOfItsContainer);
    await until('the next one publishes', () => isPublished('after-kill'));
    expect(await holder()).toMatch(/^pod-a_6b3f2c1a-/);
    expect(next.log.map(({ message }) => message)).not.toContain('another process holds the Lease; waiting');
  });

  it('is followed by a waiting replica when its Pod has failed after a kill -9, and not before', async () => {
    await applyManifest('deploy/leader.yaml');
    const spec = { serviceAccountName: 'antrea-mc-controller', containers: [{ name: 'a', image: 'a' }] };
    const { metadata } = await admin.create(Pod, { metadata: { namespace, name: 'pod-b' }, spec });
    const kubeconfig = await tokenKubeconfig();
    const pod = { POD_NAME: 'pod-b', POD_UID: metadata.uid ?? '' };
    const first = await start('leader', ['--kubeconfig', kubeconfig], pod, firstOfItsContainer);
    await until('the first leads', async () => (await checksOf(first)).includes('[+]lease-leading ok'));
    const second = await start('leader', ['--kubeconfig', kubeconfig], { POD_NAME: 'pod-c' });
    await until('the second is a standby', async () => (await checksOf(second)).includes('[+]lease-standby ok'));
    await killed(first);
    // Several times it looks, and its Pod is not known to have ended.
    await after(5_000);
    expect(await holder()).toMatch(/^pod-b_/);

    const failed = { status: { phase: 'Failed' } };
    await admin.patch(Pod, metadata, { type: 'merge', body: failed }, { subresource: 'status' });
    await until('the second publishes', () => isPublished('after-failure'));
    expect(await holder()).toMatch(/^pod-c_/);
  });

  it('is followed by a waiting replica after SIGTERM, for it gives its Lease back', async () => {
    await applyManifest('deploy/leader.yaml');
    const kubeconfig = await tokenKubeconfig();
    const first = await start('leader', ['--kubeconfig', kubeconfig], { POD_NAME: 'first' });
    await until('the first leads', async () => (await checksOf(first)).includes('[+]lease-leading ok'));
    const second = await start('leader', ['--kubeconfig', kubeconfig], { POD_NAME: 'second' });
    await until('the second is a standby', async () => (await checksOf(second)).includes('[+]lease-standby ok'));
    first.signal('SIGTERM');
    expect(await first.ended).toBe(0);
    expect(await holder()).not.toMatch(/^first_/);
    await until('the second publishes', () => isPublished('after-end'));
  });

  it('creates its Lease again when somebody deletes it; of two replicas one leads then, and publishes', async () => {
    await applyManifest('deploy/leader.yaml');
    const kubeconfig = await tokenKubeconfig();
    const replicas = [
      await start('leader', ['--kubeconfig', kubeconfig], { POD_NAME: 'one' }),
      await start('leader', ['--kubeconfig', kubeconfig], { POD_NAME: 'two' }),
    ];
    const states = async () =>
      (await Promise.all(replicas.map(checksOf)))
        .map((checks) => checks.find((line) => line.includes('lease-')) ?? '')
        .toSorted();
    const oneLeads = async () => String(await states()) === '[+]lease-leading ok,[+]lease-standby ok';
    await until('one leads', oneLeads);
    const { uid } = (await admin.get(Lease, lease)).metadata;
    await admin.delete(Lease, lease);
    await until('there is another Lease', async () => {
      const found = await admin.get(Lease, lease).catch(() => undefined);
      return found !== undefined && found.metadata.uid !== uid && (await oneLeads());
    });
    await until('who leads publishes', () => isPublished('after-deletion'));
  });

  it('reports the policy that denies its Lease, and leads again when that is gone', async () => {
    await applyManifest('deploy/leader.yaml');
    const controller = await start('leader', ['--kubeconfig', await tokenKubeconfig()], { POD_NAME: 'denied' });
    await until('it leads', async () => (await checksOf(controller)).includes('[+]lease-leading ok'));
    const metadata = { name: 'no-leases' };
    const group = 'admissionregistration.k8s.io';
    const rule = { apiGroups: ['coordination.k8s.io'], apiVersions: ['*'], resources: ['leases'] };
    const validations = [{ expression: "object.metadata.name != 'isthmus-leader'", message: 'no Leases for you' }];
    const matchConstraints = { resourceRules: [{ ...rule, operations: ['CREATE', 'UPDATE'] }] };
    const write = (method: 'POST' | 'DELETE', path: string, object: object) =>
      admin.request({
        method,
        path: `/apis/${group}/v1/${path}`,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(object),
      });
    const policies = 'validatingadmissionpolicies';
    const bindings = 'validatingadmissionpolicybindings';
    const typed = (kind: string, spec: object) => ({ apiVersion: `${group}/v1`, kind, metadata, spec });
    await write('POST', policies, typed('ValidatingAdmissionPolicy', { matchConstraints, validations }));
    const spec = { policyName: metadata.name, validationActions: ['Deny'] };
    await write('POST', bindings, typed('ValidatingAdmissionPolicyBinding', spec));
    await until('it reports the policy', async () => (await controller.readyz()).body.includes('no Leases for you'));
    expect((await controller.readyz()).status).toBe(500);

    for (const path of [bindings, policies]) await write('DELETE', `${path}/${metadata.name}`, {});
    await until('it leads again', async () => (await checksOf(controller)).includes('[+]lease-leading ok'));
    await until('and publishes', () => isPublished('after-denial'));
  });

  it('reports that its token is refused, and starts when a good one is in its file', async () => {
    await applyManifest('deploy/leader.yaml');
    const tokenPath = join(directory, 'token');
    await writeFile(tokenPath, 'wrong', { mode: 0o600 });
    const kubeconfig = join(directory, 'token.kubeconfig');
    await writeFile(kubeconfig, kubeconfigWith(tokenPath), { mode: 0o600 });
    const controller = await start('leader', ['--kubeconfig', kubeconfig]);
    await until('it is refused', async () => (await controller.readyz()).body.includes('401 Unauthorized'));
    expect((await controller.readyz()).body).toContain('check that the token or client certificate is valid');
    await writeFile(tokenPath, await controllerToken());
    await until('it is ready', async () => (await controller.readyz()).status === 200);
  });

  it('is alive but not ready while the API server is away, and comes back with it', async () => {
    await applyManifest('deploy/leader-crds.yaml');
    await server.stop('kube-apiserver');
    const controller = await start('leader', ['--kubeconfig', server.kubeconfigPath]);
    await until('it says so', async () => (await controller.readyz()).body.includes('ECONNREFUSED'));
    await server.start('kube-apiserver');
    await until('it is ready', async () => (await controller.readyz()).status === 200);
  });
});

/** A process that leads where its number is 1, as in a container of its own. */
const firstOfItsContainer = ['--import', 'data:text/javascript,Object.defineProperty(process,"pid",{value:1})'];

/** Kills it, and gives its Lease an hour more: the next leader has not waited for its end. */
async function killed(controller: Controller): Promise<void> {
  controller.signal('SIGKILL');
  expect(await controller.ended).toBe('SIGKILL');
  await admin.patch(Lease, lease, { type: 'merge', body: { spec: { leaseDurationSeconds: 3_600 } } });
}

async function holder(): Promise<string | undefined> {
  return (await admin.get(Lease, lease)).spec?.holderIdentity;
}

/** Whether the leader has published what a member exports; exports it the first time. */
async function isPublished(name: string): Promise<boolean> {
  const ports = [{ name: 'http', protocol: 'TCP', port: 80 }] as const;
  const spec = { clusterID: 'west', namespace: 'shop', name, kind: 'Service', service: { serviceSpec: { ports } } };
  const metadata = { namespace, name: `west-shop-${name}-service`, labels: { sourceClusterID: 'west' } };
  await admin.create(ResourceExport, { metadata, spec }).catch(unlessItExists);
  const { items } = await admin.list(ResourceImport, { namespace });
  return items.some((one) => one.metadata.name === `shop-${name}-service`);
}

/** A kubeconfig of the ServiceAccount that the manifest of the leader makes. */
async function tokenKubeconfig(): Promise<string> {
  const tokenPath = join(directory, 'good-token');
  await writeFile(tokenPath, await controllerToken(), { mode: 0o600 });
  const kubeconfig = join(directory, 'good-token.kubeconfig');
  await writeFile(kubeconfig, kubeconfigWith(tokenPath), { mode: 0o600 });
  return kubeconfig;
}

async function start(
  role: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  nodeFlags: readonly string[] = [],
) {
  const config = join(directory, 'config.yaml');
  await writeFile(
    config,
    `apiVersion: multicluster.crd.antrea.io/v1alpha1
kind: MultiClusterConfig
health: { healthProbeBindAddress: '127.0.0.1:0' }
metrics: { bindAddress: '127.0.0.1:0' }
`,
  );
  const main = join(checkout, 'packages/cli/src/main.ts');
  const child = spawn(process.execPath, [...nodeFlags, main, 'controller', role, '--config', config, ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  const log: Line[] = [];
  let rest = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) log.push(line.startsWith('{') ? (JSON.parse(line) as Line) : { message: line });
  });
  const ended = new Promise<number | NodeJS.Signals>((resolve) =>
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'SIGKILL')),
  );
  const fetchFrom = async (setting: string, path: string) => {
    const listening = log.find((line) => line['setting'] === setting);
    if (listening === undefined) return { status: 0, body: '' };
    const answer = await fetch(`http://127.0.0.1:${String(listening['port'])}${path}`);
    return { status: answer.status, body: await answer.text() };
  };
  const controller: Controller = {
    log,
    ended,
    signal: (name) => void child.kill(name),
    readyz: () => fetchFrom('health.healthProbeBindAddress', '/readyz?verbose'),
    metrics: async () => (await fetchFrom('metrics.bindAddress', '/metrics')).body,
  };
  running.push(controller);
  return controller;
}

async function checksOf(controller: Controller): Promise<readonly string[]> {
  return (await controller.readyz()).body.split('\n');
}

async function until(what: string, isSo: () => Promise<boolean>, limitMs = waitLimitMs()): Promise<void> {
  const from = performance.now();
  while (!(await isSo())) {
    if (performance.now() - from > limitMs) {
      const logs = running.map(({ log }) => log.map((line) => JSON.stringify(line)).join('\n')).join('\n--\n');
      throw new Error(`not so within ${limitMs} ms: ${what}\n${logs}`);
    }
    await after(50);
  }
}

/**
 * Creates the objects of the manifest except Deployments, and waits until its CRDs are established.
 */
async function applyManifest(path: string): Promise<void> {
  for (const { value } of parseYaml(await readFile(join(checkout, path), 'utf8'), { source: path })) {
    const object = value as KubernetesObject;
    if (object.kind !== 'Deployment') await createOnce(object);
  }
}

function unlessItExists(error: unknown): undefined {
  if (!isAlreadyExists(error)) throw error;
}

async function createOnce(object: KubernetesObject): Promise<void> {
  const group = object.apiVersion === 'v1' ? '/api/v1' : `/apis/${object.apiVersion ?? ''}`;
  const within = object.metadata.namespace === undefined ? '' : `/namespaces/${object.metadata.namespace}`;
  const plural = `${(object.kind ?? '').toLowerCase().replace(/y$/, 'ie')}s`;
  const answer = await admin
    .request({
      method: 'POST',
      path: `${group}${within}/${plural}`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(object),
    })
    .catch(unlessItExists);
  if (answer === undefined || object.kind !== 'CustomResourceDefinition') return;
  await until(`${object.metadata.name} is established`, async () =>
    JSON.stringify(await admin.get(CustomResourceDefinition, { name: object.metadata.name })).includes('"Established"'),
  );
}

/** A token of the ServiceAccount that the manifest of the leader makes. */
async function controllerToken(): Promise<string> {
  const { text } = await admin.request({
    method: 'POST',
    path: `/api/v1/namespaces/${namespace}/serviceaccounts/antrea-mc-controller/token`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }),
  });
  return (JSON.parse(text) as { readonly status: { readonly token: string } }).status.token;
}

function kubeconfigWith(tokenPath: string): string {
  const ca = Buffer.from(server.caData).toString('base64');
  return `current-context: here
clusters: [{ name: here, cluster: { server: '${server.url}', certificate-authority-data: ${ca} } }]
users: [{ name: me, user: { tokenFile: '${tokenPath}' } }]
contexts: [{ name: here, context: { cluster: here, user: me } }]
`;
}

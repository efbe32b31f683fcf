import { ClusterSet, Lease, Namespace, Secret } from '@isthmus/api';
import { leaderAccess } from '@isthmus/controlplane';
import { roles } from '@isthmus/install';
import type { Transport } from '@isthmus/kube';
import {
  clusterAdmin,
  createVirtualClock,
  definitions,
  grantAccess,
  serviceAccount,
  withFaults,
} from '@isthmus/fleet-sim';
import { createSandbox } from '@isthmus/sandbox';
import type { Sandbox } from '@isthmus/sandbox';
import type { VirtualClock } from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import { runCli } from '../run-cli.ts';
import type { MadeUpIo } from '../testing/made-up-io.ts';
import { madeUpIo } from '../testing/made-up-io.ts';

const config = `apiVersion: multicluster.crd.antrea.io/v1alpha1
kind: MultiClusterConfig
metrics:
  bindAddress: 127.0.0.1:8081
`;
const kubeconfig = `current-context: here
clusters: [{ name: here, cluster: { server: 'https://192.0.2.1:6443' } }]
users: [{ name: me, user: { token: t } }]
contexts: [{ name: here, context: { cluster: here, user: me } }]
`;

interface Place {
  readonly io: MadeUpIo;
  readonly clock: VirtualClock;
  readonly server: Sandbox;
  /** The parsed lines of the log. */
  log(): readonly Readonly<Record<string, unknown>>[];
  start(...args: readonly string[]): Started;
}

interface Started {
  /** Undefined while it runs. */
  code(): number | undefined;
}

async function place(
  by: {
    readonly config?: string;
    readonly wrap?: (transport: Transport, server: Sandbox) => Transport;
  } = {},
): Promise<Place> {
  const wrap = by.wrap ?? ((transport) => transport);
  const clock = createVirtualClock({ startMs: Date.UTC(2026, 10, 21) });
  const server = createSandbox({ name: 'here', clock, image: await definitions.ours() });
  server.admin.put(Namespace, { metadata: { name: 'antrea-multicluster' } });
  const io = madeUpIo({
    clock,
    env: { KUBECONFIG: 'kube.config', POD_NAME: 'pod-1' },
    files: { 'config.yaml': by.config ?? config, 'kube.config': kubeconfig },
    transport: wrap(server.transport(clusterAdmin), server),
  });
  return {
    io,
    clock,
    server,
    log: () =>
      io.err
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    start(...args) {
      let code: number | undefined;
      void runCli(io, ['controller', ...args]).then((end) => (code = end));
      return { code: () => code };
    },
  };
}

const isReady = async ({ io }: Place): Promise<string> => (await io.ask(8080, '/readyz?verbose')).body;
const workChecks = (role: 'leader' | 'member') => (role === 'leader' ? ['caches'] : ['caches', 'session-known']);
const messagesOf = ({ log }: Place) => log().map(({ message }) => message);

describe.each(['leader', 'member'] as const)('the process of a %s', (role) => {
  it('takes its Lease, reads its caches, becomes ready, and ends with 0 when a signal stops it', async () => {
    const here = await place();
    const process = here.start(role, '--config', 'config.yaml');
    await here.clock.advance(1_000);

    const checks = ['api-server', 'lease-leading', ...workChecks(role)];
    expect(await isReady(here)).toBe(`${checks.map((name) => `[+]${name} ok\n`).join('')}readyz check passed\n`);
    const namespace = role === 'leader' ? 'antrea-multicluster' : 'kube-system';
    const lease = here.server.admin.get(Lease, { namespace, name: `isthmus-${role}` });
    expect(lease?.spec?.holderIdentity).toMatch(/^pod-1_[a-z0-9]{8}$/);

    here.io.stopBy('SIGTERM');
    await here.clock.advance(1_000);
    expect(process.code()).toBe(0);
    expect(here.io.exits).toEqual([]);
    expect(here.io.stopListeners).toBe(0);
    expect(here.clock.pending).toBe(0);
    const left = here.server.admin.get(Lease, { namespace, name: `isthmus-${role}` });
    expect(left?.spec?.holderIdentity).toBe('');
    expect(here.log().filter(({ level }) => level === 'warn' || level === 'error')).toEqual([]);
  });

  it('works without a Lease where leader election is off', async () => {
    const here = await place();
    const process = here.start(role, '--leader-elect=false');
    await here.clock.advance(1_000);
    const checks = ['api-server', ...workChecks(role)];
    expect(await isReady(here)).toBe(`${checks.map((name) => `[+]${name} ok\n`).join('')}readyz check passed\n`);
    expect(here.server.admin.list(Lease)).toEqual([]);
    here.io.stopBy('SIGINT');
    await here.clock.advance(1_000);
    expect(process.code()).toBe(0);
  });

  it.each([
    ['stretched policies on', 'enableStretchedNetworkPolicy: true'],
    ['its Service CIDR given', 'serviceCIDR: 10.96.0.0/12'],
    ['Pod IPs as endpoints', 'endpointIPType: PodIP'],
    ['no port for webhooks (B24)', 'webhook: {}'],
  ])('starts with %s', async (_what, setting) => {
    const here = await place({ config: `${config}${setting}\n` });
    here.start(role, '--config', 'config.yaml');
    await here.clock.advance(1_000);
    expect(await isReady(here)).toContain('readyz check passed');
  });

  it('works with a changed configuration file, under the same Lease, and keeps the former one where the new one is not valid', async () => {
    const here = await place();
    const process = here.start(role, '--config', 'config.yaml');
    await here.clock.advance(1_000);
    const namespace = role === 'leader' ? 'antrea-multicluster' : 'kube-system';
    const holder = () => here.server.admin.get(Lease, { namespace, name: `isthmus-${role}` })?.spec?.holderIdentity;
    const before = holder();
    await here.io.writableFiles.replace('config.yaml', `${config}endpointIPType: PodIP\n`);
    await here.clock.advance(11_000);
    expect(messagesOf(here)).toContain('the configuration file has changed; the controllers start again with it');
    await here.io.writableFiles.replace('config.yaml', `${config}endpointIPType: NodeIP\n`);
    await here.clock.advance(30_000);
    const ignored = messagesOf(here).filter((message) => String(message).includes('stays in effect'));
    expect(ignored).toHaveLength(1);
    expect(await isReady(here)).toContain('readyz check passed');
    expect(holder()).toBe(before);
    here.io.stopBy('SIGTERM');
    await here.clock.advance(1_000);
    expect(process.code()).toBe(0);
    expect(here.clock.pending).toBe(0);
  });

  it('reports on its ClusterSet that it does not use a changed configuration file, until the file is corrected', async () => {
    const here = await place();
    const namespace = role === 'leader' ? 'antrea-multicluster' : 'kube-system';
    here.server.admin.put(Namespace, { metadata: { name: namespace } });
    here.server.admin.put(ClusterSet, {
      metadata: { name: 'fleet', namespace },
      spec: { clusterID: 'here', namespace: 'antrea-multicluster', leaders: [{ clusterID: 'here' }] },
    });
    here.start(role, '--config', 'config.yaml');
    await here.clock.advance(2_000);
    const reported = () =>
      here.server.admin
        .get(ClusterSet, { namespace, name: 'fleet' })
        ?.status?.conditions?.find(({ type }) => type === 'ConfigurationRejected');
    expect(reported()).toBeUndefined();

    await here.io.writableFiles.replace('config.yaml', `${config}serviceCDIR: 10.96.0.0/12\n`);
    await here.clock.advance(12_000);
    expect(reported()).toMatchObject({ status: 'True', reason: 'InvalidConfiguration' });
    expect(reported()?.message).toMatch(
      /^The changed configuration file is not used: the configuration file config.yaml has a problem: config.yaml:5: serviceCDIR: unknown field; .* Correct it\. Until then, the previous configuration stays in effect, and a controller that starts exits at once\.$/,
    );

    await here.io.writableFiles.replace('config.yaml', config);
    await here.clock.advance(12_000);
    expect(reported()).toBeUndefined();
  });

  it('counts reconciles and requests', async () => {
    const here = await place();
    here.start(role, '--config', 'config.yaml');
    await here.clock.advance(1_000);
    here.server.admin.put(ClusterSet, {
      metadata: { namespace: role === 'leader' ? 'antrea-multicluster' : 'kube-system', name: 'set' },
      spec: { clusterID: 'here', leaders: [{ clusterID: 'north' }] },
    });
    await here.clock.advance(1_000);
    const { body } = await here.io.ask(8081, '/metrics');
    expect(body).toMatch(/isthmus_controller_reconcile_total\{[^}]*outcome="[a-z]+"[^}]*\} [1-9]/);
    expect(body).toMatch(/isthmus_client_request_total\{[^}]*server="local"[^}]*\} [1-9]/);
    expect(body).toContain(`isthmus_lease_leading{lease="isthmus-${role}"} 1`);
  });

  it('names which custom resources are missing and what to apply, and goes on when they are there', async () => {
    let served = false;
    const missing = new Set<string>();
    const here = await place({
      wrap: (transport) => ({
        ...transport,
        send(request, signal) {
          if (served || !request.path.startsWith('/apis/multicluster')) return transport.send(request, signal);
          missing.add(request.path.split('/').at(-1) ?? '');
          return transport.send({ ...request, path: '/apis/nothing/v1/things' }, signal);
        },
      }),
    });
    const process = here.start(role);
    await here.clock.advance(300_000);

    const body = await isReady(here);
    expect(body).toContain(`run: kubectl apply -f deploy/${role}-crds.yaml`);
    // A cluster need not have ClusterClaims.
    const needed = missing.difference(new Set(['clusterclaims']));
    for (const plural of needed) expect(body).toContain(`${plural}.multicluster.`);
    expect(body).not.toContain('clusterclaims');
    expect(needed.size).toBeGreaterThanOrEqual(3);
    // At once, and then once a minute for five minutes.
    expect(messagesOf(here).filter((message) => message === 'not running yet; trying again')).toHaveLength(5);
    expect(here.server.admin.list(Lease)).toEqual([]);
    expect(process.code()).toBeUndefined();

    served = true;
    await here.clock.advance(5_000);
    expect(await isReady(here)).toContain('readyz check passed');
  });
});

describe('the process of a controller', () => {
  it('of a member is ready once it knows whether its leader answers, and stays ready while it does not', async () => {
    const here = await place({
      wrap: (transport) => ({
        send: (request, signal) =>
          request.path.includes('antrea-multicluster')
            ? new Promise((_, reject) => {
                signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
              })
            : transport.send(request, signal),
        close: () => transport.close(),
      }),
    });
    const namespace = 'kube-system';
    const data = { token: btoa('t'), 'ca.crt': btoa('x') };
    here.server.admin.put(Secret, { metadata: { namespace, name: 'to-leader' }, type: 'Opaque', data });
    here.server.admin.put(ClusterSet, {
      metadata: { namespace, name: 'set' },
      spec: {
        clusterID: 'here',
        namespace: 'antrea-multicluster',
        leaders: [{ clusterID: 'north', server: 'https://192.0.2.2:6443', secret: 'to-leader' }],
      },
    });
    here.start('member');
    await here.clock.advance(5_000);
    const { status, body } = await here.io.ask(8080, '/readyz');
    expect([status, body]).toEqual([500, expect.stringContaining('[-]session-known failed')]);
    await here.clock.advance(120_000);
    expect(await isReady(here)).toContain('[+]session-known ok\nreadyz check passed');
    await here.clock.advance(600_000);
    expect(await isReady(here)).toContain('readyz check passed');
  });

  it('is alive but not ready, and reports why, while its API server can not be reached', async () => {
    const here = await place({
      wrap: () => ({
        send: () =>
          Promise.reject(Object.assign(new Error('connect ECONNREFUSED 192.0.2.1:6443'), { code: 'ECONNREFUSED' })),
        close() {},
      }),
    });
    const process = here.start('member');
    await here.clock.advance(10_000);
    expect((await here.io.ask(8080, '/healthz')).status).toBe(200);
    const { status, body } = await here.io.ask(8080, '/readyz');
    expect(status).toBe(500);
    expect(body).toContain('connect ECONNREFUSED 192.0.2.1:6443; check that the API server runs');
    here.io.stopBy('SIGTERM');
    await here.clock.settle();
    expect(process.code()).toBe(0);
    expect(here.clock.pending).toBe(0);
  });

  it('reports what to do about credentials that are not accepted', async () => {
    const clock = createVirtualClock({ startMs: 0 });
    const here = await place({
      wrap: (transport) => {
        const faulty = withFaults(transport, clock);
        faulty.add({ match: () => true, fault: { kind: 'status', code: 401 } });
        return faulty;
      },
    });
    here.start('leader');
    await here.clock.advance(100);
    expect(await isReady(here)).toContain(
      'check that the token or client certificate is valid for this server and has not expired',
    );
  });

  it('reports what to do about rights that it lacks', async () => {
    const here = await place({
      wrap: (_transport, server) => server.transport(serviceAccount('a', 'b')),
    });
    here.start('leader');
    await here.clock.advance(100);
    expect(await isReady(here)).toMatch(/cannot list resource .*; run: kubectl apply -f deploy\/leader\.yaml/);
    // All at once, with the verbs that it writes with.
    const all = /all missing permissions: (.*); run:/.exec(await isReady(here))?.[1]?.split('; ') ?? [];
    expect(all).toContainEqual(
      expect.stringMatching(
        /patch.* resourceimports\.multicluster\.crd\.antrea\.io in the Namespace antrea-multicluster$/,
      ),
    );
    expect(all.length).toBeGreaterThan(5);
  });

  it('names before its first write the rights that it lacks for writing, and works as far as it can', async () => {
    const here = await place({
      wrap(_transport, { admin, transport }) {
        const to = { kind: 'ServiceAccount', namespace: 'a', name: 'b' };
        const access = roles.leader.own.access.map((one) =>
          one.type.plural === 'resourceimports' && one.subresource === undefined
            ? { ...one, verbs: one.verbs.filter((verb) => verb !== 'create' && verb !== 'delete') }
            : one,
        );
        grantAccess(admin, { name: 'b', namespace: 'antrea-multicluster', access, to });
        return transport(serviceAccount('a', 'b'));
      },
    });
    here.start('leader');
    await here.clock.advance(10_000);
    const warnings = here.log().filter(({ message }) => message === 'some changes will be rejected');
    expect(warnings.map(({ why }) => why)).toEqual([
      'all missing permissions: create, delete resourceimports.multicluster.crd.antrea.io in the Namespace antrea-multicluster; run: kubectl apply -f deploy/leader.yaml, with the settings that you changed in it (with Helm: helm upgrade)',
    ]);
    expect(await isReady(here)).toContain('readyz check passed');
  });

  it('names nothing where the account has the rights of the current manifest', async () => {
    const here = await place({
      wrap(_transport, { admin, transport }) {
        const to = { kind: 'ServiceAccount', namespace: 'a', name: 'b' };
        grantAccess(admin, { name: 'b', namespace: 'antrea-multicluster', access: roles.leader.own.access, to });
        return transport(serviceAccount('a', 'b'));
      },
    });
    here.start('leader');
    await here.clock.advance(10_000);
    expect(await isReady(here)).toContain('readyz check passed');
    expect(here.log().filter(({ level }) => level === 'warn')).toEqual([]);
  });

  it('works with the rights of an older manifest, and warns of what waits for the current one', async () => {
    const here = await place({
      wrap(_transport, { admin, transport }) {
        const to = { kind: 'ServiceAccount', namespace: 'a', name: 'b' };
        const access = roles.member.own.access.filter(({ optional }) => optional !== true);
        grantAccess(admin, { name: 'b', namespace: 'kube-system', access, to });
        return transport(serviceAccount('a', 'b'));
      },
    });
    here.start('member');
    await here.clock.advance(10_000);
    expect(await isReady(here)).toContain('readyz check passed');
    const warning = here.log().find(({ message }) => message === 'part of the controller is waiting');
    expect(warning).toMatchObject({
      level: 'warn',
      why: expect.stringMatching(/cannot list resource .*; run: kubectl apply -f deploy\/member\.yaml/),
    });
  });

  it('is not ready, and reports it, where it may not read its Lease', async () => {
    const here = await place({
      wrap(_transport, { admin, transport }) {
        const to = { kind: 'ServiceAccount', namespace: 'a', name: 'b' };
        grantAccess(admin, { name: 'b', namespace: 'antrea-multicluster', access: leaderAccess, to });
        return transport(serviceAccount('a', 'b'));
      },
    });
    here.start('leader');
    await here.clock.advance(10_000);
    expect(await isReady(here)).toMatch(
      /^\[\+\]api-server ok\n\[-\]lease failed: get leases\S* antrea-multicluster\/isthmus-leader: .*cannot get/,
    );
    expect(messagesOf(here)).toContain('the Lease cannot be read or written; trying again');
  });

  it('reports on /readyz and in the metrics that the database of its API server is full, until it is not', async () => {
    let isFull = true;
    const here = await place({
      wrap: (transport) => ({
        ...transport,
        send: (request, signal) => {
          if (!isFull || request.method === 'GET') return transport.send(request, signal);
          const message = 'etcdserver: mvcc: database space exceeded';
          const text = JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 500, message });
          const body = new Blob([text]).stream();
          return Promise.resolve({ status: 500, headers: { 'content-type': 'application/json' }, body });
        },
      }),
    });
    here.start('leader', '--config', 'config.yaml');
    await here.clock.advance(10_000);
    expect(await isReady(here)).toContain('[-]lease failed: the database of the API server is full');
    const metric = async () =>
      /^isthmus_api_server_database_full (.*)$/m.exec((await here.io.ask(8081, '/metrics')).body)?.[1];
    expect(await metric()).toBe('1');
    isFull = false;
    await here.clock.advance(10_000);
    expect(await isReady(here)).toContain('[+]lease-leading ok');
    expect(await metric()).toBe('0');
  });

  it('is ready as a standby, and takes over when the other gives its Lease back', async () => {
    const here = await place();
    here.start('leader');
    await here.clock.advance(1_000);
    const other = madeUpIo({
      clock: here.clock,
      env: { KUBECONFIG: 'kube.config', POD_NAME: 'pod-2' },
      files: { 'kube.config': kubeconfig },
      transport: here.server.transport(clusterAdmin),
    });
    void runCli(other, ['controller', 'leader']);
    await here.clock.advance(20_000);
    expect((await other.ask(8080, '/readyz?verbose')).body).toBe(
      '[+]api-server ok\n[+]lease-standby ok\nreadyz check passed\n',
    );
    here.io.stopBy('SIGTERM');
    await here.clock.advance(5_000);
    expect((await other.ask(8080, '/readyz?verbose')).body).toContain('[+]lease-leading ok');
  });

  it('stops working when it loses its Lease, and works again in its turn', async () => {
    const here = await place();
    const process = here.start('leader');
    await here.clock.advance(1_000);
    const lease = { namespace: 'antrea-multicluster', name: 'isthmus-leader' };
    here.server.admin.patch(Lease, lease, {
      spec: { holderIdentity: 'pod-2', renewTime: '2026-11-21T00:00:01.000000Z' },
    });
    await here.clock.advance(8000);
    expect(await isReady(here)).toContain('[+]lease-standby ok');
    expect(here.log()).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        message: expect.stringContaining('the Lease is lost'),
        why: 'pod-2 has taken it',
      }),
    );
    await here.clock.advance(30_000);
    expect(await isReady(here)).toContain('[+]lease-leading ok');
    expect(process.code()).toBeUndefined();
  });

  it.each(['leader', 'member'])('survives a stall of the API server longer than its Lease lasts: %s', async (role) => {
    let stalled = false;
    const silence = (signal: AbortSignal) =>
      new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
    const here = await place({
      wrap: (transport) => ({
        ...transport,
        send: (request, signal) => (stalled ? silence(signal) : transport.send(request, signal)),
      }),
    });
    const process = here.start(role);
    await here.clock.advance(1_000);
    expect(await isReady(here)).toContain('[+]lease-leading ok');
    stalled = true;
    await here.clock.advance(25_000);
    expect(await isReady(here)).not.toContain('[+]lease-leading ok');
    stalled = false;
    await here.clock.advance(20_000);
    expect(await isReady(here)).toContain('[+]lease-leading ok');
    expect(await isReady(here)).toContain('[+]caches ok');
    expect(process.code()).toBeUndefined();
  });

  it('is not ready, and reports it, where its Namespace does not exist', async () => {
    const here = await place();
    here.start('leader', '--namespace', 'elsewhere');
    await here.clock.advance(130_000);
    expect(await isReady(here)).toContain('namespaces "elsewhere" not found');
    expect(
      messagesOf(here).filter((message) => message === 'the Namespace of the Lease does not exist; trying again'),
    ).toHaveLength(3);
    here.server.admin.put(Namespace, { metadata: { name: 'elsewhere' } });
    await here.clock.advance(5_000);
    expect(await isReady(here)).toContain('[+]lease-leading ok');
  });

  it('ends at once, with 1, at the second signal', async () => {
    const here = await place();
    here.start('leader');
    await here.clock.advance(1_000);
    here.io.stopBy('SIGTERM');
    here.io.stopBy('SIGTERM');
    expect(here.io.exits).toEqual([1]);
  });

  it('ends with 1 where its address is taken, and names the setting', async () => {
    const here = await place();
    const io: MadeUpIo = {
      ...here.io,
      network: {
        ...here.io.network,
        listen: () =>
          Promise.reject(new Error('listening on :8080 for health and metrics: another process uses this port')),
      },
    };
    expect(await runCli(io, ['controller', 'leader'])).toBe(1);
    expect(messagesOf(here)).toContain('the controller has failed');
    expect(here.log().find(({ level }) => level === 'error')).toMatchObject({
      error: expect.stringContaining('another process uses this port (setting health.healthProbeBindAddress)'),
    });
  });

  it('logs its settings: klog flags without effect at debug, settings without effect as a warning', async () => {
    const here = await place();
    const files = { 'kube.config': kubeconfig, 'config.yaml': `${config}webhook: { port: 9444 }\n` };
    const io = madeUpIo({ clock: here.clock, files, transport: here.server.transport(clusterAdmin) });
    void runCli(
      io,
      'controller leader --kubeconfig kube.config --config config.yaml --v=4 --log_dir=/x --skip_headers'.split(' '),
    );
    await here.clock.advance(100);
    expect(io.err).toContain('"flags":["--log_dir","--skip_headers"],"message":"flags without effect"');
    expect(io.err).toContain('this version accepts these settings but does not use them yet: webhook');
  });

  it('logs text where that format is set', async () => {
    const here = await place();
    here.start('leader', '--log-format', 'text');
    await here.clock.advance(100);
    expect(here.io.err).toMatch(/^\d\d:\d\d:\d\d\.\d{3} info {2}starting role=leader /);
  });
});

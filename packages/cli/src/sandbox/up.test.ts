import { ConfigMap } from '@isthmus/api';
import type { HttpsTransportOptions, Transport } from '@isthmus/kube';
import { createClient } from '@isthmus/kube';
import type { KubernetesObject, ResourceType } from '@isthmus/machinery';
import { createVirtualClock } from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import { runCli } from '../run-cli.ts';
import { inVirtualTime } from '../testing/in-virtual-time.ts';
import { madeUpIo, nobody } from '../testing/made-up-io.ts';
import { memoryNetwork } from '../testing/memory-network.ts';
import { renderKubeconfig } from './kubeconfig.ts';
// The command loads it when it runs; loading takes real time.
import './up.ts';

const own = 'isthmus-sandbox.kubeconfig';

const ValidatingWebhookConfiguration: ResourceType = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'ValidatingWebhookConfiguration',
  plural: 'validatingwebhookconfigurations',
  namespaced: false,
};

const CustomResourceDefinition: ResourceType = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};

function world(
  instead: (options: HttpsTransportOptions, usual: Transport) => Transport = (_, usual) => usual,
  files: Readonly<Record<string, string>> = {},
) {
  const clock = createVirtualClock({ startMs: Date.parse('2026-11-21T10:00:00Z') });
  const memory = memoryNetwork();
  const dialled: HttpsTransportOptions[] = [];
  const dial = (options: HttpsTransportOptions) => {
    const transport = instead(options, memory.dial(options));
    dialled.push(options);
    return transport;
  };
  const io = madeUpIo({ clock, files, network: { ...memory, dial } });
  const up = (...args: readonly string[]) => runCli(io, ['sandbox', 'up', '--kubeconfig', own, ...args]);
  const ready = () => clock.runUntil(() => io.files.has(own), { limitMs: 60_000, what: 'the kubeconfig is there' });
  const ended = async (run: Promise<number>) => {
    await clock.advance(30_000);
    return run;
  };
  return { io, clock, dialled, dial, up, ready, ended };
}

const isMemberOfNorth = ({ server, userAgent }: HttpsTransportOptions) =>
  server === 'https://north.test:6443' && userAgent.startsWith('isthmus-member/');

describe('isthmus sandbox up', () => {
  it('joins the clusters, writes the kubeconfig, reports what to do, stays until interrupted, and takes the file away', async () => {
    const { io, clock, up, ready, ended } = world();
    const run = up('--clusters', 'north:leader,east,west');
    await ready();
    await clock.settle();
    expect(io.out).toMatch(
      /^start the API servers \.\.\. ok {2}\d+ ms\ninstall CRDs.*\njoin the ClusterSet \.\.\. ok {2}\d+ ms\n/,
    );
    expect(io.out).toContain(
      '\n  north  leader          https://north.test:6443\n  east   member          https://east.test:6443\n',
    );
    expect(io.out).toContain(`\nexport KUBECONFIG=/home/user/${own}\n`);
    expect(io.out).toContain('\nkubectl --context west -n shop get serviceimports,services,endpointslices\n');
    await clock.advance(120_000);
    expect(io.files.has(own)).toBe(true);
    io.stopBy('SIGINT');
    expect(await ended(run)).toBe(0);
    expect(io.err).toBe('SIGINT: stopping the sandbox\n');
    expect(io.files.has(own)).toBe(false);
    expect(io.stopListeners).toBe(0);
  });

  it('starts clusters without Isthmus, and prints how to get a kubeconfig of each', async () => {
    const { io, clock, dialled, dial, up, ready, ended } = world();
    const run = up('--bare', '--clusters', 'north,east');
    await ready();
    await clock.settle();
    expect(io.out).toMatch(/^start the API servers \.\.\. ok {2}\d+ ms\n\nClusters without Isthmus:\n/);
    expect(io.out).toContain('\n( umask 077\nfor cluster in north east; do\n');
    expect(io.out).toContain(`kubectl --kubeconfig /home/user/${own} --context $cluster config view --minify --raw`);
    expect(dialled.every(({ clientCertificate }) => clientCertificate !== undefined)).toBe(true);
    const [first] = dialled;
    if (first === undefined) throw new Error('no cluster was started');
    const admin = createClient({ transport: dial(first), clock });
    const definitions = await inVirtualTime(clock, admin.list<KubernetesObject>(CustomResourceDefinition));
    expect(definitions.items).toEqual([]);
    io.stopBy('SIGINT');
    expect(await ended(run)).toBe(0);
    expect(io.files.has(own)).toBe(false);
  });

  it('runs the controllers as the ServiceAccounts of the manifests, never as administrators, and prints no secret', async () => {
    const { io, dialled, up, ready, ended } = world();
    const run = up('--clusters', 'north:leader+member,east');
    await ready();
    const tokens: string[] = [];
    const subjects: string[] = [];
    for (const { userAgent, clientCertificate, credentials } of dialled) {
      if (!userAgent.startsWith('isthmus-')) continue;
      expect(clientCertificate).toBeUndefined();
      const token = (await credentials.authorization(new AbortController().signal)) ?? '';
      tokens.push(token.replace('Bearer ', ''));
      const { sub } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
      subjects.push(`${userAgent.split('/')[0]} ${sub.replace('system:serviceaccount:', '')}`);
    }
    expect([...new Set(subjects)].toSorted()).toEqual([
      'isthmus-leader antrea-multicluster:antrea-mc-controller',
      'isthmus-member antrea-multicluster:join-east',
      'isthmus-member antrea-multicluster:join-north',
      'isthmus-member antrea-multicluster:member-east',
      'isthmus-member antrea-multicluster:member-north',
      'isthmus-member kube-system:antrea-mc-controller',
    ]);
    io.stopBy('SIGTERM');
    expect(await ended(run)).toBe(0);
    for (const secret of [...tokens, 'key of', 'made up']) expect(io.out + io.err).not.toContain(secret);
  });

  it('ends with 0 and leaves nothing where it is interrupted before it is up', async () => {
    const { io, clock, up, ended } = world();
    const run = up();
    await clock.advance(5);
    io.stopBy('SIGINT');
    expect(await ended(run)).toBe(0);
    expect(io.out).not.toContain('ClusterSet fleet');
    expect(io.files.size).toBe(0);
  });

  it('ends at once, with 1, by a second signal', async () => {
    const { io, clock, up, ready, ended } = world();
    const run = up('--clusters', 'north:leader');
    await ready();
    io.stopBy('SIGINT');
    io.stopBy('SIGINT');
    expect(io.exits).toEqual([1]);
    await clock.advance(1);
    await ended(run);
  });

  it('ends with 1, and leaves nothing, where a controller cannot run', async () => {
    const { io, up, ended } = world(({ userAgent }, usual) => {
      if (userAgent.startsWith('isthmus-member/')) throw new Error('no way');
      return usual;
    });
    expect(await ended(up())).toBe(1);
    expect(io.err).toContain('error: no way\n');
    expect([io.files.size, io.stopListeners]).toEqual([0, 0]);
  });

  it('ends where nothing moves, with what it last saw, one line for each kind of warning, and the path of the log', async () => {
    const { io, clock, up } = world((options, usual) => (isMemberOfNorth(options) ? nobody : usual));
    expect(await inVirtualTime(clock, up('--clusters', 'north:leader,east'))).toBe(1);
    const lines = io.err.trimEnd().split('\n');
    expect(lines[0]).toBe('error: nothing has changed for 60 s while waiting for: east has joined');
    expect(lines).toContainEqual(expect.stringMatching(/^ {4}north: ClusterSet\/fleet {2}Ready=/));
    expect(lines).toContainEqual(expect.stringMatching(/^ {4}east: ClusterSet\/fleet {2}Ready=.*ECONNREFUSED/));
    expect(lines).toContainEqual(expect.stringMatching(/^ {4}\d+ × .*\(last: cluster=east role=member/));
    expect(lines.length).toBeLessThan(16);
    const [log = ''] = io.files.keys();
    expect(lines.at(-1)).toBe(`  all logs: ${log}`);
    expect(io.files.get(log)).toContain(' cluster=east ');
  });

  it('reports the warnings of a start that succeeds as one summary, and later ones as they come', async () => {
    let isDown = true;
    const { io, clock, up, ready, ended } = world((options, usual) =>
      isMemberOfNorth(options) ? { ...usual, send: (...call) => (isDown ? nobody : usual).send(...call) } : usual,
    );
    const run = up('--clusters', 'north:leader,east');
    await clock.advance(5_000);
    expect(io.err).toBe('');
    isDown = false;
    await ready();
    await clock.settle();
    expect(io.err).toMatch(
      /^warnings of the controllers:\n(?: {2}\d+ × .*\n)+all logs: \/tmp\/isthmus-sandbox-\d+\.log\n$/,
    );
    isDown = true;
    await clock.runUntil(() => /\n\d\d:\d\d:\d\d\.\d+ warn .* cluster=east /.test(io.err), { limitMs: 600_000 });
    io.stopBy('SIGINT');
    expect(await ended(run)).toBe(0);
  });

  it('has API servers that call webhooks', async () => {
    const { io, clock, dialled, dial, up, ready, ended } = world();
    const run = up('--clusters', 'north:leader');
    await ready();
    const asAdmin = dialled.find(({ clientCertificate }) => clientCertificate !== undefined);
    if (asAdmin === undefined) throw new Error('no administrator');
    const admin = createClient({ transport: dial(asAdmin), clock });
    const webhook = {
      name: 'no.example.com',
      clientConfig: { url: 'https://hook.example.com/' },
      rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    };
    const configuration = { metadata: { name: 'no' }, webhooks: [webhook] };
    await inVirtualTime(clock, admin.create<KubernetesObject>(ValidatingWebhookConfiguration, configuration));
    const created = admin.create(ConfigMap, { metadata: { namespace: 'default', name: 'a' } });
    await expect(inVirtualTime(clock, created)).rejects.toThrow(
      'Post "https://hook.example.com/?timeout=10s": connect',
    );
    expect(dialled.at(-1)).toMatchObject({ server: 'https://hook.example.com', userAgent: 'kube-apiserver-admission' });
    io.stopBy('SIGINT');
    expect(await ended(run)).toBe(0);
  });

  it('shows how to look at the leader where there is no member', async () => {
    const { io, clock, up, ready, ended } = world();
    const run = up('--clusters', 'north:leader');
    await ready();
    await clock.settle();
    expect(io.out).toContain('kubectl config get-contexts\n\nPress Ctrl-C');
    io.stopBy('SIGINT');
    await ended(run);
  });

  it('leaves the kubeconfig where somebody has put another in its place', async () => {
    const { io, up, ready, ended } = world();
    const run = up('--clusters', 'north:leader');
    await ready();
    await io.privateFiles.remove(own);
    await io.privateFiles.write(own, 'mine');
    io.stopBy('SIGINT');
    expect(await ended(run)).toBe(0);
    expect(io.files.get(own)).toBe('mine');
  });

  it('takes the place of a kubeconfig whose clusters are gone, and none whose clusters are still up', async () => {
    const user = { certData: '', keyData: '' };
    const old = renderKubeconfig([{ name: 'old', url: 'https://old.test:6443', caData: 'PEM', user }]);
    const { io, clock, up, ended } = world(undefined, { [own]: old });
    const run = up('--clusters', 'north:leader');
    await clock.runUntil(() => io.files.get(own) !== old, { limitMs: 60_000 });
    expect(io.files.get(own)).toContain('https://north.test:6443');
    const second = up('--clusters', 'south:leader');
    await clock.advance(5_000);
    expect(await second).toBe(2);
    expect(io.err).toContain(
      `--kubeconfig ${own}: the sandbox that wrote this file is still running; stop it, or name another`,
    );
    io.stopBy('SIGINT');
    expect(await ended(run)).toBe(0);
  });

  it('of two that start together, one has the kubeconfig and the other ends with 2', async () => {
    const { io, clock, up, ended } = world();
    const runs = [up('--clusters', 'north:leader'), up('--clusters', 'south:leader')];
    await clock.runUntil(() => io.err.includes('is still running'), { limitMs: 60_000 });
    const first = io.files.get(own);
    io.stopBy('SIGINT');
    const codes = [];
    for (const run of runs) codes.push(await ended(run));
    expect(new Set(codes)).toEqual(new Set([0, 2]));
    expect(first).toMatch(/https:\/\/(north|south)\.test:6443/);
    expect(io.files.get(own)).toBeUndefined();
  });

  it.each([
    [['--clusters', 'a:leader,b:leader'], '--clusters is invalid. Only one cluster can be the leader, not a and b.'],
    [['--clusters', 'a,b'], 'One cluster must be the leader'],
    [['--kubeconfig', ''], 'It must not be empty.'],
    [['--kubeconfig', '/missing/x'], '--kubeconfig /missing/x: directory /missing does not exist'],
    [['--kubeconfig', 'work.kubeconfig'], '--kubeconfig work.kubeconfig: this file was not written by a sandbox'],
    [['east'], "too many arguments for 'up'"],
    [['--cluster', 'a:leader'], 'Did you mean --clusters?'],
  ])('%j end with 2 and report what is wrong: %s', async (args, why) => {
    const { io, up } = world(undefined, { 'work.kubeconfig': 'kind: Config\nclusters: [{name: work}]\n' });
    expect(await up(...args)).toBe(2);
    expect(io.err).toContain(why);
    expect(io.out).toBe('');
    expect([...io.files.keys()]).toEqual(['work.kubeconfig']);
  });
});

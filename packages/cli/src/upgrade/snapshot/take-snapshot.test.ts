import { gzipSync } from 'node:zlib';
import {
  ClusterRole,
  ClusterRoleBinding,
  ClusterSet,
  CustomResourceDefinition,
  Deployment,
  Namespace,
  Secret,
} from '@isthmus/api';
import type { Transport } from '@isthmus/kube';
import { CredentialsError } from '@isthmus/kube';
import type { KubernetesObject } from '@isthmus/machinery';
import { parseYaml } from '@isthmus/machinery';
import { createSandbox } from '@isthmus/sandbox';
import type { Sandbox } from '@isthmus/sandbox';
import { clusterAdmin, createVirtualClock, definitions } from '@isthmus/fleet-sim';
import type { FleetSnapshot } from '@isthmus/upgrade';
import { describe, expect, it } from 'vitest';
import { runCli } from '../../run-cli.ts';
import { inVirtualTime } from '../../testing/in-virtual-time.ts';
import { madeUpIo, nobody } from '../../testing/made-up-io.ts';

/** A fleet of sandboxes that a kubeconfig leads to, and the machine of the person who reads it. */
async function aFleet(...names: readonly string[]) {
  const clock = createVirtualClock({ startMs: Date.UTC(2026, 10, 21, 9) });
  const image = await definitions.ours();
  const servers = new Map(names.map((name, seed) => [name, createSandbox({ name, clock, image, seed })]));
  const down = new Set<string>();
  const answers = new Map<string, { readonly plural: string; readonly text: string }>();
  const connected: string[] = [];
  const kubeconfig = JSON.stringify({
    'current-context': names[0],
    clusters: names.map((name) => ({ name, cluster: { server: `https://${name}.test:6443` } })),
    users: [{ name: 'me', user: { token: 'a' } }],
    contexts: names.map((name) => ({ name, context: { cluster: name, user: 'me' } })),
  });
  const files: Record<string, string> = { kubeconfig };
  let user: Parameters<Sandbox['transport']>[0] = clusterAdmin;
  let onConnect = (_name: string): void => {};
  const run = async (line: string) => {
    const io = madeUpIo({
      clock,
      files,
      network: {
        async connect({ server }): Promise<Transport> {
          const name = new URL(server).hostname.split('.')[0] ?? '';
          connected.push(name);
          onConnect(name);
          const transport = down.has(name) ? nobody : (servers.get(name)?.transport(user) ?? nobody);
          return answering(transport, answers.get(name));
        },
      },
    });
    stop = () => io.stopBy('SIGINT');
    const args = [...line.split(' '), ...(line.startsWith('check') ? [] : ['--kubeconfig', 'kubeconfig'])];
    const code = await inVirtualTime(clock, runCli(io, ['upgrade', ...args]));
    for (const name of Object.keys(files)) delete files[name];
    Object.assign(files, Object.fromEntries(io.files));
    return { code, out: io.out, err: io.err, read: connected.splice(0).toSorted() };
  };
  let stop = () => {};
  return {
    run,
    files,
    down,
    as: (name: string) => void (user = { kind: 'user', user: { username: name, groups: ['system:authenticated'] } }),
    atConnect: (hook: (name: string) => void) => void (onConnect = hook),
    stop: () => stop(),
    /** Lets the server of a cluster answer every list of a kind with this text. */
    answer: (name: string, plural: string, text: string) => void answers.set(name, { plural, text }),
    admin: (name: string) => servers.get(name)!.admin,
    snapshot: (file = 'fleet.yaml') => parseYaml(files[file] ?? '', { source: file })[0]?.value as FleetSnapshot,
  };
}

function answering(
  transport: Transport,
  given: { readonly plural: string; readonly text: string } | undefined,
): Transport {
  return {
    close: () => transport.close(),
    async send(request, signal) {
      if (given === undefined || !request.path.split('?')[0]?.endsWith(`/${given.plural}`))
        return transport.send(request, signal);
      const body = async function* () {
        yield new TextEncoder().encode(given.text);
      };
      return { status: 200, headers: {}, body: body() };
    },
  };
}

const antreaController = (version: string): KubernetesObject =>
  ({
    metadata: { name: 'antrea-controller', namespace: 'kube-system', labels: { app: 'antrea' } },
    spec: {
      selector: { matchLabels: { app: 'antrea' } },
      template: {
        metadata: { labels: { app: 'antrea' } },
        spec: { containers: [{ name: 'antrea-controller', image: `antrea/antrea-controller-ubuntu:${version}` }] },
      },
    },
  }) as KubernetesObject;

describe('isthmus upgrade snapshot', () => {
  it('does not read clusters for a file that it cannot write', async () => {
    const fleet = await aFleet('north');
    expect(await fleet.run('snapshot --context north -o /missing/fleet.yaml')).toMatchObject({
      code: 1,
      err: 'error: cannot write /missing/fleet.yaml: directory /missing does not exist\n',
    });
  });

  it('reads several clusters into a file that plans read, with each CRD once, and prints a summary', async () => {
    const fleet = await aFleet('north', 'east');
    for (const name of ['north', 'east']) fleet.admin(name).put(Deployment, antreaController('v2.6.0'));
    fleet.admin('north').put(Namespace, { metadata: { name: 'antrea-multicluster' } });
    fleet.admin('north').put(ClusterSet, {
      metadata: { name: 'shop', namespace: 'antrea-multicluster' },
      spec: { clusterID: 'leader-1', leaders: [{ clusterID: 'leader-1' }], namespace: 'antrea-multicluster' },
    });
    const { code, out, err } = await fleet.run('snapshot --all-contexts -o fleet.yaml');
    expect([code, err]).toEqual([0, '1/2 east: read\n2/2 north: read\n']);
    expect(out).toMatchInlineSnapshot(`
      "Snapshot of 2026-11-21T09:00:00Z: 2 clusters, 1 ClusterSet, 0 Nodes; all clusters were read.

      COMPONENT          VERSION          CLUSTERS
      antrea-controller  v2.6.0           2
      kube-apiserver     v1.36.3+isthmus  2
      "
    `);
    const { spec } = fleet.snapshot();
    expect(spec.clusters.map(({ name, context, clusterSet, readAt }) => [name, context, clusterSet, readAt])).toEqual([
      ['east', 'east', undefined, '2026-11-21T09:00:00Z'],
      ['leader-1', 'north', 'shop', '2026-11-21T09:00:00Z'],
    ]);
    const [east, north] = spec.clusters;
    expect(east?.sharedDefinitions.length).toBeGreaterThan(5);
    expect(Object.keys(spec.definitions)).toEqual(north?.sharedDefinitions);
    expect(Object.keys(fleet.files)).not.toContain('fleet.yaml.part');
    expect(await fleet.run('check skew --snapshot fleet.yaml')).toMatchObject({
      err: expect.not.stringContaining('error') as string,
    });
  });

  it.each(['<html>login</html>', 'null', '{}', '{"gitVersion":1}'])(
    'records a server that is not an API server as such: %s',
    async (body) => {
      const kubeconfig = JSON.stringify({
        clusters: [{ name: 'x', cluster: { server: 'https://x.test' } }],
        users: [{ name: 'me', user: { token: 'a' } }],
        contexts: [{ name: 'x', context: { cluster: 'x', user: 'me' } }],
      });
      const chunks = async function* () {
        yield new TextEncoder().encode(body);
      };
      const transport: Transport = { send: async () => ({ status: 200, headers: {}, body: chunks() }), close() {} };
      const io = madeUpIo({ files: { kubeconfig }, transport });
      const line = ['upgrade', 'snapshot', '--context', 'x', '--kubeconfig', 'kubeconfig', '-o', 'f.yaml'];
      expect(await runCli(io, line)).toBe(2);
      expect(io.err).toBe(
        '1/1 x: not read: the server at this address is not an API server: /version has no gitVersion; check `server` in the kubeconfig\n',
      );
    },
  );

  it.each([
    ['is nested too deeply', { schema: { openAPIV3Schema: { type: 'object', default: 'DEEP' } } }],
    ['is nested too deeply', { schema: { openAPIV3Schema: { type: 'object', properties: { a: 'DEEP' } } } }],
    ['has no valid versions', null],
  ])('records a server with a CustomResourceDefinition that %s, and reads the others: %j', async (why, version) => {
    const fleet = await aFleet('north', 'east');
    const item = {
      metadata: { name: 'x.crd.antrea.io' },
      spec: { group: 'crd.antrea.io', names: { kind: 'X', plural: 'x' }, scope: 'Cluster', versions: [version] },
    };
    const list = JSON.stringify({ metadata: { resourceVersion: '1' }, items: [item] });
    fleet.answer(
      'east',
      'customresourcedefinitions',
      list.replace('"DEEP"', `${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}`),
    );
    const { code, err } = await fleet.run('snapshot --all-contexts --object-counts -o fleet.yaml');
    expect(code).toBe(2);
    expect(err).toBe(`1/2 east: not read: CustomResourceDefinition "x.crd.antrea.io" ${why}\n2/2 north: read\n`);
    expect(fleet.snapshot().spec.clusters.map(({ reachable }) => reachable)).toEqual([false, true]);
  });

  it('prints what clusters report on one line each', async () => {
    const fleet = await aFleet('north');
    const item = { metadata: { name: 'n' }, status: { nodeInfo: { kubeletVersion: 'v1.36.1\nall is well.' } } };
    const set = (name: string) => ({ metadata: { name, namespace: 'x' }, spec: { leaders: [{ clusterID: 'north' }] } });
    const list = (...items: readonly object[]) => JSON.stringify({ metadata: { resourceVersion: '1' }, items });
    fleet.answer('north', 'nodes', list(item));
    fleet.answer('north', 'clustersets', list(set('shop'), set('farm\nall is well.')));
    const { out, err } = await fleet.run('snapshot --context north -o fleet.yaml');
    expect(err).toContain('note: north is in ClusterSet');
    expect(`${out}${err}`).not.toMatch(/^all is well/m);
  });

  it('continues without the context of a cluster that has the name of another', async () => {
    const fleet = await aFleet('a', 'b');
    for (const name of ['a', 'b']) {
      fleet.admin(name).put(Namespace, { metadata: { name: 'mc' } });
      fleet.admin(name).put(ClusterSet, {
        metadata: { name: 'shop', namespace: 'mc' },
        spec: { clusterID: 'north', leaders: [{ clusterID: 'north' }], namespace: 'mc' },
      });
    }
    const first = await fleet.run('snapshot --all-contexts -o fleet.yaml');
    expect([first.code, first.err]).toEqual([1, expect.stringContaining('contexts a and b are two clusters')]);
    const second = await fleet.run('snapshot --context a -o fleet.yaml');
    expect([second.code, second.read]).toEqual([0, []]);
    expect(fleet.snapshot().spec.clusters.map(({ context }) => context)).toEqual(['a']);
  });

  it('shows what an exec plugin wrote, which may be a secret, and keeps it out of the file', async () => {
    const fleet = await aFleet('north', 'east');
    const written = 'token s3cr3t\nis expired';
    fleet.atConnect((name) => {
      if (name === 'east')
        throw new CredentialsError(`exec plugin aws failed with exit code 1: ${written}`, { written });
    });
    expect(await fleet.run('snapshot --all-contexts -o fleet.yaml')).toMatchObject({
      err: expect.stringContaining('exec plugin aws failed with exit code 1: token s3cr3t is expired') as string,
    });
    expect(fleet.files['fleet.yaml']).toContain('exec plugin aws failed with exit code 1: its output is not kept here');
    expect(fleet.files['fleet.yaml']).not.toContain('s3cr3t');
  });

  it('records a cluster that cannot be reached with the cause, reads the others, and tries it again the next time', async () => {
    const fleet = await aFleet('north', 'east');
    fleet.down.add('east');
    const first = await fleet.run('snapshot --all-contexts -o fleet.yaml');
    expect([first.code, first.read]).toEqual([2, ['east', 'north']]);
    expect(first.out).toContain('2 clusters, 0 Nodes; 1 not read.');
    expect(fleet.snapshot().spec.clusters).toMatchObject([
      { name: 'east', reachable: false, notRead: expect.stringContaining('connect ECONNREFUSED') as string },
      { name: 'north', reachable: true },
    ]);
    fleet.down.clear();
    const second = await fleet.run('snapshot --all-contexts -o fleet.yaml');
    expect([second.code, second.read]).toEqual([0, ['east']]);
    expect(second.err).toContain('in fleet.yaml already and are not read again: 1 of 2.');
    fleet.down.add('east');
    const third = await fleet.run('snapshot --all-contexts --refresh east -o fleet.yaml');
    expect([third.code, third.read]).toEqual([2, ['east']]);
    // What was read the time before is kept.
    expect(fleet.snapshot().spec.clusters[0]).toMatchObject({
      reachable: false,
      components: [{ id: 'kube-apiserver' }],
    });
  });

  it('goes on where it was interrupted, also after a line that was cut off', async () => {
    const fleet = await aFleet('a', 'b', 'c');
    fleet.atConnect((name) => name === 'c' && fleet.stop());
    const first = await fleet.run('snapshot --all-contexts --concurrency 1 -o fleet.json');
    expect([first.code, first.read]).toEqual([1, ['a', 'b', 'c']]);
    expect(first.err).toContain('stopped by SIGINT; run the same command again to continue');
    expect(Object.keys(fleet.files)).not.toContain('fleet.json');
    fleet.files['fleet.json.part'] += 'null\n5\n{}\n{"context":"c","cluster":{"na';
    fleet.atConnect((name) => name === 'c' && fleet.stop());
    expect((await fleet.run('snapshot --all-contexts --concurrency 1 -o fleet.json')).read).toEqual(['c']);
    fleet.atConnect(() => {});
    const last = await fleet.run('snapshot --all-contexts -o fleet.json');
    expect([last.code, last.read]).toEqual([0, ['c']]);
    expect(Object.keys(fleet.files).toSorted()).toEqual(['fleet.json', 'kubeconfig']);
    expect(fleet.snapshot('fleet.json').spec.clusters.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
  });

  it('saves each CRD once, however many clusters have it and however often a run is interrupted', async () => {
    const fleet = await aFleet('a', 'b', 'c', 'd');
    const saved = () =>
      (fleet.files['fleet.json.part'] ?? '')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as { readonly key?: string; readonly context?: string });
    const stoppedAt = async (last: string, more = '') => {
      fleet.atConnect((name) => name === last && fleet.stop());
      await fleet.run(`snapshot --all-contexts --concurrency 1 -o fleet.json${more}`);
      return saved().flatMap(({ context }) => context ?? []);
    };
    const keys = () => saved().flatMap(({ key }) => key ?? []);
    expect(await stoppedAt('c')).toEqual(['a', 'b']);
    const all = keys();
    expect(all.length).toBeGreaterThan(5);
    expect(all).toEqual([...new Set(all)]);
    expect(await stoppedAt('d')).toEqual(['a', 'b', 'c']);
    expect(keys()).toEqual(all);

    expect(await stoppedAt('nobody')).toEqual([]);
    const { definitions, clusters } = fleet.snapshot('fleet.json').spec;
    expect(Object.keys(definitions)).toEqual(all.toSorted());
    for (const { sharedDefinitions } of clusters) expect(sharedDefinitions).toEqual(all.toSorted());

    // The snapshot has them already.
    expect(await stoppedAt('c', ' --refresh all')).toEqual(['a', 'b']);
    expect(keys()).toEqual([]);
  });

  it('names the clusters that it keeps from earlier runs, and does not report them as read', async () => {
    const fleet = await aFleet('a', 'b');
    await fleet.run('snapshot --all-contexts -o fleet.json');
    const { code, out, read } = await fleet.run('snapshot --context b --refresh all -o fleet.json');
    expect([code, read]).toEqual([0, ['b']]);
    expect(out).toContain(
      '2 clusters, 0 Nodes; no cluster failed.\nKept from earlier runs, because their contexts are not given: a. ',
    );
  });

  it('goes on where a refresh was interrupted, and reports where the rest is from', async () => {
    const fleet = await aFleet('a', 'b', 'c');
    await fleet.run('snapshot --all-contexts -o fleet.json');
    fleet.atConnect((name) => name === 'c' && fleet.stop());
    const refresh = 'snapshot --all-contexts --concurrency 1 --refresh all -o fleet.json';
    expect((await fleet.run(refresh)).read).toEqual(['a', 'b', 'c']);
    fleet.atConnect(() => {});
    const second = await fleet.run(refresh);
    expect([second.code, second.read]).toEqual([0, ['c']]);
    expect(second.err).toContain(
      'Contexts that an interrupted run has read within the last hour (fleet.json.part) or that are not refreshed: 2 of 3.',
    );
    expect((await fleet.run(refresh)).read).toEqual(['a', 'b', 'c']);
  });

  it('names the file that an interrupted run left, and what --helm-secrets needs, where nothing is read again', async () => {
    const fleet = await aFleet('a', 'b');
    fleet.atConnect((name) => name === 'b' && fleet.stop());
    await fleet.run('snapshot --all-contexts --concurrency 1 -o fleet.json');
    fleet.atConnect(() => {});
    const second = await fleet.run('snapshot --all-contexts -o fleet.json');
    expect(second.err).toContain('Contexts that are in fleet.json.part already and are not read again: 1 of 2.');
    expect((await fleet.run('snapshot --all-contexts -o fleet.json --helm-secrets')).err).toContain(
      '--refresh all reads them, too, with the Secrets or counts that you ask for.',
    );
  });

  it('does not promise to continue what it keeps in memory only', async () => {
    const fleet = await aFleet('a');
    fleet.atConnect(() => fleet.stop());
    const { code, err } = await fleet.run('snapshot');
    expect([code, err]).toEqual([
      1,
      'error: stopped by SIGINT; nothing that was read is kept; `isthmus upgrade snapshot -o FILE` can be continued\n',
    ]);
  });

  it('needs no more rights than --rights prints, and names what is missing', async () => {
    const fleet = await aFleet('north');
    fleet.as('reader');
    const refused = await fleet.run('snapshot -o fleet.yaml');
    expect(refused.code).toBe(2);
    expect(refused.err).toMatch(/forbidden.*grant the permissions that isthmus upgrade snapshot --rights prints/);
    const rights = await fleet.run('snapshot --rights');
    expect([rights.code, rights.read]).toEqual([0, []]);
    expect(rights.out).not.toContain('secrets');
    const grant = async (text: string) => {
      const role = parseYaml(text, { source: 'rights' })[0]?.value as KubernetesObject;
      fleet.admin('north').put(ClusterRole, role);
      fleet.admin('north').put(ClusterRoleBinding, {
        metadata: { name: 'reader' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role.metadata.name },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'reader' }],
      } as never);
    };
    await grant(rights.out);
    expect(await fleet.run('snapshot -o fleet.yaml')).toMatchObject({ code: 0 });
    expect(await fleet.run('snapshot -o fleet.yaml --refresh all --helm-secrets')).toMatchObject({ code: 2 });
    await grant((await fleet.run('snapshot --rights --helm-secrets')).out);
    expect(await fleet.run('snapshot -o fleet.yaml --helm-secrets')).toMatchObject({ code: 0 });
  });

  it('reads Secrets of Helm only with --helm-secrets, and stores nothing of their values', async () => {
    const fleet = await aFleet('north');
    const object = antreaController('latest') as unknown as { metadata: object };
    const annotations = { 'meta.helm.sh/release-name': 'antrea', 'meta.helm.sh/release-namespace': 'kube-system' };
    fleet.admin('north').put(Deployment, { ...object, metadata: { ...object.metadata, annotations } } as never);
    const release = {
      name: 'antrea',
      namespace: 'kube-system',
      chart: { metadata: { name: 'antrea', version: '2.6.0', appVersion: 'v2.6.0' }, values: { a: 'topsecret' } },
      config: { password: 'topsecret' },
    };
    const packed = gzipSync(JSON.stringify(release)).toString('base64');
    const secret = (name: string, text: string) =>
      fleet.admin('north').put(Secret, {
        metadata: { name, namespace: 'kube-system', labels: { owner: 'helm', status: 'deployed' } },
        type: 'helm.sh/release.v1',
        data: { release: Buffer.from(text).toString('base64') },
      });
    secret('sh.helm.release.v1.antrea.v1', packed);
    secret('broken', 'not packed');
    const version = () => fleet.snapshot().spec.clusters[0]?.components.find(({ id }) => id === 'antrea-controller');
    await fleet.run('snapshot -o fleet.yaml');
    expect(version()).toMatchObject({ live: [{ version: '' }] });
    expect(version()?.recorded).toBeUndefined();
    await fleet.run('snapshot -o fleet.yaml --helm-secrets --refresh all');
    expect(version()).toMatchObject({
      recorded: { version: 'v2.6.0', by: 'Helm release antrea' },
      live: [{ version: 'v2.6.0' }],
    });
    expect(fleet.files['fleet.yaml']).not.toContain('topsecret');
    expect(fleet.files['fleet.yaml']).not.toContain(packed.slice(0, 40));
  });

  it('counts custom resources of known components only with --object-counts, with the rights that it prints', async () => {
    const fleet = await aFleet('north');
    const namespace = { metadata: { name: 'antrea-multicluster' } };
    fleet.admin('north').put(Namespace, namespace);
    const set = (name: string) => ({
      metadata: { name, namespace: namespace.metadata.name },
      spec: { clusterID: 'north', leaders: [{ clusterID: 'north' }], namespace: namespace.metadata.name },
    });
    for (const name of ['a', 'b', 'c']) fleet.admin('north').put(ClusterSet, set(name));
    const counts = () => fleet.snapshot().spec.clusters[0]?.objectCounts;
    await fleet.run('snapshot -o fleet.yaml');
    expect(counts()).toEqual({});
    await fleet.run('snapshot -o fleet.yaml --object-counts --refresh all');
    expect(counts()).toMatchObject({
      'clustersets.multicluster.crd.antrea.io': 3,
      'resourceexports.multicluster.crd.antrea.io': 0,
    });
    const { out: rights } = await fleet.run('snapshot --rights --object-counts');
    fleet.admin('north').put(ClusterRole, parseYaml(rights, { source: 'rights' })[0]?.value as KubernetesObject);
    fleet.admin('north').put(ClusterRoleBinding, {
      metadata: { name: 'counts' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'isthmus-upgrade-snapshot' },
      subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'counter' }],
    });
    fleet.as('counter');
    expect((await fleet.run('snapshot -o own.yaml --object-counts')).code).toBe(0);
  });

  it('keeps which versions of a CRD are stored', async () => {
    const fleet = await aFleet('north');
    const name = 'clustersets.multicluster.crd.antrea.io';
    fleet
      .admin('north')
      .patch(
        CustomResourceDefinition,
        { namespace: '', name },
        { status: { storedVersions: ['v1alpha1', 'v1alpha2'] } },
      );
    await fleet.run('snapshot -o fleet.yaml');
    const { definitions } = fleet.snapshot().spec;
    const found = Object.entries(definitions).find(([key]) => key.startsWith(name))?.[1];
    expect(found).toMatchObject({ metadata: { name }, status: { storedVersions: ['v1alpha1', 'v1alpha2'] } });
  });

  it('keeps with --refresh the facts that a person wrote, and that a cluster is paused', async () => {
    const fleet = await aFleet('north');
    await fleet.run('snapshot -o fleet.yaml');
    const before = fleet.snapshot();
    const clusters = before.spec.clusters.map((one) => ({
      ...one,
      paused: true,
      facts: { ...one.facts, 'team/approved': 'yes', 'flux/suspended': 'Kustomization a/b' },
    }));
    fleet.files['fleet.yaml'] = JSON.stringify({ ...before, spec: { ...before.spec, clusters } });
    await fleet.run('snapshot -o fleet.yaml --refresh all');
    const [north] = fleet.snapshot().spec.clusters;
    expect([north?.paused, north?.facts['team/approved'], north?.facts['flux/suspended']]).toEqual([
      true,
      'yes',
      undefined,
    ]);
  });

  it('reports which clusters an earlier run read long before the date of the snapshot', async () => {
    const fleet = await aFleet('north', 'east');
    expect((await fleet.run('snapshot --context north -o fleet.yaml')).out).not.toContain('last read');
    fleet.files['fleet.yaml'] = fleet.files['fleet.yaml']?.replaceAll('2026-11-', '2026-10-') ?? '';
    const { out } = await fleet.run('snapshot --all-contexts -o fleet.yaml');
    expect(out).toMatch(
      /^1 cluster was last read more than a day before, the first at 2026-10-21T\S+; --refresh all reads all given contexts again\.$/m,
    );
  });

  it('rejects a kubeconfig without contexts, and reports that it has none', async () => {
    const fleet = await aFleet('north');
    fleet.files['kubeconfig'] = '';
    for (const line of ['snapshot --all-contexts', 'snapshot --context north', 'snapshot']) {
      expect(await fleet.run(line)).toMatchObject({
        code: 1,
        err: 'error: kubeconfig: the kubeconfig has no contexts, so there is no cluster to read; pass another one with --kubeconfig or KUBECONFIG\n',
      });
    }
  });

  it('prints the snapshot where no file is named, and keeps what people wrote into one', async () => {
    const fleet = await aFleet('north');
    const { out, err } = await fleet.run('snapshot');
    expect(out).toContain('kind: FleetSnapshot');
    expect(err).toContain('1 cluster, 0 Nodes; all clusters were read.');
    fleet.files['fleet.yaml'] =
      'apiVersion: upgrade.isthmus.dev/v1alpha1\nkind: FleetSnapshot\nmetadata: {name: ours}\nspec:\n  takenAt: 2026-11-20T09:00:00Z\n  clusters: [{name: hand}]\n  clients: [{component: antctl, version: v2.6.0}]\n';
    await fleet.run('snapshot -o fleet.yaml');
    const { metadata, spec } = fleet.snapshot();
    expect([metadata.name, spec.clusters.map(({ name }) => name), spec.clients]).toEqual([
      'ours',
      ['hand', 'north'],
      [{ component: 'antctl', version: 'v2.6.0' }],
    ]);
  });

  it.each([
    ['snapshot --context south', 'context "south" does not exist (there are: east, north)'],
    ['snapshot --context north --all-contexts', '--context and --all-contexts exclude each other'],
    ['snapshot --context north -o yaml', '--output yaml: expected a file such as fleet.yaml'],
    ['snapshot --context north -o -', '--output -: expected a file such as fleet.yaml'],
    ['snapshot --concurrency 0', 'it must be at least 1'],
    ['snapshot --refresh all', '--refresh requires --output'],
    ['snapshot --context north -o f.yaml --refresh east', 'it is not among the contexts that are read'],
    [
      'plan --bundle b.yaml',
      "required option '--snapshot' not given; --context or --all-contexts read live clusters instead",
    ],
    ['plan --bundle b.yaml --snapshot f.yaml --context north', '--snapshot excludes --context and --all-contexts'],
  ])('rejects %s', async (line, message) => {
    const { code, err, read } = await (await aFleet('north', 'east')).run(line);
    expect([code, read]).toEqual([1, []]);
    expect(err).toContain(message);
  });
});

describe('isthmus upgrade plan --context', () => {
  it('reads the clusters and plans', async () => {
    const fleet = await aFleet('north', 'east');
    for (const name of ['north', 'east']) fleet.admin(name).put(Deployment, antreaController('v2.6.0'));
    fleet.files['b.yaml'] = `apiVersion: upgrade.isthmus.dev/v1alpha1
kind: ComponentBundle
metadata: {name: antrea-2-7}
spec:
  number: 1
  channel: stable
  createdAt: 2026-11-01T00:00:00Z
  components:
    - id: antrea-controller
      version: {upstream: v2.7.0}
      artifacts: [{name: image, kind: image, uri: 'antrea/antrea-controller-ubuntu:v2.7.0', digest: 'sha256:${'1'.repeat(64)}'}]
      workloads: [{kind: Deployment, namespace: kube-system, name: antrea-controller}]
      interrupts: [New policies are not processed.]
`;
    const { code, out, read } = await fleet.run('plan --bundle b.yaml --context north,east -o json');
    expect([code, read]).toEqual([0, ['east', 'north']]);
    expect(JSON.parse(out)).toMatchObject({
      spec: { outcome: 'ready', changes: [{ cluster: 'east', component: 'antrea-controller' }, { cluster: 'north' }] },
    });
    fleet.down.add('east');
    expect(await fleet.run('plan --bundle b.yaml --all-contexts')).toMatchObject({ code: 3 });
  });
});

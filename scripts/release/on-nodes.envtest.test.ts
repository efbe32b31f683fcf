import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findBinaries, missingForNodes, startTestbed } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly version: string };
const missing = missingForNodes(process.env);
if (missing.length > 0) console.log(`skipped, as this machine cannot run nodes: ${missing.join('; ')}`);

type Testbed = Awaited<ReturnType<typeof startTestbed>>;

interface Ended {
  readonly code: number;
  readonly out: string;
}

function run(program: string, args: readonly string[], input?: string): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(program, args, { maxBuffer: 2 ** 28 }, (_error, out, err) =>
      resolve({ code: child.exitCode ?? 255, out: out + err }),
    );
    child.stdin?.end(input);
  });
}

/** By cluster, the Namespace and the Lease of its controller. */
const controllers = [
  ['north', 'antrea-multicluster', 'isthmus-leader'],
  ['east', 'kube-system', 'isthmus-member'],
  ['west', 'kube-system', 'isthmus-member'],
] as const;

/** What a release installs, as its files are, in the order of README.md, "Run it on your clusters". */
describe.skipIf(missing.length > 0)('a release on real Nodes', () => {
  const dist = missing.length > 0 ? '' : mkdtempSync(join(tmpdir(), 'isthmus-on-nodes-'));
  const manifest = (name: string) => join(dist, 'manifests', name);
  let testbed: Testbed;

  const clusterOf = (name: string) => {
    const cluster = testbed.clusters[name];
    if (cluster === undefined) throw new Error(`no cluster ${name}`);
    return cluster;
  };
  const kubectl = async (cluster: string, args: readonly string[], input?: string) => {
    const all = ['--kubeconfig', clusterOf(cluster).server.kubeconfigPath, ...args];
    const { code, out } = await run(findBinaries(process.env).kubectl, all, input);
    expect({ args, code, out: code === 0 ? '' : out }).toEqual({ args, code: 0, out: '' });
    return out;
  };
  const apply = (cluster: string, ...objects: readonly object[]) =>
    kubectl(cluster, ['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));

  /** What happens to objects from now on, a line of type, kind and name each. */
  const watching = (cluster: string, kinds: string) => {
    const columns = 'custom-columns=T:.type,K:.object.kind,N:.object.metadata.name';
    const children = kinds
      .split(',')
      .map((kind) =>
        spawn(findBinaries(process.env).kubectl, [
          '--kubeconfig',
          clusterOf(cluster).server.kubeconfigPath,
          'get',
          kind,
          '--watch-only',
          '--output-watch-events',
          '--no-headers',
          '-o',
          columns,
        ]),
      );
    let said = '';
    for (const { stdout } of children) stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
    return {
      stop() {
        for (const child of children) child.kill();
        return said.split('\n');
      },
    };
  };

  beforeAll(async () => {
    const built = await run(process.execPath, [join(root, 'scripts/release/build.ts'), '--out', dist]);
    expect({ code: built.code, out: built.code === 0 ? '' : built.out }).toEqual({ code: 0, out: '' });
    testbed = await startTestbed({
      clusters: { north: { nodes: 1 }, east: { nodes: 1 }, west: { nodes: 1 } },
      routed: true,
    });
    for (const { nodes } of Object.values(testbed.clusters))
      for (const node of nodes) await node.importImages(join(dist, `isthmus-controller-${version}.oci.tar`));
  });

  afterAll(async () => {
    await testbed[Symbol.asyncDispose]();
    rmSync(dist, { recursive: true, force: true });
  });

  it('starts two Ready replicas of each controller from the manifests and the image as they are', async () => {
    await kubectl('north', ['create', 'namespace', 'antrea-multicluster']);
    await kubectl('north', ['apply', '-f', manifest('leader.yaml')]);
    for (const member of ['east', 'west']) await kubectl(member, ['apply', '-f', manifest('member.yaml')]);
    for (const [cluster, namespace] of controllers)
      await kubectl(cluster, [
        'rollout',
        'status',
        'deployment/antrea-mc-controller',
        '-n',
        namespace,
        '--timeout=900s',
      ]);
  });

  it('joins members by tokens of the leader, through the networks of their Pods', async () => {
    const namespace = 'antrea-multicluster';
    const clusterSet = { apiVersion: 'multicluster.crd.antrea.io/v1alpha2', kind: 'ClusterSet' };
    await apply('north', {
      ...clusterSet,
      metadata: { name: 'fleet', namespace },
      spec: { clusterID: 'north', namespace, leaders: [{ clusterID: 'north' }] },
    });
    const { layout, server: leader } = clusterOf('north');
    const server = `https://${layout.address}:${new URL(leader.url).port}`;
    for (const member of ['east', 'west']) {
      const name = `member-${member}`;
      await apply(
        'north',
        {
          apiVersion: 'v1',
          kind: 'ServiceAccount',
          metadata: { name, namespace, annotations: { 'multicluster.antrea.io/cluster-id': member } },
        },
        {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'RoleBinding',
          metadata: { name, namespace },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'antrea-mc-member-cluster-role' },
          subjects: [{ kind: 'ServiceAccount', name, namespace }],
        },
        {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name, namespace, annotations: { 'kubernetes.io/service-account.name': name } },
          type: 'kubernetes.io/service-account-token',
        },
      );
      await kubectl('north', [
        'wait',
        `secret/${name}`,
        '-n',
        namespace,
        '--for=jsonpath={.data.token}',
        '--timeout=900s',
      ]);
      const secret = JSON.parse(await kubectl('north', ['get', 'secret', name, '-n', namespace, '-o', 'json'])) as {
        readonly data: Readonly<Record<string, string>>;
      };
      const { 'ca.crt': ca, token } = secret.data;
      await apply(
        member,
        {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: 'leader-token', namespace: 'kube-system' },
          data: { 'ca.crt': ca, token },
        },
        {
          ...clusterSet,
          metadata: { name: 'fleet', namespace: 'kube-system' },
          spec: { clusterID: member, namespace, leaders: [{ clusterID: 'north', server, secret: 'leader-token' }] },
        },
      );
      await kubectl(member, [
        'wait',
        'clusterset/fleet',
        '-n',
        'kube-system',
        '--for=condition=Ready',
        '--timeout=900s',
      ]);
    }
  });

  it('reads a changed setting again, and a client in one cluster calls Pods of another by the imported Service', async () => {
    for (const member of ['east', 'west']) {
      const name = 'antrea-mc-controller-config';
      const config = JSON.parse(
        await kubectl(member, ['get', 'configmap', name, '-n', 'kube-system', '-o', 'json']),
      ) as {
        readonly data: Readonly<Record<string, string>>;
      };
      const data = Object.fromEntries(
        Object.entries(config.data).map(([file, text]) => [
          file,
          text.replace('endpointIPType: ClusterIP', 'endpointIPType: PodIP'),
        ]),
      );
      expect(data).not.toEqual(config.data);
      await kubectl(member, [
        'patch',
        'configmap',
        name,
        '-n',
        'kube-system',
        '--type=merge',
        '-p',
        JSON.stringify({ data }),
      ]);
    }
    const labels = { app: 'web' };
    const image = 'localhost/isthmus-agnhost:1';
    await apply(
      'west',
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'web', namespace: 'default' },
        spec: {
          replicas: 2,
          selector: { matchLabels: labels },
          template: {
            metadata: { labels },
            spec: {
              terminationGracePeriodSeconds: 0,
              containers: [
                {
                  name: 'web',
                  image,
                  args: ['netexec', '--http-port=8080', '--udp-port=-1'],
                  readinessProbe: { httpGet: { path: '/hostname', port: 8080 }, timeoutSeconds: 30, periodSeconds: 1 },
                },
              ],
            },
          },
        },
      },
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'web', namespace: 'default' },
        spec: { selector: labels, ports: [{ name: 'http', port: 80, targetPort: 8080 }] },
      },
      {
        apiVersion: 'multicluster.x-k8s.io/v1beta1',
        kind: 'ServiceExport',
        metadata: { name: 'web', namespace: 'default' },
      },
    );
    await kubectl('west', ['wait', 'serviceexport/web', '--for=condition=Ready', '--timeout=900s']);
    await kubectl('west', ['rollout', 'status', 'deployment/web', '--timeout=900s']);
    const slices = () =>
      kubectl('east', [
        'get',
        'endpointslices',
        '-l',
        'kubernetes.io/service-name=antrea-mc-web',
        '-o',
        'jsonpath={..addresses}',
      ]);
    // A kubelet brings a changed ConfigMap to its Pods within a minute or so.
    await expect.poll(slices).toMatch(/10\.30\.1\.\d+.*10\.30\.1\.\d+/);
    const pods = await kubectl('west', ['get', 'pods', '-l', 'app=web', '-o', 'jsonpath={.items[*].metadata.name}']);
    const address = await kubectl('east', ['get', 'service', 'antrea-mc-web', '-o', 'jsonpath={.spec.clusterIP}']);
    const client = ['run', 'client', `--image=${image}`, '--restart=Never', '--', 'pause'];
    await kubectl('east', client);
    await kubectl('east', ['wait', 'pod/client', '--for=condition=Ready', '--timeout=900s']);
    // kube-proxy learns of the endpoints a moment after they are written.
    const connect = ['exec', 'client', '--', '/agnhost', 'connect', `${address}:80`, '--timeout=10s'];
    const kubeconfig = clusterOf('east').server.kubeconfigPath;
    await expect
      .poll(async () => (await run(findBinaries(process.env).kubectl, ['--kubeconfig', kubeconfig, ...connect])).out)
      .toBe('');
    const [node] = clusterOf('east').nodes;
    const script = `fetch('http://${address}/hostname').then((r) => r.text()).then(console.log)`;
    const answers = async () =>
      pods.split(' ').includes((await node?.run(process.execPath, ['-e', script]))?.stdout.trim() ?? '');
    await expect.poll(answers).toBe(true);
  });

  it('replaces the Pods of all controllers at once, as an upgrade does, and no call fails and nothing that is imported changes', async () => {
    const kinds = 'services,serviceimports,endpointslices';
    const imported = async () => {
      const { items } = JSON.parse(await kubectl('east', ['get', kinds, '-o', 'json'])) as {
        readonly items: readonly {
          readonly kind: string;
          readonly metadata: { readonly name: string; readonly uid: string };
          readonly spec?: { readonly clusterIP?: string };
          readonly endpoints?: unknown;
        }[];
      };
      return items
        .filter(({ metadata }) => /web/.test(metadata.name))
        .map(({ kind, metadata, spec, endpoints }) => [kind, metadata.name, metadata.uid, spec?.clusterIP, endpoints]);
    };
    const before = await imported();
    expect(new Set(before.map(([kind]) => kind))).toEqual(new Set(['EndpointSlice', 'Service', 'ServiceImport']));
    const watched = watching('east', kinds);
    const address = before.find(([kind]) => kind === 'Service')?.[3];
    const [node] = clusterOf('east').nodes;
    const script = `fetch('http://${String(address)}/hostname').then((r) => r.text()).then(console.log)`;
    const holders = () =>
      Promise.all(
        controllers.map(([cluster, namespace, lease]) =>
          kubectl(cluster, ['get', 'lease', lease, '-n', namespace, '-o', 'jsonpath={.spec.holderIdentity}']),
        ),
      );
    const held = await holders();
    const over = new AbortController();
    const calling = (async () => {
      const failed: unknown[] = [];
      let calls = 0;
      for (; !over.signal.aborted; calls++) {
        const answer = await node?.run(process.execPath, ['-e', script]).catch((error: unknown) => error);
        if (!over.signal.aborted && !JSON.stringify(answer).includes('web-')) failed.push(answer);
      }
      return { calls, failed };
    })();
    const deployment = 'deployment/antrea-mc-controller';
    try {
      await Promise.all(
        controllers.map(async ([cluster, namespace]) => {
          await kubectl(cluster, ['rollout', 'restart', deployment, '-n', namespace]);
          await kubectl(cluster, ['rollout', 'status', deployment, '-n', namespace, '--timeout=900s']);
        }),
      );
      await expect.poll(async () => (await holders()).filter((holder) => held.includes(holder))).toEqual([]);
      await kubectl('east', [
        'wait',
        'clusterset/fleet',
        '-n',
        'kube-system',
        '--for=condition=Ready',
        '--timeout=900s',
      ]);
    } finally {
      over.abort();
    }
    const { calls, failed } = await calling;
    expect({ failed, some: calls > 10 }).toEqual({ failed: [], some: true });
    expect(await imported()).toEqual(before);
    expect(watched.stop().filter((line) => /^(?:DELETED|ADDED) .*web/.test(line))).toEqual([]);
    // The new controllers do what the old ones did.
    await kubectl('west', ['scale', 'deployment/web', '--replicas=3']);
    const addresses = async () =>
      (await kubectl('east', ['get', 'endpointslices', '-o', 'jsonpath={..addresses}'])).match(/10\.30\.1\.\d+/g)
        ?.length;
    await expect.poll(addresses).toBe(3);
  });

  it('leaves and uninstalls, and nothing is left but the user’s objects', async () => {
    for (const member of ['east', 'west'])
      await kubectl(member, ['delete', 'clusterset', 'fleet', '-n', 'kube-system', '--timeout=900s']);
    expect(await kubectl('east', ['get', 'services', '-o', 'name'])).toBe('service/kubernetes\n');
    expect(await kubectl('north', ['get', 'resourceexports,resourceimports', '-A', '-o', 'name'])).not.toContain('/');
    await kubectl('north', ['delete', 'clusterset', 'fleet', '-n', 'antrea-multicluster', '--timeout=900s']);
    await kubectl('west', ['delete', 'serviceexport', 'web']);
    for (const member of ['east', 'west']) {
      await kubectl(member, ['delete', '-f', manifest('member.yaml')]);
      await kubectl(member, ['delete', 'secret', 'leader-token', '-n', 'kube-system']);
      await kubectl(member, ['delete', 'lease', 'isthmus-member', '-n', 'kube-system', '--ignore-not-found']);
    }
    await kubectl('north', ['delete', '-f', manifest('leader.yaml')]);
    await kubectl('north', ['delete', 'namespace', 'antrea-multicluster']);
    for (const cluster of ['north', 'east', 'west']) {
      const kinds =
        'deployments,configmaps,serviceaccounts,roles,rolebindings,clusterroles,clusterrolebindings,crds,pods';
      const names = await kubectl(cluster, ['get', kinds, '-A', '-o', 'name']);
      expect(names.split('\n').filter((name) => /antrea|isthmus|multicluster/.test(name))).toEqual([]);
    }
  });
});

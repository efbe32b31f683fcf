import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findBinaries, missingForNodes, startTestbed } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtRelease } from './testing/built-release.ts';

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

const leaderNamespace = 'antrea-multicluster';
const memberNamespace = 'kube-system';
const members = ['east', 'west'] as const;
const agnhost = 'localhost/isthmus-agnhost:1';
const patience = '--timeout=900s';

/** Clusters whose Pods have no routes to each other: agents alone carry their packets, beside the CNI bridge, which masquerades, and kube-proxy. */
describe.skipIf(missing.length > 0)('the agents of a release on real Nodes', () => {
  const folder = missing.length > 0 ? '' : mkdtempSync(join(tmpdir(), 'isthmus-agent-on-nodes-'));
  let dist: string;
  let testbed: Testbed;
  let clusterIP: string;

  const clusterOf = (name: string) => {
    const cluster = testbed.clusters[name];
    if (cluster === undefined) throw new Error(`no cluster ${name}`);
    return cluster;
  };
  const nodeOf = (name: string) => {
    const node = Object.values(testbed.clusters)
      .flatMap(({ nodes }) => nodes)
      .find(({ layout }) => layout.name === name);
    if (node === undefined) throw new Error(`no Node ${name}`);
    return node;
  };
  const kubectl = async (cluster: string, args: readonly string[], input?: string) => {
    const all = ['--kubeconfig', clusterOf(cluster).server.kubeconfigPath, ...args];
    const { code, out } = await run(findBinaries(process.env).kubectl, all, input);
    expect({ args, code, out: code === 0 ? '' : out }).toEqual({ args, code: 0, out: '' });
    return out;
  };
  const apply = (cluster: string, ...objects: readonly object[]) =>
    kubectl(cluster, ['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
  const rolledOut = (cluster: string, workload: string, namespace: string) =>
    kubectl(cluster, ['rollout', 'status', workload, '-n', namespace, patience]);
  const manifest = (name: string) => readFileSync(join(dist, 'manifests', name), 'utf8');

  /** What a URL answers on a Node, or the empty text. */
  const fetched = async (node: string, url: string) => {
    const script = `fetch(${JSON.stringify(url)}, { signal: AbortSignal.timeout(20_000) }).then((r) => r.text()).then((t) => process.stdout.write(t), () => {})`;
    return (await nodeOf(node).run(process.execPath, ['-e', script])).stdout;
  };
  /** What the imported Service answers to a Pod, asked for the address of its client. */
  const dialled = async (pod: PodOnNode) => {
    const query = `host=${clusterIP}&port=80&protocol=http&request=clientip&tries=1`;
    return fetched(pod.node, `http://${pod.address}:8080/dial?${query}`);
  };
  interface PodOnNode {
    readonly name: string;
    readonly node: string;
    readonly address: string;
  }
  const podsOf = async (cluster: string, app: string): Promise<readonly PodOnNode[]> => {
    const { items } = JSON.parse(await kubectl(cluster, ['get', 'pods', '-l', `app=${app}`, '-o', 'json'])) as {
      readonly items: readonly {
        readonly metadata: { readonly name: string };
        readonly spec: { readonly nodeName: string };
        readonly status: { readonly podIP: string };
      }[];
    };
    return items.map(({ metadata, spec, status }) => ({
      name: metadata.name,
      node: spec.nodeName,
      address: status.podIP,
    }));
  };

  beforeAll(async () => {
    dist = await builtRelease(folder);
    testbed = await startTestbed({ clusters: { north: { nodes: 1 }, east: { nodes: 2 }, west: { nodes: 2 } } });
    for (const [name, { nodes }] of Object.entries(testbed.clusters))
      for (const node of nodes) {
        await node.importImages(join(dist, `isthmus-controller-${version}.oci.tar`));
        if (name !== 'north') await node.importImages(join(dist, `isthmus-agent-${version}.oci.tar`));
      }
  });

  afterAll(async () => {
    await testbed?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  it('are Ready on every Node from the manifest and the image as they are', async () => {
    await kubectl('north', ['create', 'namespace', leaderNamespace]);
    await kubectl('north', ['apply', '-f', '-'], manifest('leader.yaml'));
    for (const member of members) {
      const podCIDRs = clusterOf(member).layout.clusterCIDRs.filter((cidr) => !cidr.includes(':'));
      const config = manifest('member.yaml')
        .replace('endpointIPType: ClusterIP', 'endpointIPType: PodIP')
        .replace('\n    podCIDRs: []', `\n    podCIDRs: ${JSON.stringify(podCIDRs)}`);
      expect(config).toContain(`podCIDRs: ["`);
      await kubectl(member, ['apply', '-f', '-'], config);
      await kubectl(member, ['apply', '-f', '-'], manifest('agent.yaml'));
      await kubectl(member, ['annotate', 'node', `${member}-1`, 'multicluster.antrea.io/gateway=true']);
    }
    await rolledOut('north', 'deployment/antrea-mc-controller', leaderNamespace);
    for (const member of members) {
      await rolledOut(member, 'deployment/antrea-mc-controller', memberNamespace);
      await rolledOut(member, 'daemonset/isthmus-agent', memberNamespace);
    }
  });

  it('carry the packets of Pods and Nodes of one cluster to Pods of the other, wherever both run', async () => {
    await joinMembers();
    const workload = (app: string) => ({
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name: app, namespace: 'default' },
      spec: {
        selector: { matchLabels: { app } },
        template: {
          metadata: { labels: { app } },
          spec: {
            terminationGracePeriodSeconds: 0,
            containers: [
              {
                name: app,
                image: agnhost,
                args: ['netexec', '--http-port=8080', '--udp-port=-1'],
                readinessProbe: { httpGet: { path: '/hostname', port: 8080 }, timeoutSeconds: 30, periodSeconds: 1 },
              },
            ],
          },
        },
      },
    });
    await apply('east', workload('client'));
    await apply(
      'west',
      workload('web'),
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'web', namespace: 'default' },
        spec: { selector: { app: 'web' }, ports: [{ name: 'http', port: 80, targetPort: 8080 }] },
      },
      {
        apiVersion: 'multicluster.x-k8s.io/v1beta1',
        kind: 'ServiceExport',
        metadata: { name: 'web', namespace: 'default' },
      },
    );
    await rolledOut('east', 'daemonset/client', 'default');
    await rolledOut('west', 'daemonset/web', 'default');
    const imported = ['get', 'service', 'antrea-mc-web', '--ignore-not-found', '-o', 'jsonpath={.spec.clusterIP}'];
    await expect.poll(() => kubectl('east', imported)).toMatch(/^10\./);
    clusterIP = await kubectl('east', imported);
    const servers = await podsOf('west', 'web');
    const clients = await podsOf('east', 'client');
    expect([servers.length, clients.length]).toEqual([2, 2]);
    // The servers see the address of the client.
    for (const client of clients)
      await expect.poll(() => dialled(client)).toMatch(new RegExp(`"responses":\\["${client.address}:`));
    const from = [
      ...clients.map((client) => async () => {
        const query = `host=${clusterIP}&port=80&protocol=http&request=hostname&tries=1`;
        return fetched(client.node, `http://${client.address}:8080/dial?${query}`);
      }),
      ...clients.map(
        ({ node }) =>
          () =>
            fetched(node, `http://${clusterIP}/hostname`),
      ),
    ];
    for (const ask of from) {
      const answered = new Set<string>();
      await expect
        .poll(async () => {
          const answer = await ask();
          for (const { name } of servers) if (answer.includes(name)) answered.add(name);
          return answered;
        })
        .toEqual(new Set(servers.map(({ name }) => name)));
    }
  });

  it('are replaced one after the other, as an upgrade does, and no call fails meanwhile', async () => {
    const clients = await podsOf('east', 'client');
    const over = new AbortController();
    const failed: string[] = [];
    let calls = 0;
    const calling = Promise.all(
      clients.map(async (client) => {
        for (; !over.signal.aborted; calls++) {
          const answer = await dialled(client);
          if (!answer.includes(client.address)) failed.push(answer);
        }
      }),
    );
    try {
      for (const member of members) {
        await kubectl(member, ['rollout', 'restart', 'daemonset/isthmus-agent', '-n', memberNamespace]);
        await rolledOut(member, 'daemonset/isthmus-agent', memberNamespace);
      }
    } finally {
      over.abort();
      await calling;
    }
    expect({ failed, some: calls > 5 }).toEqual({ failed: [], some: true });
  });

  /** The two members join the leader, with tokens of their own. */
  async function joinMembers(): Promise<void> {
    const clusterSet = { apiVersion: 'multicluster.crd.antrea.io/v1alpha2', kind: 'ClusterSet' };
    await apply('north', {
      ...clusterSet,
      metadata: { name: 'fleet', namespace: leaderNamespace },
      spec: { clusterID: 'north', namespace: leaderNamespace, leaders: [{ clusterID: 'north' }] },
    });
    const { layout, server: leader } = clusterOf('north');
    const server = `https://${layout.address}:${new URL(leader.url).port}`;
    for (const member of members) {
      const name = `member-${member}`;
      const metadata = { name, namespace: leaderNamespace };
      await apply(
        'north',
        {
          apiVersion: 'v1',
          kind: 'ServiceAccount',
          metadata: { ...metadata, annotations: { 'multicluster.antrea.io/cluster-id': member } },
        },
        {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'RoleBinding',
          metadata,
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'antrea-mc-member-cluster-role' },
          subjects: [{ kind: 'ServiceAccount', name, namespace: leaderNamespace }],
        },
        {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { ...metadata, annotations: { 'kubernetes.io/service-account.name': name } },
          type: 'kubernetes.io/service-account-token',
        },
      );
      const secret = ['secret', name, '-n', leaderNamespace];
      await kubectl('north', ['wait', `secret/${name}`, ...secret.slice(2), '--for=jsonpath={.data.token}', patience]);
      const { data } = JSON.parse(await kubectl('north', ['get', ...secret, '-o', 'json'])) as {
        readonly data: Readonly<Record<string, string>>;
      };
      await apply(
        member,
        {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: 'leader-token', namespace: memberNamespace },
          data: { 'ca.crt': data['ca.crt'], token: data['token'] },
        },
        {
          ...clusterSet,
          metadata: { name: 'fleet', namespace: memberNamespace },
          spec: {
            clusterID: member,
            namespace: leaderNamespace,
            leaders: [{ clusterID: 'north', server, secret: 'leader-token' }],
          },
        },
      );
    }
    for (const member of members)
      await kubectl(member, ['wait', 'clusterset/fleet', '-n', memberNamespace, '--for=condition=Ready', patience]);
  }
});

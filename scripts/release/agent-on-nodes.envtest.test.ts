import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Testbed } from '@isthmus/testkit';
import { missingForNodes, startTestbed } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtRelease } from './testing/built-release.ts';
import { installWithAgents } from './testing/install-with-agents.ts';
import { joinMembers } from './testing/join-members.ts';
import { userIn } from './testing/release-on-nodes.ts';

const missing = missingForNodes(process.env);
if (missing.length > 0) console.log(`skipped, as this machine cannot run nodes: ${missing.join('; ')}`);

const memberNamespace = 'kube-system';
const members = ['east', 'west'] as const;
const agnhost = 'localhost/isthmus-agnhost:1';

/** Clusters whose Pods have no routes to each other: agents alone carry their packets, beside the CNI bridge, which masquerades, and kube-proxy. */
describe.skipIf(missing.length > 0)('the agents of a release on real Nodes', () => {
  const folder = missing.length > 0 ? '' : mkdtempSync(join(tmpdir(), 'isthmus-agent-on-nodes-'));
  let dist: string;
  let testbed: Testbed | undefined;
  let clusterIP: string;

  const user = (name: string) => userIn(testbed, name);
  const kubectl = (cluster: string, args: readonly string[]) => user(cluster).kubectl(args);
  const nodeOf = (name: string) => user(name.replace(/-\d+$/, '')).node(name);

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
  });

  afterAll(async () => {
    await testbed?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  it('are Ready on every Node from the manifest and the image as they are', async () => {
    await installWithAgents({
      leader: user('north'),
      members: members.map(user),
      dist,
      endpointIPType: 'PodIP',
      announces: (cidr) => !cidr.includes(':'),
    });
  });

  it('carry the packets of Pods and Nodes of one cluster to Pods of the other, wherever both run', async () => {
    await joinMembers(user('north'), members.map(user));
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
    await user('east').apply(workload('client'));
    await user('west').apply(
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
    await user('east').rolledOut('daemonset/client', 'default');
    await user('west').rolledOut('daemonset/web', 'default');
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
        await user(member).rolledOut('daemonset/isthmus-agent', memberNamespace);
      }
    } finally {
      over.abort();
      await calling;
    }
    expect({ failed, some: calls > 5 }).toEqual({ failed: [], some: true });
  });
});

import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Testbed, TestbedNode } from '@isthmus/testkit';
import { findBinaries, flowServer, missingForNodes, openFlows, startTestbed } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clusterDns } from '../conformance/cluster-dns.ts';
import { busyboxImage } from '../conformance/suite-images.ts';
import { startStory, typeBlock } from '../pages/testing/story.ts';
import { programImage } from './image/program-image.ts';
import { builtRelease } from './testing/built-release.ts';
import { hostOfPod } from './testing/calls.ts';
import { installWithAgents } from './testing/install-with-agents.ts';
import { joinMembers } from './testing/join-members.ts';
import type { ClusterUser } from './testing/release-on-nodes.ts';
import { userIn } from './testing/release-on-nodes.ts';

const missing = missingForNodes(process.env);
if (missing.length > 0) console.log(`skipped, as this machine cannot run nodes: ${missing.join('; ')}`);

const memberNamespace = 'kube-system';
const members = ['east', 'west'] as const;
const reachable = `jsonpath={.status.conditions[?(@.type=="Reachable")].status}`;
const agnhost = 'localhost/isthmus-agnhost:1';

/**
 * Clusters whose Pods have no routes to each other: agents alone carry their packets, beside the
 * CNI bridge, which masquerades, and kube-proxy.
 */
describe.skipIf(missing.length > 0)('the guide of the agents, typed on real Nodes', () => {
  const guide = startStory(import.meta.url, 'docs/guides/agent.md');
  const folder = missing.length > 0 ? '' : mkdtempSync(join(tmpdir(), 'isthmus-agent-guide-'));
  let dist: string;
  let testbed: Testbed | undefined;
  let clusterIP: string;

  const user = (name: string) => userIn(testbed, name);
  /**
   * Types a block of a guide in a folder where the manifests of the release are `deploy`, with the
   * cluster as the current one, and names in place of placeholders.
   */
  const typeIn =
    (cluster: string, names: Readonly<Record<string, string>> = {}) =>
    (block: string) => {
      const text = Object.entries(names).reduce((before, [name, value]) => before.replaceAll(name, value), block);
      const PATH = `${dirname(findBinaries(process.env).kubectl)}:${process.env['PATH'] ?? ''}`;
      return typeBlock(text, { cwd: folder, env: { PATH, HOME: folder, KUBECONFIG: user(cluster).kubeconfig } });
    };
  const kubectl = (cluster: string, args: readonly string[], input?: string) => user(cluster).kubectl(args, input);
  const nodeOf = (name: string) => user(name.replace(/-\d+$/, '')).node(name);

  /** The answer of a URL on a Node, or the empty text. */
  const fetched = async (node: string, url: string) => {
    const script = `fetch(${JSON.stringify(url)}, { signal: AbortSignal.timeout(20_000) }).then((r) => r.text()).then((t) => process.stdout.write(t), () => {})`;
    return (await nodeOf(node).run(process.execPath, ['-e', script])).stdout;
  };
  /** The answer of the imported Service to a Pod that asks for the address of its client. */
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

  /** Whether the gateways of a member reach the other one, as its ClusterInfoImport has it. */
  const reachedFrom = (member: string) => {
    const other = members.find((name) => name !== member);
    return kubectl(member, [
      'get',
      'clusterinfoimport',
      `${other}-clusterinfo`,
      '-n',
      memberNamespace,
      '-o',
      reachable,
    ]);
  };
  /** How often each agent of a member was restarted, and whether it is ready. */
  const restartsOf = async (member: string) => {
    const path =
      'jsonpath={range .items[*]}{.status.containerStatuses[0].restartCount} {.status.containerStatuses[0].ready}{"\\n"}{end}';
    const agents = ['get', 'pods', '-n', memberNamespace, '-l', 'component=isthmus-agent'];
    return (await kubectl(member, [...agents, '-o', path])).trim();
  };
  /** Kills it without a warning, as the kernel does when memory runs out. */
  const killAgent = async (node: TestbedNode) => {
    const script = 'pkill -KILL --ns $$ --nslist net -f "agent[ ]run"';
    expect(await node.run('sh', ['-c', script])).toMatchObject({ code: 0 });
  };
  /**
   * Opens flows from a Pod of east to an imported Service, whose only Pod is in west. Neither is on
   * a gateway.
   */
  const flowsToWest = async () => {
    const labels = { app: 'flows' };
    const ports = (['TCP', 'UDP'] as const).map((protocol) => ({
      name: protocol.toLowerCase(),
      protocol,
      port: 80,
      targetPort: 8080,
    }));
    await user('west').apply(
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'flows', namespace: 'default', labels },
        spec: { nodeName: 'west-2', containers: [{ name: 'flows', image: agnhost, args: ['pause'] }] },
      },
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'flows', namespace: 'default' },
        spec: { selector: labels, ports },
      },
      {
        apiVersion: 'multicluster.x-k8s.io/v1beta1',
        kind: 'ServiceExport',
        metadata: { name: 'flows', namespace: 'default' },
      },
    );
    const address = () => kubectl('west', ['get', 'pod', 'flows', '-o', 'jsonpath={.status.podIP}']);
    await expect.poll(address).toMatch(/^10\./);
    // The end of the Node kills it.
    void hostOfPod(nodeOf('west-2'), await address())
      .run(...flowServer())
      .catch(() => {});
    const imported = ['get', 'service', 'antrea-mc-flows', '--ignore-not-found', '-o', 'jsonpath={.spec.clusterIP}'];
    await expect.poll(() => kubectl('east', imported)).toMatch(/^10\./);
    const client = (await podsOf('east', 'client')).find(({ node }) => node === 'east-2');
    return openFlows(hostOfPod(nodeOf('east-2'), client?.address ?? ''), {
      address: await kubectl('east', imported),
      port: 80,
      tcp: 200,
      udp: 50,
    });
  };

  beforeAll(async () => {
    dist = await builtRelease(folder);
    symlinkSync(join(dist, 'manifests'), join(folder, 'deploy'));
    testbed = await startTestbed({ clusters: { north: { nodes: 1 }, east: { nodes: 2 }, west: { nodes: 2 } } });
  });

  afterAll(async () => {
    await testbed?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  it('are Ready on every Node from the manifest and the image as they are, with the commands of their guide', async () => {
    await installWithAgents({
      leader: user('north'),
      members: members.map(user),
      dist,
      endpointIPType: 'PodIP',
      announces: (cidr) => !cidr.includes(':'),
      async installAgents({ cluster }, gateway) {
        await guide.run('Install it', typeIn(cluster.layout.name, { NODE: gateway }));
      },
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

  it('are shown by the commands of their guide, with their gateways and networks', async () => {
    const described = await guide.run('Install it', typeIn('east', { NODE: 'east-1' }), 2);
    expect(described).toContain('multicluster.antrea.io/gateway: true\n');
    expect(described).toMatch(/\nKind: +Gateway\n/);
    const listed = await guide.run('Install it', typeIn('east'), 3);
    expect(listed.match(/^isthmus-agent-\S+ +1\/1 +Running .*/gm)).toHaveLength(2);
    expect(listed).toContain('"level":"info"');
    const pods = await kubectl('east', [
      'get',
      'pods',
      '-n',
      memberNamespace,
      '-l',
      'component=isthmus-agent',
      '-o',
      'name',
    ]);
    const [pod = ''] = pods.split('\n').map((name) => name.replace('pod/', ''));
    const shown = await guide.run('Install it', typeIn('east', { POD: pod }), 4);
    expect(shown).toContain('antrea-mc-web');
  });

  it('report in ClusterInfoImports that they reach each other', async () => {
    await expect.poll(() => reachedFrom('east')).toBe('True');
    const listed = await guide.run('See which clusters are reached', typeIn('east'));
    expect(listed).toMatch(/^west-clusterinfo +west +\S+ +True +/m);
    expect(listed).toMatch(/^1 of 1 gateways of this cluster reach west, /m);
  });

  it('end, are replaced and get another argument, and their Nodes are drained: no call fails meanwhile, and of 200 connections and 50 flows of UDP none is lost', async ({
    annotate,
  }) => {
    const flows = await flowsToWest();
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
      for (const member of members) for (const node of user(member).cluster.nodes) await killAgent(node);
      for (const member of members)
        await expect.poll(() => restartsOf(member)).toMatch(/^[1-9]\d* true\n[1-9]\d* true$/);

      await kubectl('east', ['apply', '-f', join(dist, 'manifests', 'agent-policies.yaml')]);
      const manifest = readFileSync(join(dist, 'manifests', 'agent.yaml'), 'utf8');
      const on = manifest.replace('--enable-stretched-network-policy=false', '--enable-stretched-network-policy=true');
      expect(on).not.toBe(manifest);
      await kubectl('east', ['apply', '-f', '-'], on);
      await kubectl('west', ['rollout', 'restart', 'daemonset/isthmus-agent', '-n', memberNamespace]);
      for (const member of members) await user(member).rolledOut('daemonset/isthmus-agent', memberNamespace);

      for (const member of members) {
        await kubectl(member, ['drain', `${member}-1`, '--ignore-daemonsets', '--timeout=600s']);
        await expect.poll(() => reachedFrom(member)).toBe('True');
        await kubectl(member, ['uncordon', `${member}-1`]);
      }
    } finally {
      over.abort();
      await calling;
    }
    expect({ failed, some: calls > 5 }).toEqual({ failed: [], some: true });
    const report = await flows.stop();
    expect(report).toMatchObject({ flows: 250, lost: [] });
    await annotate(`worst pause of a flow: ${report.worstPauseMs} ms`);
  });

  it('have WireGuard in user space on the Nodes with its label', async () => {
    await guide.run('Encryption', typeIn('east', { NODE: 'east-1' }));
    const pods = ['get', 'pods', '-n', memberNamespace, '-l', 'component=isthmus-wireguard'];
    const running = 'jsonpath={range .items[*]}{.spec.nodeName} {.status.phase}{end}';
    await expect.poll(() => kubectl('east', [...pods, '-o', running])).toBe('east-1 Running');
  });

  describe('beside the DNS server', () => {
    const dnsGuide = startStory(import.meta.url, 'docs/guides/dns.md');
    const busybox = busyboxImage(process.env['PATH'] ?? '');

    it('which is installed with the commands of its guide, and answers a Pod through CoreDNS', async () => {
      const forwardTo = (await dnsGuide.run('Forward from CoreDNS', typeIn('east'))).split('\n').at(-1) ?? '';
      expect(forwardTo).toMatch(/^10\.\d+\.\d+\.\d+$/);
      const coredns = programImage('coredns', readFileSync(findBinaries(process.env).coredns));
      for (const [name, archive] of [
        ['coredns', coredns],
        ['busybox', busybox],
      ] as const) {
        if (archive === undefined) continue;
        const path = join(folder, `${name}.tar`);
        writeFileSync(path, archive);
        for (const node of user('east').cluster.nodes) await node.importImages(path);
      }
      const { dnsAddress } = user('east').cluster.layout;
      await user('east').apply(...clusterDns({ namespace: memberNamespace, clusterIP: dnsAddress, forwardTo }));
      await user('east').rolledOut('deployment/coredns', memberNamespace);
    });

    it.skipIf(busybox === undefined)('which answers the question of its guide', async () => {
      for (const member of members) await kubectl(member, ['create', 'namespace', 'shop']);
      await kubectl('west', ['create', 'service', 'clusterip', 'cart', '--tcp=80:8080', '-n', 'shop']);
      await user('west').apply({
        apiVersion: 'multicluster.x-k8s.io/v1beta1',
        kind: 'ServiceExport',
        metadata: { name: 'cart', namespace: 'shop' },
      });
      const imported = [
        'get',
        'service',
        'antrea-mc-cart',
        '-n',
        'shop',
        '--ignore-not-found',
        '-o',
        'jsonpath={.spec.clusterIP}',
      ];
      await expect.poll(() => kubectl('east', imported)).toMatch(/^10\./);
      await neverPullImages(user('east'));
      expect(await dnsGuide.run('Check it', typeIn('east'))).toContain(
        `\nAddress: ${await kubectl('east', imported)}\n`,
      );
    });
  });
});

/**
 * Images of Pods are those that were imported: an image without a tag is otherwise looked for in
 * its registry, which the test bed cannot reach.
 */
async function neverPullImages(cluster: ClusterUser): Promise<void> {
  const name = 'imported-images';
  const apiVersion = 'admissionregistration.k8s.io/v1';
  const expression = '[JSONPatch{op: "replace", path: "/spec/containers/0/imagePullPolicy", value: "Never"}]';
  await cluster.apply(
    {
      apiVersion,
      kind: 'MutatingAdmissionPolicy',
      metadata: { name },
      spec: {
        failurePolicy: 'Fail',
        reinvocationPolicy: 'Never',
        matchConstraints: {
          resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
        },
        mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression } }],
      },
    },
    { apiVersion, kind: 'MutatingAdmissionPolicyBinding', metadata: { name }, spec: { policyName: name } },
  );
  const policy = 'jsonpath={.spec.containers[0].imagePullPolicy}';
  const pod = ['run', 'probe', '--image=busybox', '--dry-run=server', '-o', policy];
  await expect.poll(() => cluster.kubectl(pod)).toBe('Never');
}

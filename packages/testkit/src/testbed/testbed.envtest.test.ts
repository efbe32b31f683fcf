import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { create, read } from '../apiserver/as-admin.ts';
import { findBinaries } from '../apiserver/find-binaries.ts';
import { processesOf } from '../apiserver/left-behind.ts';
import type { NodeComponent } from './node.ts';
import { cgroupHierarchies, missingForNodes } from './requirements.ts';
import type { Testbed, TestbedCluster } from './testbed.ts';
import { startTestbed } from './testbed.ts';

const missing = missingForNodes(process.env);
if (missing.length > 0) console.log(`skipped, as this machine cannot run nodes: ${missing.join('; ')}`);

/** Sysctls that kubelet would change, and those that the networks of Nodes would need. */
const sysctls = [
  'vm/overcommit_memory',
  'kernel/panic',
  'kernel/panic_on_oops',
  'net/ipv4/ip_forward',
  'net/ipv6/conf/all/forwarding',
  'net/ipv4/conf/all/rp_filter',
];
const machineState = () => ({
  sysctls: sysctls.map((path) => readFileSync(`/proc/sys/${path}`, 'utf8')),
  mounts: readFileSync('/proc/self/mounts', 'utf8'),
  links: readdirSync('/sys/class/net'),
  namespaces: existsSync('/run/netns') ? readdirSync('/run/netns') : [],
});

const isTestbed = (name: string) => /^isthmus-testbed-[0-9a-f]{12}$/.test(name);
const directories = () => readdirSync(tmpdir()).filter(isTestbed);
const cgroups = () =>
  cgroupHierarchies().flatMap((path) =>
    readdirSync(path)
      .filter(isTestbed)
      .map((name) => join(path, name)),
  );
const left = () => [
  ...directories(),
  ...cgroups(),
  ...processesOf(join(tmpdir(), 'isthmus-testbed-')).map(({ commandLine }) => commandLine),
];

interface Answer {
  readonly code: number;
  readonly out: string;
}

describe.skipIf(missing.length > 0)('two clusters with real Nodes', () => {
  const before = missing.length > 0 ? undefined : machineState();
  let testbed: Testbed;
  let east: TestbedCluster;
  let west: TestbedCluster;

  const kubectl = (cluster: TestbedCluster, ...args: readonly string[]) =>
    new Promise<Answer>((resolve) => {
      const all = ['--kubeconfig', cluster.server.kubeconfigPath, ...args];
      const child = execFile(findBinaries(process.env).kubectl, all, (_error, out, err) =>
        resolve({ code: child.exitCode ?? 255, out: out + err }),
      );
    });
  const must = async (cluster: TestbedCluster, ...args: readonly string[]) => {
    const { code, out } = await kubectl(cluster, ...args);
    expect({ args, code, out: code === 0 ? '' : out }).toEqual({ args, code: 0, out: '' });
    return out;
  };
  /** Waits until a Pod can connect to an address. */
  const reaches = (cluster: TestbedCluster, pod: string, address: string) =>
    expect
      .poll(async () => (await kubectl(cluster, 'exec', pod, '--', '/agnhost', 'connect', address, '--timeout=5s')).out)
      .toBe('');
  const nodeOf = (cluster: TestbedCluster, index: number) => {
    const node = cluster.nodes[index];
    if (node === undefined) throw new Error(`cluster ${cluster.layout.name} has no Node ${index}`);
    return node;
  };
  /** The answer to a client in the network of a Node from `url`: the body, or `failed`. */
  const get = async (cluster: TestbedCluster, index: number, url: string) => {
    const script = `fetch(${JSON.stringify(url)}, { signal: AbortSignal.timeout(3000) }).then((r) => r.text()).then(console.log, () => console.log('failed'))`;
    return (await nodeOf(cluster, index).run(process.execPath, ['-e', script])).stdout.trim();
  };

  beforeAll(async () => {
    testbed = await startTestbed({ clusters: { east: { nodes: 2 }, west: { nodes: 1 } } });
    const { east: first, west: second } = testbed.clusters;
    if (first === undefined || second === undefined) throw new Error('a cluster is missing');
    east = first;
    west = second;
    const labels = { app: 'web' };
    const spread = {
      maxSkew: 1,
      topologyKey: 'kubernetes.io/hostname',
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: { matchLabels: labels },
    };
    const container = {
      name: 'web',
      image: 'localhost/isthmus-agnhost:1',
      args: ['netexec', '--http-port=8080', '--udp-port=-1'],
      ports: [{ containerPort: 8080 }],
      readinessProbe: { httpGet: { path: '/hostname', port: 8080 }, periodSeconds: 1, timeoutSeconds: 30 },
    };
    for (const [cluster, replicas] of [
      [east, 2],
      [west, 1],
    ] as const) {
      await create(cluster.server, '/apis/apps/v1/namespaces/default/deployments', {
        metadata: { name: 'web' },
        spec: {
          replicas,
          selector: { matchLabels: labels },
          template: {
            metadata: { labels },
            spec: { containers: [container], topologySpreadConstraints: [spread], terminationGracePeriodSeconds: 0 },
          },
        },
      });
      await create(cluster.server, '/api/v1/namespaces/default/services', {
        metadata: { name: 'web' },
        spec: { selector: labels, ports: [{ port: 80, targetPort: 8080 }], ipFamilyPolicy: 'RequireDualStack' },
      });
    }
    for (const cluster of [east, west]) await must(cluster, 'rollout', 'status', 'deployment/web', '--timeout=300s');
  });

  afterAll(async () => {
    await testbed[Symbol.asyncDispose]();
    expect(left()).toEqual([]);
    expect(machineState()).toEqual(before);
  });

  interface Pod {
    readonly metadata: { readonly name: string };
    readonly spec: { readonly nodeName: string };
    readonly status: { readonly podIPs: readonly { readonly ip: string }[] };
  }
  const pods = async (cluster: TestbedCluster) =>
    (
      await read<{ readonly items: readonly Pod[] }>(
        cluster.server,
        '/api/v1/namespaces/default/pods?labelSelector=app%3Dweb',
      )
    ).items;
  const serviceAddresses = async (cluster: TestbedCluster) =>
    (
      await read<{ readonly spec: { readonly clusterIPs: readonly string[] } }>(
        cluster.server,
        '/api/v1/namespaces/default/services/web',
      )
    ).spec.clusterIPs;

  it('give Pods addresses of both families from the networks of their Nodes', async () => {
    const found = await pods(east);
    expect(found.map(({ spec }) => spec.nodeName).toSorted()).toEqual(['east-1', 'east-2']);
    for (const { spec, status } of found) {
      const number = spec.nodeName.slice(-1);
      expect(status.podIPs.map(({ ip }) => ip)).toEqual([
        expect.stringMatching(new RegExp(`^10\\.10\\.${number}\\.`)),
        expect.stringMatching(new RegExp(`^fd00:10:10:${number}::`)),
      ]);
    }
  });

  it('carry Services of both families from a Node and from a Pod', async () => {
    const [v4 = '', v6 = ''] = await serviceAddresses(east);
    const names = new Set((await pods(east)).map(({ metadata }) => metadata.name));
    const seen = new Set<string>();
    // kube-proxy receives ready Pods a moment after the Deployment.
    const seesAll = async () => {
      seen.add(await get(east, 0, `http://${v4}/hostname`));
      return [...names].every((name) => seen.has(name));
    };
    await expect.poll(seesAll).toBe(true);
    seen.delete('failed');
    expect(seen).toEqual(names);
    await expect.poll(() => get(east, 1, `http://[${v6}]/hostname`)).toMatch(/^web-/);
    const [pod] = await pods(east);
    for (const address of [`${v4}:80`, `[${v6}]:80`]) await reaches(east, pod?.metadata.name ?? '', address);
  });

  it('keep the Pods of clusters apart, while their Nodes reach each other', async () => {
    const [pod] = await pods(west);
    const address = pod?.status.podIPs[0]?.ip ?? '';
    await expect.poll(() => get(west, 0, `http://${address}:8080/hostname`)).toBe(pod?.metadata.name);
    expect(await get(east, 0, `http://${address}:8080/hostname`)).toBe('failed');
    expect((await nodeOf(east, 0).run('ip', ['route', 'get', nodeOf(west, 0).layout.address])).stdout).toContain(
      'eth0',
    );
    const server = `https://${west.layout.address}:${new URL(west.server.url).port}/healthz`;
    const { stdout } = await nodeOf(east, 0).run(process.execPath, [
      '-e',
      `process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'; fetch(${JSON.stringify(server)}).then((r) => r.text()).then(console.log)`,
    ]);
    expect(stdout.trim()).toBe('ok');
  });

  it('let Pods call their API server by the Service of Kubernetes', async () => {
    const [pod] = await pods(east);
    const address = east.layout.serviceCIDR.replace('.0/16', '.1');
    await reaches(east, pod?.metadata.name ?? '', `${address}:443`);
  });

  it('serve logs, exec with input, and port-forward of kubectl', async () => {
    const [pod] = await pods(east);
    const name = pod?.metadata.name ?? '';
    expect(await must(east, 'logs', name)).toContain('Started HTTP server on port 8080');
    const forward = spawn(findBinaries(process.env).kubectl, [
      '--kubeconfig',
      east.server.kubeconfigPath,
      'port-forward',
      `pod/${name}`,
      ':8080',
    ]);
    const closed = once(forward, 'close');
    try {
      // The program keeps writing, and a closed pipe would end it.
      let output = '';
      forward.stdout.on('data', (chunk) => (output += String(chunk)));
      await expect.poll(() => output).toContain('->');
      const port = /127\.0\.0\.1:(\d+)/.exec(output)?.[1];
      expect(await (await fetch(`http://127.0.0.1:${port}/hostname`)).text()).toBe(name);
    } finally {
      forward.kill();
      await closed;
    }
  });

  it.each<[NodeComponent]>([['kubelet'], ['containerd'], ['kube-proxy']])(
    'go on serving while %s is dead, and take it back',
    async (component) => {
      const node = nodeOf(east, 0);
      const [v4 = ''] = await serviceAddresses(east);
      await node.stop(component);
      const names = (await pods(east)).map(({ metadata }) => metadata.name);
      await expect.poll(() => get(east, 0, `http://${v4}/hostname`)).toMatch(/^web-/);
      expect(names).toContain(await get(east, 0, `http://${v4}/hostname`));
      await node.start(component);
      const name = `after-${component}`;
      const image = 'localhost/isthmus-agnhost:1';
      await must(
        east,
        'run',
        name,
        `--image=${image}`,
        '--restart=Never',
        `--overrides={"spec":{"nodeName":"${node.layout.name}"}}`,
        '--',
        'pause',
      );
      await must(east, 'wait', `pod/${name}`, '--for=condition=Ready', '--timeout=300s');
      await must(east, 'delete', 'pod', name, '--now');
    },
  );

  it('cut a Node off from the others, and connect it again', async () => {
    const url = `http://${(await pods(east)).find(({ spec }) => spec.nodeName === 'east-2')?.status.podIPs[0]?.ip}:8080/hostname`;
    await expect.poll(() => get(east, 0, url)).not.toBe('failed');
    await nodeOf(east, 1).setLink('down');
    expect(await get(east, 0, url)).toBe('failed');
    await nodeOf(east, 1).setLink('up');
    await expect.poll(() => get(east, 0, url)).not.toBe('failed');
  });
});

describe.skipIf(missing.length > 0)('kill -9 of the process that runs a test bed', () => {
  const script = `
    import { startTestbed } from ${JSON.stringify(new URL('testbed.ts', import.meta.url).href)};
    console.log('starting');
    await startTestbed({ clusters: { solo: { nodes: 1 } } });
    console.log('running');
  `;

  it.each([
    ['while it starts', 'starting', 3000],
    ['once it runs', 'running', 0],
  ])('%s leaves no process, no cgroup and no file', async (_, word, afterMs) => {
    const runner = spawn(process.execPath, ['--input-type=module', '--eval', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(runner, 'exit');
    let output = '';
    for await (const chunk of runner.stdout) {
      output += String(chunk);
      if (output.includes(word)) break;
    }
    await expect.poll(directories).toHaveLength(1);
    await delay(afterMs);
    runner.kill('SIGKILL');
    await exited;
    await expect.poll(left).toEqual([]);
  });
});

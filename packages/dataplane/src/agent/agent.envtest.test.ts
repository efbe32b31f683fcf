import { Annotation, ClusterInfoImport, EndpointSlice, Label, Namespace, Node, Service } from '@isthmus/api';
import { createClient, memoryLog, noMetrics, systemClock } from '@isthmus/kube';
import { seededRandom } from '@isthmus/machinery';
import type { Sandbox } from '@isthmus/sandbox';
import { createSandbox } from '@isthmus/sandbox';
import { clusterAdmin, definitions } from '@isthmus/fleet-sim';
import {
  askFrom,
  echoServer,
  importedCart,
  importedCartEndpoints,
  labClusterInfo,
  labNodeObject,
  missingForNodes,
  startPacketLab,
  waitLimitMs,
} from '@isthmus/testkit';
import type { PacketLab } from '@isthmus/testkit';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { tunnelAddresses } from '../desired/tunnel-addresses.ts';
import { address } from '../testing/addresses.ts';
import { kernelState } from '../testing/kernel-state.ts';
import { startLabProbe } from '../testing/lab-probe.ts';
import { labHold } from '../testing/lab-hold.ts';
import { labWatch } from '../testing/lab-watch.ts';
import type { Agent } from './agent.ts';
import { createAgent } from './agent.ts';

const clusterIP = '10.99.0.80';
const namespace = 'kube-system';

describe.skipIf(missingForNodes(process.env).length > 0)('agents', () => {
  let lab: PacketLab;
  const servers = new Map<string, Sandbox>();
  const agents = new Map<string, Agent>();
  const end = new AbortController();
  const running: Promise<void>[] = [];
  const probes = new DisposableStack();

  const admin = (cluster: string) => {
    const server = servers.get(cluster);
    if (server === undefined) throw new Error(`no cluster ${cluster}`);
    return server.admin;
  };
  const putNode = (cluster: string, name: string, isGateway: boolean) =>
    admin(cluster).put(Node, labNodeObject(lab.node(name), isGateway));
  const putInfo = (cluster: string, other: string, gateways: readonly string[]) =>
    admin(cluster).put(ClusterInfoImport, labClusterInfo(lab.cluster(other), { namespace, gateways }));
  const putSlice = (addresses: readonly string[]) => admin('east').put(EndpointSlice, importedCartEndpoints(addresses));
  const ask = async (from: string) => {
    const [answer] = await askFrom(lab.pod(from), [{ protocol: 'TCP', address: clusterIP, port: 80 }]);
    return answer;
  };

  beforeAll(async () => {
    lab = await startPacketLab({ clusters: { east: { nodes: 2 }, west: { nodes: 2 } } });
    const clock = systemClock();
    for (const [name, cluster] of Object.entries(lab.clusters)) {
      servers.set(name, createSandbox({ name, clock, serviceCIDR: '10.99.0.0/16', image: await definitions.ours() }));
      admin(name).put(Namespace, { metadata: { name: namespace } });
      admin(name).put(Namespace, { metadata: { name: 'shop' } });
      cluster.nodes.forEach(({ layout }, index) => putNode(name, layout.name, index === 0));
    }
    putInfo('east', 'west', ['west-1']);
    putInfo('west', 'east', ['east-1']);
    admin('east').put(Service, importedCart(clusterIP));
    putSlice([lab.pod('west-1').address]);
    for (const name of ['west-1', 'west-2']) await lab.pod(name).start(...echoServer(name));
    for (const [name, cluster] of Object.entries(lab.clusters)) {
      for (const node of cluster.nodes) {
        const { layout, place } = node;
        const world = { clock, random: seededRandom(1), log: memoryLog(), metrics: noMetrics };
        const transport = servers.get(name)?.transport(clusterAdmin);
        if (transport === undefined) throw new Error(`no cluster ${name}`);
        const agent = createAgent({
          client: createClient({ transport, clock }),
          namespace,
          node: layout.name,
          settings: { port: 8479 },
          run: place.run,
          hold: labHold(node),
          watch: labWatch(node),
          probe: probes.use(startLabProbe(node)).probe,
          world,
        });
        agents.set(layout.name, agent);
        running.push(agent.run(end.signal));
      }
    }
  });
  afterAll(async () => {
    end.abort(new Error('over'));
    await Promise.allSettled(running);
    probes.dispose();
    await lab?.[Symbol.asyncDispose]();
  });

  test('are ready when they have written the network of their Nodes, and packets then reach the imported Service', async () => {
    for (const agent of agents.values())
      await vi.waitFor(() => expect(agent.notReady()).toEqual([]), { timeout: waitLimitMs() });
    expect(await ask('east-1')).toBe(`west-1 ${lab.pod('east-1').address}`);
    expect(await ask('east-2')).toBe(`west-1 ${lab.pod('east-2').address}`);
  });

  test('follow endpoints', async () => {
    putSlice([lab.pod('west-2').address]);
    await vi.waitFor(async () => expect(await ask('east-2')).toBe(`west-2 ${lab.pod('east-2').address}`), {
      timeout: waitLimitMs(),
    });
  });

  test('lead the UDP flow of a client that never pauses to another endpoint when its own is gone', async () => {
    const { place } = lab.node('east-2');
    putSlice([lab.pod('west-2').address]);
    const script = `
      const seen = new Set();
      const udp = require('node:dgram').createSocket('udp4');
      const end = () => { console.log([...seen].join(' ')); process.exit(); };
      udp.on('error', () => {}).on('message', (text) => { seen.add(String(text).split(' ')[0]); if (seen.has('west-1')) end(); });
      setInterval(() => udp.send('x', 80, '${clusterIP}'), 100);
      setTimeout(end, 60_000);`;
    const running = lab.pod('east-2').run(process.execPath, ['-e', script]);
    const flows = async () =>
      (await place.run('conntrack', ['-L', '-p', 'udp', '--orig-dst', clusterIP, '-u', 'SEEN_REPLY'])).stdout;
    await vi.waitFor(async () => expect(await flows()).toContain(`src=${lab.pod('west-2').address}`), {
      timeout: waitLimitMs(),
    });
    putSlice([lab.pod('west-1').address]);
    expect((await running).stdout.trim()).toBe('west-2 west-1');
    putSlice([lab.pod('west-2').address]);
  });

  test('translate the UDP flow of a client that never pauses and began before the Service was imported', async ({
    annotate,
  }) => {
    const later = '10.99.0.81';
    const script = `
      const udp = require('node:dgram').createSocket('udp4');
      udp.on('error', () => {}).on('message', () => (console.log(Date.now()), process.exit()));
      setInterval(() => udp.send('x', 80, '${later}'), 100);`;
    const running = lab.pod('east-2').run(process.execPath, ['-e', script]);
    const { run } = lab.node('east-2').place;
    const until = async (program: string, args: readonly string[], text: string) =>
      vi.waitFor(async () => expect((await run(program, args)).stdout).toContain(text), {
        timeout: waitLimitMs(),
        interval: 20,
      });
    await until('conntrack', ['-L', '-p', 'udp', '--orig-dst', later], `[UNREPLIED] src=${later}`);
    const [service, slice] = [importedCart(later), importedCartEndpoints([lab.pod('west-2').address])];
    const name = 'antrea-mc-late';
    admin('east').put(Service, { ...service, metadata: { ...service.metadata, name } });
    const labels = { ...slice.metadata.labels, [Label.serviceName]: name, [Label.mcsServiceName]: 'late' };
    admin('east').put(EndpointSlice, { ...slice, metadata: { ...slice.metadata, name: 'late-west', labels } });
    await until('nft', ['list', 'map', 'inet', 'isthmus', 'services4'], later);
    const translatedMs = Date.now();
    const answeredMs = Number((await running).stdout);
    expect(answeredMs).toBeGreaterThan(0);
    await annotate(`answered ${answeredMs - translatedMs} ms after it was seen translated`);
    admin('east').remove(EndpointSlice, { namespace: 'shop', name: 'late-west' });
    admin('east').remove(Service, { namespace: 'shop', name });
  });

  test('follow another gateway', async () => {
    putNode('west', 'west-2', true);
    putNode('west', 'west-1', false);
    putInfo('east', 'west', ['west-2']);
    const gateways = async () =>
      (await lab.node('east-1').place.run('bridge', ['fdb', 'show', 'dev', 'isthmus-gw'])).stdout;
    await vi.waitFor(async () => expect(await gateways()).not.toContain(lab.node('west-1').layout.address), {
      timeout: waitLimitMs(),
    });
    await vi.waitFor(async () => expect(await ask('east-2')).toBe(`west-2 ${lab.pod('east-2').address}`), {
      timeout: waitLimitMs(),
    });
  });

  test('send from the address by which other clusters know a gateway, which is a second one of its Node, and again from the first', async () => {
    const { place, layout } = lab.node('west-2');
    const second = layout.address.replace(/\d+$/, '99');
    const mark = (annotations: Readonly<Record<string, string>>) => {
      const object = labNodeObject(lab.node('west-2'), true);
      const { metadata } = object;
      admin('west').put(Node, {
        ...object,
        metadata: { ...metadata, annotations: { ...metadata.annotations, ...annotations } },
      });
    };
    const known = (gatewayIP: string) => {
      const info = labClusterInfo(lab.cluster('west'), { namespace, gateways: [] });
      admin('east').put(ClusterInfoImport, { ...info, spec: { ...info.spec, gatewayInfos: [{ gatewayIP }] } });
    };
    await place.run('ip', ['address', 'add', `${second}/32`, 'dev', 'eth0']);
    mark({ [Annotation.gatewayIP]: second });
    known(second);
    const sendsFrom = async (address: string) => {
      await vi.waitFor(
        async () =>
          expect((await place.run('ip', ['-d', 'link', 'show', 'isthmus-gw'])).stdout).toContain(` local ${address} `),
        { timeout: waitLimitMs() },
      );
      for (const from of ['east-1', 'east-2'])
        await vi.waitFor(async () => expect(await ask(from)).toBe(`west-2 ${lab.pod(from).address}`), {
          timeout: waitLimitMs(),
        });
    };
    await sendsFrom(second);
    mark({});
    known(layout.address);
    await sendsFrom(layout.address);
    await place.run('ip', ['address', 'del', `${second}/32`, 'dev', 'eth0']);
  });

  test('are not held up by the objects of Nodes that came back under other names', async () => {
    const names = ['east-1', 'east-2'];
    for (const name of names)
      admin('east').put(Node, {
        metadata: { name: `former-${name}`, annotations: { 'multicluster.antrea.io/gateway': 'true' } },
        status: { addresses: [{ type: 'InternalIP', address: lab.node(name).layout.address }] },
      });
    for (const name of names) {
      const agent = agents.get(name);
      await vi.waitFor(
        () => expect(agent?.problems().map((one) => one.name)).toEqual(['former-east-1', 'former-east-2']),
        { timeout: waitLimitMs() },
      );
      // A write that the kernel rejects would come soon.
      await delay(1_000);
      expect(agent?.notReady()).toEqual([]);
      expect(await ask(name)).toBe(`west-2 ${lab.pod(name).address}`);
    }
    for (const name of names) admin('east').remove(Node, { name: `former-${name}` });
  });

  test('do not use endpoints that the exporting cluster does not own, and report them', async () => {
    putSlice([lab.pod('east-1').address, lab.pod('west-2').address]);
    await vi.waitFor(
      () =>
        expect(agents.get('east-2')?.problems()).toEqual([
          {
            kind: 'EndpointSlice',
            namespace: 'shop',
            name: 'cart-west',
            message: `Endpoint ${lab.pod('east-1').address} is not used: it is not in the Pod CIDRs or the Service CIDR of cluster west.`,
          },
        ]),
      { timeout: waitLimitMs() },
    );
    expect(await ask('east-2')).toBe(`west-2 ${lab.pod('east-2').address}`);
  });

  test('repair what others remove', async ({ annotate }) => {
    const on = (name: string) => lab.node(name).place.run;
    const [range = ''] = lab.cluster('west').layout.clusterCIDRs;
    const [own = '', far = ''] = ['east-1', 'west-2'].map((name) => lab.node(name).layout.address);
    const { hop } = tunnelAddresses(address(own));
    const { mac } = tunnelAddresses(address(far));
    const removals = [
      ['east-2', 'nft flush ruleset'],
      ['east-2', 'ip link del isthmus-node'],
      ['east-2', `ip route del ${range} table 7100`],
      ['east-2', 'ip rule del priority 500'],
      ['east-2', `ip neigh del ${hop.IPv4} dev isthmus-node; ip neigh del ${hop.IPv6} dev isthmus-node`],
      ['east-1', `bridge fdb del ${mac} dev isthmus-gw dst ${far}`],
    ] as const;
    const before = new Map<string, unknown>();
    // The first removal is also of tables that are not the agent's.
    const stateOf = async (name: string) => {
      const { nft: _, ...others } = await kernelState(on(name));
      const { stdout } = await on(name)('nft', ['-s', '-t', 'list', 'table', 'inet', 'isthmus']);
      return { ...others, table: stdout };
    };
    for (const name of ['east-1', 'east-2']) before.set(name, await stateOf(name));
    for (const [name, removal] of removals) {
      // A change right after a write of the agent may be the agent's own. It is checked later, but
      // it is repaired as well.
      await delay(2_500);
      expect(await on(name)('sh', ['-c', removal]), removal).toMatchObject({ code: 0, stderr: '' });
      const removedMs = performance.now();
      await vi.waitFor(
        async () => {
          expect(await ask('east-2')).toBe(`west-2 ${lab.pod('east-2').address}`);
          expect(await stateOf(name), removal).toEqual(before.get(name));
        },
        { timeout: waitLimitMs() },
      );
      await annotate(`${removal}: as before after ${Math.round(performance.now() - removedMs)} ms`);
    }
  });

  test('follow the MTU of the device that carries the tunnels', async () => {
    const { run } = lab.node('east-2').place;
    await run('ip', ['link', 'set', 'eth0', 'mtu', '1450']);
    await vi.waitFor(
      async () => expect((await run('ip', ['link', 'show', 'isthmus-node'])).stdout).toContain(' mtu 1400 '),
      { timeout: waitLimitMs() },
    );
    expect(await ask('east-2')).toBe(`west-2 ${lab.pod('east-2').address}`);
  });

  test('leave a network that forwards when they end', async () => {
    end.abort(new Error('over'));
    await Promise.all(running);
    expect(await ask('east-2')).toBe(`west-2 ${lab.pod('east-2').address}`);
  });
});

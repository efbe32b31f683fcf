import {
  Annotation,
  ClusterInfoImport,
  ClusterSet,
  EndpointSlice,
  Lease,
  Namespace,
  Node,
  Service,
} from '@isthmus/api';
import type { Access, Transport } from '@isthmus/kube';
import { createClient, memoryLog, noMetrics } from '@isthmus/kube';
import { seededRandom } from '@isthmus/machinery';
import { createSandbox } from '@isthmus/sandbox';
import { clusterAdmin, createVirtualClock, definitions, grantAccess, serviceAccount } from '@isthmus/fleet-sim';
import { importedCart, importedCartEndpoints } from '@isthmus/testkit';
import { afterEach, describe, expect, test } from 'vitest';
import { laterNftFolder } from '../kernel/later-nft.ts';
import type { WatchProgram } from '../kernel/kernel-monitor.ts';
import type { RunProgram } from '../kernel/write-network.ts';
import type { Probe } from '../probes/probe.ts';
import { viewNode } from '../status/node-view.ts';
import { createAgent } from './agent.ts';
import { agentAccess } from './open-objects.ts';
import type { DirectAccess } from './options.ts';

const namespace = 'kube-system';
const dayMs = 86_400_000;
const stop = new Set<AbortController>();
afterEach(() => {
  for (const one of stop) one.abort(new Error('over'));
  stop.clear();
});

/**
 * An agent on a gateway, in virtual time. Its kernel accepts every write, and shows an nft table
 * only while it is not `flushed`.
 */
async function startAgent(
  options: {
    readonly auditEveryMs?: number;
    readonly gateways?: readonly string[];
    readonly isAway?: boolean;
    readonly devices?: readonly string[];
    readonly podCIDRs?: readonly string[];
    /** `crashes`: the tables of the Node have sets of a later version. */
    readonly nft?: 'works' | 'crashes';
    readonly node?: string;
    /** The Namespace of the agent. */
    readonly namespace?: string;
    readonly direct?: DirectAccess;
    readonly wireGuardPort?: number;
    readonly userInfo?: Parameters<ReturnType<typeof createSandbox>['transport']>[0];
  } = {},
) {
  const clock = createVirtualClock({ startMs: Date.parse('2026-11-26T00:00:00Z') });
  const server = createSandbox({ name: 'east', clock, image: await definitions.ours() });
  server.admin.put(Namespace, { metadata: { name: namespace } });
  const putNode = ({ isGateway }: { readonly isGateway: boolean }) =>
    server.admin.put(Node, {
      metadata: { name: 'node-1', annotations: isGateway ? { 'multicluster.antrea.io/gateway': 'true' } : {} },
      spec: { podCIDRs: options.podCIDRs ?? ['10.10.1.0/24'] },
      status: {
        addresses: [{ type: 'InternalIP', address: '172.30.1.11' }],
        conditions: [{ type: 'Ready', status: 'True' }],
      },
    });
  putNode({ isGateway: true });
  const putRemote = (gatewayIPs: readonly string[]) =>
    server.admin.put(ClusterInfoImport, {
      metadata: { name: 'west-clusterinfo', namespace },
      spec: {
        clusterID: 'west',
        podCIDRs: ['10.20.0.0/16'],
        gatewayInfos: gatewayIPs.map((gatewayIP) => ({ gatewayIP })),
      },
    });
  putRemote(options.gateways ?? ['172.30.2.11', '172.30.2.12']);
  const world = {
    isAway: options.isAway ?? false,
    mtu: 1500,
    devices: options.devices ?? ['eth0'],
    /** The addresses that the kernel considers its own, and rejects as next hops. */
    local: [] as string[],
    /** The main table of routes, in the format of `ip`. */
    routes: [] as object[],
    chains: [] as object[],
    /** Refused connections since the Node was started. */
    refused: 7,
    /** The settings of devices, in the format of `ip netconf`. */
    settings: [] as object[],
    /** The output of nft in place of `chains`. */
    unreadable: undefined as string | undefined,
    written: [] as string[],
    /** The flows in the format of `conntrack`; undefined: `conntrack` fails. */
    flows: '' as string | undefined,
    missing: new Set<string>(),
    cutOff: new Set<string>(),
    probes: 0,
  };
  const inner = server.transport(options.userInfo ?? clusterAdmin);
  const transport: Transport = {
    send: (...call) => (world.isAway ? Promise.reject(new Error('connect ECONNREFUSED')) : inner.send(...call)),
    close: () => inner.close(),
  };
  const run: RunProgram = (program, args, input) => {
    if (program === `${laterNftFolder}/ld.so`) return runEach('nft', args.slice(3), input);
    const isCrash = program === 'nft' && options.nft === 'crashes';
    return isCrash
      ? Promise.resolve({ code: -1, stdout: '', stderr: 'it was ended by SIGSEGV' })
      : runEach(program, args, input);
  };
  const runEach: RunProgram = (program, args, input) => {
    if (world.missing.has(program)) return Promise.reject(new Error(`cannot run ${program}: spawn ${program} ENOENT`));
    const answer = (stdout: string, code = 0, stderr = '') => Promise.resolve({ code, stdout, stderr });
    if (args.includes('addr'))
      return answer(JSON.stringify([{ ifname: 'eth0', mtu: world.mtu, addr_info: [{ local: '172.30.1.11' }] }]));
    if (program === 'ip' && input === 'link show\nnetconf show\n')
      return answer(
        `${JSON.stringify(world.devices.map((ifname) => ({ ifname })))}\n${JSON.stringify(world.settings)}\n`,
      );
    if (args.join(' ') === '-j -4 route show table local')
      return answer(JSON.stringify(world.local.map((dst) => ({ type: 'local', dst }))));
    if (args.join(' ') === '-j -4 route show table main') return answer(JSON.stringify(world.routes));
    if (world.local.some((address) => input.includes(` via ${address} `)))
      return answer('', 1, 'Error: Nexthop has invalid gateway.');
    if (args.includes('tables')) return answer('{"nftables":[]}');
    if (args.includes('chains')) return answer(world.unreadable ?? JSON.stringify({ nftables: world.chains }));
    if (args.includes('table') && program === 'nft') return answer('', 1, 'Error: No such file or directory');
    if (program === 'conntrack' && args.includes('-S'))
      return answer(`cpu=0 found=1 drop=${world.refused}\ncpu=1 found=2 drop=0\n`);
    if (program === 'conntrack' && args.includes('-L'))
      return world.flows === undefined ? answer('', 1, 'conntrack: no memory') : answer(world.flows);
    if (program === 'conntrack') world.written.push(`conntrack ${args.join(' ')}`);
    if (input !== '' && !args.includes('-j')) world.written.push(...input.trim().split('\n'));
    return answer('');
  };
  const lines: { ip?: (line: string) => void; nft?: (line: string) => void } = {};
  const watch: WatchProgram = (program, _, onLine, signal) => {
    lines[program === 'ip' ? 'ip' : 'nft'] = onLine;
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve('stopped'), { once: true }));
  };
  const probe: Probe = ({ address }, timeoutMs) =>
    new Promise((resolve) => {
      world.probes++;
      const isCutOff = world.cutOff.has(address);
      clock.after(isCutOff ? timeoutMs : 1, () =>
        resolve(isCutOff ? { kind: 'missed' } : { kind: 'answered', roundTripMs: 1 }),
      );
    });
  const log = memoryLog();
  const agent = createAgent({
    client: createClient({ transport, clock }),
    namespace: options.namespace ?? namespace,
    node: options.node ?? 'node-1',
    settings: { port: 8479, wireGuardPort: options.wireGuardPort },
    run,
    watch,
    probe,
    direct: options.direct,
    auditEveryMs: options.auditEveryMs ?? 2 * dayMs,
    world: { clock, random: seededRandom(1), log, metrics: noMetrics },
  });
  const controller = new AbortController();
  stop.add(controller);
  void agent.run(controller.signal);
  /** The writes since the last call. */
  const written = () => world.written.splice(0);
  return { clock, agent, server, world, written, lines, log, putRemote, putNode };
}

describe('an agent', () => {
  test('stays ready for a day without its API server, reports since when, changes nothing, and follows the objects again', async () => {
    const { clock, agent, world, written, putRemote } = await startAgent({ gateways: [] });
    await clock.advance(5_000);
    const stale = () => agent.notes().filter((note) => note.includes(' are those of '));
    expect([agent.notReady(), stale()]).toEqual([[], []]);
    expect(written().join('\n')).toContain('10.20.0.0/16');
    world.isAway = true;
    await clock.advance(dayMs);
    expect(agent.notReady()).toEqual([]);
    expect(stale()).toHaveLength(7);
    expect(stale()[0]).toMatch(/^nodes are those of 2026-11-26T00:\d\d:\d\dZ: /);
    expect(written()).toEqual([]);
    expect(agent.status().notes[0]).toMatchObject({ next: expect.stringContaining('can reach its API server') });
    world.isAway = false;
    putRemote(['172.30.2.13']);
    await clock.advance(120_000);
    expect(agent.notes()).toEqual([]);
    expect(written().join('\n')).toContain('172.30.2.13');
  });

  test('keeps its way to an API server outside of the cluster, whatever range another cluster announces', async () => {
    const { clock, agent, server, written } = await startAgent();
    server.admin.put(EndpointSlice, {
      metadata: { namespace: 'default', name: 'kubernetes', labels: { 'kubernetes.io/service-name': 'kubernetes' } },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['192.0.2.10'] }],
      ports: [{ name: 'https', port: 6443 }],
    });
    server.admin.put(ClusterInfoImport, {
      metadata: { name: 'evil-clusterinfo', namespace },
      spec: { clusterID: 'evil', podCIDRs: ['192.0.2.0/24'], gatewayInfos: [{ gatewayIP: '172.30.2.99' }] },
    });
    await clock.advance(5_000);
    expect(agent.notReady()).toEqual([]);
    expect(agent.problems().map(({ message }) => message)).toEqual([
      'Pod CIDR "192.0.2.0/24" of cluster evil is not used: it contains 192.0.2.10, an address of the API server of this cluster.',
    ]);
    expect(written().join('\n')).not.toContain('192.0.2.0/24');
  });

  test('takes a gateway that falls silent out of use without its API server', async () => {
    const { clock, world, written } = await startAgent();
    await clock.advance(5_000);
    expect(written().findLast((line) => line.includes(' group '))).toMatch(/ group \d+\/\d+ /);
    world.isAway = true;
    world.cutOff.add('fe80::858:acff:fe1e:20b');
    await clock.advance(3_000);
    expect(written().filter((line) => line.includes(' group '))).toEqual([expect.stringMatching(/ group \d+ type /)]);
    // The other gateway falls silent, too. If no gateway answers, both are used.
    world.cutOff.add('fe80::858:acff:fe1e:20c');
    await clock.advance(3_000);
    expect(written().filter((line) => line.includes(' group '))).toEqual([
      expect.stringMatching(/ group \d+\/\d+ type /),
    ]);
  });

  test('that starts leaves out a gateway that does not answer, as an earlier run may have done', async () => {
    const { clock, world, written } = await startAgent();
    world.cutOff.add('fe80::858:acff:fe1e:20b');
    await clock.advance(5_000);
    expect(written().filter((line) => line.includes(' group '))).toEqual([expect.stringMatching(/ group \d+ type /)]);
  });

  test('logs when a gateway stops answering, and when it answers again, but not that it answers at first', async () => {
    const { clock, world, log } = await startAgent();
    const logged = () => log.entries.map(({ message }) => message).filter((message) => message.includes('probes'));
    await clock.advance(10_000);
    expect(logged()).toEqual([]);
    world.cutOff.add('fe80::858:acff:fe1e:20b');
    await clock.advance(10_000);
    expect(logged()).toEqual(['a gateway does not answer probes']);
    world.cutOff.clear();
    await clock.advance(20_000);
    expect(logged()).toEqual(['a gateway does not answer probes', 'a gateway answers probes']);
  });

  test('probes rarely before the network is written, as nothing can answer, and often from then on', async () => {
    const { clock, agent, world } = await startAgent();
    world.missing.add('nft');
    await clock.advance(10_000);
    const probesIn = async (ms: number) => {
      const before = world.probes;
      await clock.advance(ms);
      return world.probes - before;
    };
    expect(await probesIn(18_000)).toBe(20);
    world.missing.clear();
    await clock.advance(600_000);
    expect([agent.notReady(), await probesIn(18_000)]).toEqual([[], 60]);
  });

  test('publishes where it answers past the tunnels, if it looks for direct paths', async () => {
    const socket = { send: () => Promise.resolve(), onMessage: () => () => {} };
    const probesOf = async (direct: DirectAccess) => {
      const { clock, server } = await startAgent({ direct });
      await clock.advance(10_000);
      return server.admin.list(Lease)[0]?.metadata.annotations?.[Annotation.directProbes];
    };
    expect(await probesOf({ socket, nonce: () => '0'.repeat(32) })).toBe('10.10.1.0');
    expect(await probesOf({ off: 'it is switched off' })).toBeUndefined();
  });

  test('sends new connections to no endpoint of a cluster that nobody reaches, as long as there are others', async () => {
    const { clock, agent, server, written } = await startAgent();
    const put = (clusterID: string, gatewayIP: string, isReached: boolean) =>
      server.admin.put(ClusterInfoImport, {
        metadata: { name: `${clusterID}-clusterinfo`, namespace },
        spec: {
          clusterID,
          podCIDRs: [clusterID === 'west' ? '10.20.0.0/16' : '10.30.0.0/16'],
          gatewayInfos: [{ gatewayIP }],
        },
        status: { conditions: [{ type: 'Reachable', status: isReached ? 'True' : 'False' }] },
      });
    const [west, south] = [
      (isReached: boolean) => put('west', '172.30.2.11', isReached),
      (isReached: boolean) => put('south', '172.30.3.11', isReached),
    ];
    server.admin.put(Namespace, { metadata: { name: 'shop' } });
    server.admin.put(Service, importedCart('10.96.0.80'));
    const slice = importedCartEndpoints(['10.20.1.5']);
    server.admin.put(EndpointSlice, slice);
    server.admin.put(EndpointSlice, {
      ...slice,
      metadata: {
        ...slice.metadata,
        name: 'cart-south',
        labels: { ...slice.metadata.labels, 'multicluster.kubernetes.io/source-cluster': 'south' },
      },
      endpoints: [{ addresses: ['10.30.1.5'] }],
    });
    /**
     * The clusters whose endpoints clients get, as the agent shows them, and these endpoints, as it
     * has written them.
     */
    const used = async () => {
      await clock.advance(5_000);
      expect(agent.notReady()).toEqual([]);
      const line = written().findLast((one) => one.includes('dnat')) ?? '';
      const shown = agent.status().services[0]?.endpoints.map(({ clusterID }) => clusterID);
      const ofKernel = ['10.30.1.5', '10.20.1.5'].filter((address) => line.includes(address));
      return { shown: shown?.toSorted(), ofKernel };
    };
    west(true);
    south(true);
    const both = { shown: ['south', 'west'], ofKernel: ['10.30.1.5', '10.20.1.5'] };
    expect(await used()).toEqual(both);
    west(false);
    expect(await used()).toEqual({ shown: ['south'], ofKernel: ['10.30.1.5'] });
    expect(agent.notes()).toEqual([
      'no gateway of cluster west answers: its endpoints are used only where there are no others',
    ]);
    south(false);
    expect(await used()).toEqual(both);
    west(true);
    expect(await used()).toEqual({ shown: ['west'], ofKernel: ['10.20.1.5'] });
    south(true);
    expect(await used()).toEqual(both);
    expect(agent.notes()).toEqual([]);
  });

  test('that starts without its API server is not ready, and reports which objects it has not read, and why', async () => {
    const { clock, agent, written } = await startAgent({ isAway: true });
    await clock.advance(60_000);
    expect(agent.notReady()).toHaveLength(8);
    expect(agent.notReady()[0]).toMatch(/^nodes are not read yet: .*ECONNREFUSED/);
    expect(written()).toEqual([]);
  });

  test('stays a gateway while it cannot write, as the kernel forwards what it did, but not once its Node is no longer marked', async () => {
    const { clock, agent, server, world, putRemote, putNode } = await startAgent();
    const holder = () => server.admin.list(Lease)[0]?.spec?.holderIdentity;
    await clock.advance(10_000);
    expect([agent.notReady(), holder()]).toEqual([[], 'node-1']);
    world.missing.add('nft');
    putRemote(['172.30.2.14']);
    await clock.advance(120_000);
    expect(agent.notReady().join()).toContain('cannot run nft');
    expect(holder()).toBe('node-1');
    putNode({ isGateway: false });
    await clock.advance(120_000);
    expect(holder()).toBe('');
  });

  test('without nft or ip is not ready, and reports what is missing', async () => {
    const { clock, agent, world } = await startAgent();
    world.missing.add('nft');
    await clock.advance(10_000);
    expect(agent.notReady().join()).toContain('cannot run nft');
    world.missing.clear();
    await clock.advance(600_000);
    expect(agent.notReady()).toEqual([]);
    const other = await startAgent();
    other.world.missing.add('ip');
    await other.clock.advance(10_000);
    expect(other.agent.notReady().join()).toContain('cannot run ip');
    expect(other.written()).toEqual([]);
    other.world.missing.clear();
    await other.clock.advance(600_000);
    expect(other.agent.notReady()).toEqual([]);
  });

  test('of a Node that does not exist reports how to name another one, and gives back the Lease of a Node that was deleted', async () => {
    const mistyped = await startAgent({ node: 'node1' });
    await mistyped.clock.advance(5_000);
    expect(mistyped.agent.notReady()).toEqual([
      'Node node1 does not exist in this cluster; start the agent with the name of its Node, in --node or the environment variable NODE_NAME',
    ]);
    // The log also reports it, once.
    await mistyped.clock.advance(60_000);
    expect(mistyped.log.entries.filter(({ level }) => level === 'warn')).toMatchObject([
      { message: 'the network of the Node is not written', fields: { why: mistyped.agent.notReady()[0] } },
    ]);
    const { clock, agent, server } = await startAgent();
    await clock.advance(5_000);
    const holder = () => server.admin.list(Lease)[0]?.spec?.holderIdentity;
    expect(holder()).toBe('node-1');
    server.admin.delete(Node, { name: 'node-1' });
    await clock.advance(5_000);
    expect([agent.notReady(), holder()]).toEqual([[expect.stringMatching(/^Node node-1 does not exist/)], '']);
  });

  test('of a Node without an InternalIP, or on another machine, reports it', async () => {
    const { clock, agent, server, log } = await startAgent();
    await clock.advance(5_000);
    const put = (address: string, type: 'InternalIP' | 'ExternalIP') =>
      server.admin.put(Node, {
        metadata: { name: 'node-1' },
        spec: { podCIDRs: ['10.10.1.0/24'] },
        status: { addresses: [{ type, address }] },
      });
    put('172.30.1.11', 'ExternalIP');
    await clock.advance(5_000);
    expect(agent.notReady()).toEqual([
      'Node node-1 has no valid address of type InternalIP; its kubelet sets one, by --node-ip',
    ]);
    put('172.30.1.99', 'InternalIP');
    await clock.advance(10_000);
    expect(agent.notReady()).toEqual([
      'no device of this machine has the address 172.30.1.99 of Node node-1; check that the agent runs on that Node, in its network',
    ]);
    put('172.30.1.11', 'InternalIP');
    await clock.advance(10_000);
    expect(agent.notReady()).toEqual([]);
    const logged = log.entries
      .map(({ message }) => message)
      .filter((message) => message.startsWith('the network of the Node is'));
    expect(logged).toEqual([
      'the network of the Node is written',
      'the network of the Node is not written',
      'the network of the Node is not written',
      'the network of the Node is written',
    ]);
  });

  test('notes why nothing is sent to other clusters: its Namespace, no other cluster, no gateway here, or none there', async () => {
    const elsewhere = await startAgent({ namespace: 'antrea-multicluster' });
    await elsewhere.clock.advance(5_000);
    expect(elsewhere.agent.notReady()).toEqual([]);
    expect(elsewhere.agent.notes()).toContainEqual(
      expect.stringContaining('Namespace antrea-multicluster contains neither a ClusterSet nor a ClusterInfoImport'),
    );
    const { clock, agent, server, putRemote, log } = await startAgent();
    const seen = async () => {
      await clock.advance(5_000);
      return agent.status().notes;
    };
    expect(await seen()).toEqual([]);
    putRemote(['fd00::1']);
    expect(await seen()).toEqual([
      {
        message:
          'nothing is sent to cluster west: its gateways do not have addresses of IPv4, as the Nodes of this cluster have',
        next: expect.stringContaining('multicluster.antrea.io/gateway-ip'),
      },
    ]);
    putRemote([]);
    expect(await seen()).toMatchObject([{ message: expect.stringMatching(/cluster west: it announces no gateway/) }]);
    server.admin.put(Node, {
      metadata: { name: 'node-1', annotations: {} },
      spec: { podCIDRs: ['10.10.1.0/24'] },
      status: { addresses: [{ type: 'InternalIP', address: '172.30.1.11' }] },
    });
    expect(await seen()).toEqual([
      {
        message: 'nothing is sent to other clusters: no Node of this cluster is a gateway',
        next: 'Mark a Node as a gateway: kubectl annotate node NODE multicluster.antrea.io/gateway=true',
      },
    ]);
    expect(log.entries.map(({ message }) => message)).toContain(agent.notes()[0]);
    server.admin.put(ClusterSet, {
      metadata: { name: 'fleet', namespace },
      spec: { clusterID: 'east', leaders: [{ clusterID: 'north' }] },
    });
    server.admin.delete(ClusterInfoImport, { namespace, name: 'west-clusterinfo' });
    expect(await seen()).toMatchObject([{ message: expect.stringMatching(/no other cluster announces its network/) }]);
    expect(agent.notReady()).toEqual([]);
  });

  test('notes a Lease that it cannot write, and what to do, until it can', async () => {
    const { clock, agent } = await startAgent({ namespace: 'antrea-multicluster' });
    await clock.advance(5_000);
    expect(agent.status().notes).toContainEqual({
      message: expect.stringMatching(
        /^Lease antrea-multicluster\/isthmus-gateway-node-1 cannot be written, .*namespaces "antrea-multicluster" not found/,
      ),
      next: expect.stringContaining('--namespace'),
    });
    const {
      clock: time,
      agent: other,
      server,
    } = await startAgent({ userInfo: serviceAccount(namespace, 'isthmus-agent') });
    const grant = (access: readonly Access[]) =>
      grantAccess(server.admin, {
        name: 'isthmus-agent',
        namespace,
        access,
        to: { kind: 'ServiceAccount', namespace, name: 'isthmus-agent' },
      });
    await time.advance(5_000);
    for (const name of ['nodes', 'clusterInfoImports', 'services'])
      expect(other.notReady()).toContainEqual(
        expect.stringMatching(new RegExp(`^${name} are not read yet: .*forbidden.*apply deploy/agent.yaml`)),
      );
    grant(agentAccess.filter(({ type }) => type !== Lease));
    await time.advance(30_000);
    expect(other.notReady()).toEqual([]);
    expect(other.status().notes).toEqual([
      {
        message: expect.stringMatching(/^Lease .*forbidden/),
        next: expect.stringContaining('apply deploy/agent.yaml'),
      },
    ]);
    grant(agentAccess);
    await time.advance(120_000);
    expect(other.notes()).toEqual([]);
  });

  test('reads the MTU again when a device changes', async () => {
    const { clock, world, written, lines } = await startAgent();
    await clock.advance(5_000);
    expect(written()).toContain('link set isthmus-gw mtu 1450 up');
    world.mtu = 9000;
    lines.ip?.('2: eth0: <BROADCAST,MULTICAST,UP> mtu 9000 qdisc noqueue');
    await clock.advance(1_000);
    expect(written()).toContain('link set isthmus-gw mtu 8950 up');
  });

  test('distinguishes by routes what is for Pods of its Node only where it has no Pod CIDR', async () => {
    const usesRoutes = async (podCIDRs: readonly string[]) => {
      const { clock, written } = await startAgent({ podCIDRs });
      await clock.advance(5_000);
      return written().some((line) => line.includes('fib daddr oifname { "eth0" } counter notrack'));
    };
    expect([await usesRoutes([]), await usesRoutes(['10.10.1.0/24'])]).toEqual([true, false]);
  });

  test('does not use a gateway of another cluster whose address is one of its Node, on whatever device, and stays a gateway itself', async () => {
    const { clock, agent, server, world, written, lines, putRemote } = await startAgent();
    world.local = ['10.10.1.1', '172.30.255.255'];
    const holder = () => server.admin.list(Lease)[0]?.spec?.holderIdentity;
    await clock.advance(5_000);
    putRemote(['10.10.1.1', '172.30.255.255', '172.30.2.13']);
    await clock.advance(20_000);
    expect([agent.notReady(), holder()]).toEqual([[], 'node-1']);
    expect(agent.problems().map(({ name, message }) => `${name}: ${message}`)).toEqual(
      ['10.10.1.1', '172.30.255.255'].map(
        (address) =>
          `west-clusterinfo: The gateway address ${address} of cluster west is not used: it is an address of this Node, or a broadcast address of one of its networks.`,
      ),
    );
    expect(written().join('\n')).toContain('172.30.2.13');
    // The bridge is removed.
    world.local = ['172.30.255.255'];
    lines.ip?.('Deleted 7: cni0    inet 10.10.1.1/24 scope global cni0');
    await clock.advance(1_000);
    expect(agent.problems()).toHaveLength(1);
    expect(written().join('\n')).toContain(' via 10.10.1.1 dev isthmus-gw ');
  });

  test('routes no range of another cluster that has a network of its Node in it, also one that comes later', async () => {
    const { clock, agent, server, world, written, lines } = await startAgent();
    await clock.advance(5_000);
    expect(written().join('\n')).toContain('10.20.0.0/16');
    world.routes = [{ dst: '10.20.7.0/24', dev: 'eth1', protocol: 'kernel', scope: 'link', flags: [] }];
    lines.ip?.('3: eth1    inet 10.20.7.1/24 scope global eth1');
    await clock.advance(1_000);
    expect(agent.problems().map(({ name, message }) => `${name}: ${message}`)).toEqual([
      'west-clusterinfo: Pod CIDR "10.20.0.0/16" of cluster west is not used: it overlaps with 10.20.7.0/24, a network of this Node.',
    ]);
    expect(written().filter((line) => line.includes('10.20.0.0/16') && line.startsWith('route del'))).not.toEqual([]);
    await clock.advance(11_000);
    const listed = () => server.admin.list(Lease).map(({ metadata }) => metadata.annotations?.[Annotation.localRanges]);
    expect(listed()[0]).toContain('network 10.20.7.0/24');
    world.routes = [];
    lines.ip?.('Deleted 3: eth1    inet 10.20.7.1/24 scope global eth1');
    await clock.advance(1_000);
    expect(agent.problems()).toEqual([]);
  });

  test('answers whether it encrypts packets', async () => {
    const [open, encrypted] = [await startAgent(), await startAgent({ wireGuardPort: 51_821 })];
    expect([open, encrypted].map(({ agent }) => agent.status().encryption)).toEqual(['none', 'wireGuard']);
  });

  test('answers with what it wants, what probes found, and which Services it translates', async () => {
    const { clock, agent, world } = await startAgent();
    expect(agent.status()).toMatchObject({ node: 'node-1', gateways: [], services: [] });
    // It does not know its desired network yet, so nothing in the kernel counts as a difference.
    expect(agent.status().desired).toBeUndefined();
    expect(agent.status().notReady).not.toEqual([]);
    world.cutOff.add('fe80::858:acff:fe1e:20b');
    await clock.advance(10_000);
    const { isGateway, notReady, encryption, gateways, desired } = agent.status();
    expect({ isGateway, notReady, encryption }).toEqual({ isGateway: true, notReady: [], encryption: 'none' });
    expect(gateways).toMatchObject([
      { address: '172.30.2.11', clusterID: 'west', device: 'isthmus-gw', state: 'dead', loss: 1 },
      { address: '172.30.2.12', clusterID: 'west', state: 'alive', roundTripMs: 1, loss: 0 },
    ]);
    expect(Object.keys(desired?.links ?? {})).toEqual(['isthmus-node', 'isthmus-gw']);
    expect(desired?.routes['7100 10.20.0.0/16']).toMatch(/^next hop \d+$/);
    expect(JSON.parse(JSON.stringify(agent.status()))).toMatchObject({ desired });
  });

  test('reports a CNI that bypasses nft, in its notes and on the Lease of its gateway, as long as it is there', async () => {
    const { clock, agent, server, world, log } = await startAgent({
      devices: ['eth0', 'bpfin.cali'],
      auditEveryMs: 60_000,
    });
    await clock.advance(10_000);
    expect(agent.notReady()).toEqual([]);
    expect(agent.notes()).toEqual([expect.stringMatching(/^Calico runs in its eBPF mode on this Node/)]);
    expect(agent.status().notes).toEqual([
      { message: agent.notes()[0], next: expect.stringMatching(/^Set what docs\/guides\/agent\.md lists for Calico/) },
    ]);
    const bypassedBy = () => server.admin.list(Lease)[0]?.metadata.annotations?.[Annotation.bypassedBy];
    expect(bypassedBy()).toBe('Calico');
    world.devices = ['eth0'];
    await clock.advance(120_000);
    expect([agent.notes(), bypassedBy()]).toEqual([[], undefined]);
    expect(log.entries.filter(({ message }) => message.includes('bypasses'))).toHaveLength(1);
  });

  test('uses a later nft where the usual one crashes, and reports that', async () => {
    const { clock, agent, written } = await startAgent({ nft: 'crashes' });
    await clock.advance(5_000);
    expect(agent.notReady()).toEqual([]);
    expect(written().join('\n')).toContain('10.20.0.0/16');
    expect(agent.status().notes).toEqual([
      {
        message: expect.stringContaining('nft crashed') as string,
        next: expect.stringContaining('"Nodes with a later nft"') as string,
      },
    ]);
  });

  test('reports a firewall that drops what is forwarded, in its notes and among the problems of its Node, as long as it is there', async () => {
    const { clock, agent, world, log } = await startAgent({ auditEveryMs: 60_000 });
    await clock.advance(10_000);
    expect(agent.notes()).toEqual([]);
    world.chains = [{ chain: { family: 'ip', table: 'filter', name: 'FORWARD', hook: 'forward', policy: 'drop' } }];
    await clock.advance(60_000);
    expect(agent.notes()).toEqual([expect.stringMatching(/^Chain FORWARD of the nft table ip filter drops/)]);
    const { problems } = viewNode({
      status: agent.status(),
      observed: { items: {}, dropped: {}, failures: [] },
    });
    expect(problems.map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/: Chain FORWARD of the nft table/),
    );
    expect(agent.notReady()).toEqual([]);
    world.chains = [];
    await clock.advance(120_000);
    expect(agent.notes()).toEqual([]);
    expect(log.entries.filter(({ message }) => message === 'a firewall may drop packets')).toHaveLength(1);
  });

  test('reports that the kernel of its Node does not forward packets of a family that its cluster has Pods of, as long as that is so', async () => {
    const { clock, agent, world, log } = await startAgent({ auditEveryMs: 60_000 });
    const setting = (family: string, forwarding: boolean) => ({ family, interface: 'all', forwarding });
    world.settings = [setting('inet', false), setting('inet6', false)];
    await clock.advance(120_000);
    expect(agent.status().notes).toEqual([
      {
        message: expect.stringMatching(
          /^the kernel of this Node forwards no packets of IPv4 \(net\.ipv4\.ip_forward is 0\)/,
        ) as string,
        next: expect.stringContaining('sysctl -w net.ipv4.ip_forward=1') as string,
      },
    ]);
    world.settings = [setting('inet', true), setting('inet6', false)];
    await clock.advance(120_000);
    expect(agent.notes()).toEqual([]);
    expect(log.entries.filter(({ message }) => message.includes('forwards no packets'))).toHaveLength(1);
  });

  test('reports that its Node has refused connections because its table of connections was full, until it no longer does', async () => {
    const { clock, agent, world, log } = await startAgent({ auditEveryMs: 60_000 });
    await clock.advance(120_000);
    expect(agent.notes()).toEqual([]);
    world.refused += 30;
    await clock.advance(60_000);
    expect(agent.status().notes).toEqual([
      {
        message: expect.stringMatching(
          /^the connection tracking table of this Node was full: it refused 30 /,
        ) as string,
        next: expect.stringContaining('net.netfilter.nf_conntrack_max') as string,
      },
    ]);
    expect(agent.notReady()).toEqual([]);
    await clock.advance(120_000);
    expect(agent.notes()).toEqual([]);
    expect(log.entries.filter(({ message }) => message.includes('was full'))).toHaveLength(1);
  });

  test('reports where it cannot find out whether its Node refuses connections, and looks at everything else all the same', async () => {
    const { clock, agent, world, log } = await startAgent({ auditEveryMs: 60_000 });
    world.missing.add('conntrack');
    world.settings = [{ family: 'inet', interface: 'all', forwarding: false }];
    await clock.advance(180_000);
    expect(agent.notes()).toEqual([
      expect.stringMatching(/^the kernel of this Node forwards no packets of IPv4/),
      expect.stringMatching(/^it is not known whether this Node drops new connections .*: cannot run conntrack/),
    ]);
    expect(agent.notReady()).toEqual([]);
    world.missing.clear();
    world.settings = [];
    await clock.advance(120_000);
    expect(agent.notes()).toEqual([]);
    expect(log.entries.filter(({ message }) => message.includes('drops new connections'))).toHaveLength(1);
  });

  test('writes what others removed: soon after a monitor saw it, and else at the next comparison', async () => {
    const { clock, written, lines, log } = await startAgent({ auditEveryMs: 600_000 });
    await clock.advance(10_000);
    expect(written()).not.toEqual([]);
    lines.nft?.('add rule ip nat KUBE-SERVICES accept');
    lines.ip?.('10.10.1.5 dev veth1 scope link');
    await clock.advance(10_000);
    expect(written()).toEqual([]);
    lines.nft?.('delete table inet isthmus');
    await clock.advance(3_000);
    expect(written()).toContain('add table inet isthmus');
    expect(log.entries.filter(({ message }) => message.includes('changed by others'))).toHaveLength(1);
    await clock.advance(60_000);
    written();
    await clock.advance(600_000);
    expect(written()).toContain('add table inet isthmus');
  });

  test('compares the network when a gateway stops answering, as its own entries may be the cause', async () => {
    const { clock, world, written } = await startAgent({ auditEveryMs: 600_000 });
    await clock.advance(10_000);
    written();
    world.cutOff.add('fe80::858:acff:fe1e:20b');
    await clock.advance(5_000);
    expect(written()).toContain('add table inet isthmus');
  });

  test('compares the network as soon as it can where the comparison failed', async () => {
    const { clock, agent, world, written, lines } = await startAgent({ auditEveryMs: 600_000 });
    await clock.advance(10_000);
    written();
    world.missing.add('ip');
    lines.nft?.('delete table inet isthmus');
    await clock.advance(3_000);
    expect(agent.notReady()).toEqual(['cannot run ip: spawn ip ENOENT']);
    world.missing.clear();
    await clock.advance(60_000);
    expect(agent.notReady()).toEqual([]);
    expect(written()).toContain('add table inet isthmus');
  });

  test('writes what is new while it cannot look at what else is on the Node, and reports that', async () => {
    const { clock, agent, world, written, putRemote } = await startAgent({ auditEveryMs: 60_000 });
    await clock.advance(10_000);
    world.unreadable = '{';
    await clock.advance(60_000);
    expect(agent.notReady()).toEqual([expect.stringContaining('JSON')]);
    written();
    putRemote(['172.30.2.13']);
    await clock.advance(60_000);
    expect(written().join('\n')).toContain('172.30.2.13');
    expect(agent.notReady()).toHaveLength(1);
    world.unreadable = undefined;
    await clock.advance(60_000);
    expect(agent.notReady()).toEqual([]);
  });

  test('makes the kernel forget flows of UDP whose endpoint has gone while no agent ran', async () => {
    const { clock, server, world, written } = await startAgent();
    server.admin.put(Namespace, { metadata: { name: 'shop' } });
    server.admin.put(Service, importedCart('10.96.0.80'));
    server.admin.put(EndpointSlice, importedCartEndpoints(['10.20.1.6']));
    const flow = (endpoint: string) =>
      `udp 17 29 src=10.10.1.5 dst=10.96.0.80 sport=40000 dport=80 src=${endpoint} dst=10.10.1.5 sport=8080 dport=40000`;
    world.flows = ['10.20.1.5', '10.20.1.6'].map(flow).join('\n');
    await clock.advance(10_000);
    expect(written().filter((line) => line.startsWith('conntrack'))).toEqual([
      'conntrack -D -f ipv4 -p udp --orig-dst 10.96.0.80 --orig-port-dst 80 --reply-src 10.20.1.5 --reply-port-src 8080',
    ]);
  });

  test('asks the kernel again to forget flows of UDP where that has failed, and warns once', async () => {
    const { clock, server, world, written, putRemote, log, agent } = await startAgent();
    server.admin.put(Namespace, { metadata: { name: 'shop' } });
    server.admin.put(Service, importedCart('10.96.0.80'));
    server.admin.put(EndpointSlice, importedCartEndpoints(['10.20.1.6']));
    world.flows = undefined;
    await clock.advance(10_000);
    expect(written().filter((line) => line.startsWith('conntrack'))).toEqual([]);
    putRemote(['172.30.2.14']);
    await clock.advance(10_000);
    expect(log.entries.filter(({ message }) => message.includes('UDP flows may continue'))).toHaveLength(1);
    expect(agent.status().notes).toContainEqual({
      message: expect.stringMatching(/^UDP flows may continue to endpoints that are gone/) as string,
      next: expect.stringContaining('the program conntrack') as string,
    });
    world.flows =
      'udp 17 29 src=10.10.1.5 dst=10.96.0.80 sport=40000 dport=80 src=10.20.1.5 dst=10.10.1.5 sport=8080 dport=40000';
    putRemote(['172.30.2.13']);
    await clock.advance(10_000);
    expect(written().filter((line) => line.startsWith('conntrack'))).toHaveLength(1);
    expect(agent.notes()).toEqual([]);
  });

  test('makes the kernel forget flows of UDP that somebody else translated while its table was missing', async () => {
    const { clock, server, world, written, lines } = await startAgent({ auditEveryMs: 600_000 });
    server.admin.put(Namespace, { metadata: { name: 'shop' } });
    server.admin.put(Service, importedCart('10.96.0.80'));
    server.admin.put(EndpointSlice, importedCartEndpoints(['10.20.1.6']));
    await clock.advance(10_000);
    written();
    // kube-proxy translates so: it knows only the ClusterIP in the other cluster.
    world.flows =
      'udp 17 29 src=10.10.1.5 dst=10.96.0.80 sport=40000 dport=80 src=10.238.5.131 dst=10.10.1.5 sport=80 dport=40000';
    lines.nft?.('delete table inet isthmus');
    await clock.advance(3_000);
    expect(written().filter((line) => line.startsWith('conntrack'))).toEqual([
      'conntrack -D -f ipv4 -p udp --orig-dst 10.96.0.80 --orig-port-dst 80 --reply-src 10.238.5.131 --reply-port-src 80',
    ]);
  });
});

import { askFrom, echoServer, flowServer, missingForNodes, openFlows } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { gatewayDevice, wireGuardDevice } from './desired/devices.ts';
import type { EncryptedLab } from './testing/encrypted-lab.ts';
import { startEncryptedLab } from './testing/encrypted-lab.ts';
import { observeNode } from './status/observe-node.ts';
import { arrivedErrors, icmpErrors } from './testing/icmp/icmp-errors.ts';
import { importedService } from './testing/imported-service.ts';
import { kernelState } from './testing/kernel-state.ts';

const clusterIP = '10.99.0.1';
const clusterIP6 = 'fd00:99::1';
const gateways = ['east-1', 'west-1'];
const protocols = ['TCP', 'UDP', 'SCTP'] as const;

describe.skipIf(missingForNodes(process.env).length > 0)('packets between two clusters that encrypt', () => {
  let lab: EncryptedLab;
  let state: Parameters<EncryptedLab['program']>[0];
  const untouched = new Map<string, unknown>();

  beforeAll(async () => {
    lab = await startEncryptedLab({ clusters: { east: { nodes: 2 }, west: { nodes: 2 } }, pods: ['one', 'two'] });
    for (const name of gateways) untouched.set(name, await kernelState(lab.node(name).place.run));
    const services = [
      ...protocols.map((protocol) => importedService(clusterIP, { protocol, endpoints: [lab.pod('west-2').address] })),
      importedService(clusterIP6, { protocol: 'UDP', endpoints: [lab.pod('west-2').address6] }),
    ];
    state = { gateways, services };
    await lab.program(state);
    for (const name of ['west-1', 'west-2']) await lab.pod(name).start(...echoServer(name));
    await lab.pod('west-2', 'two').start(...flowServer());
    for (const name of gateways) await lab.node(name).place.run('nft', ['-f', '-'], countArrivals);
  });
  afterAll(() => lab?.[Symbol.asyncDispose]());

  /** The packets that have arrived at a gateway from the network, by destination port. */
  const arrived = async (name: string) => {
    const { stdout } = await lab.node(name).place.run('nft', ['list', 'table', 'inet', 'test']);
    const count = (port: number) => Number(new RegExp(`dport ${port}.* counter packets (\\d+)`).exec(stdout)?.[1]);
    return { plain: count(8479), encrypted: count(51_821) };
  };
  const counted = async (name: string, chain: string) => {
    const { stdout } = await lab.node(name).place.run('nft', ['list', 'chain', 'inet', 'isthmus', chain]);
    return [...stdout.matchAll(/counter packets (\d+)/g)].reduce((sum, [, packets]) => sum + Number(packets), 0);
  };
  const probe = (protocol: (typeof protocols)[number], name: string) =>
    ({ protocol, address: lab.pod(name).address, port: 8080 }) as const;

  test('reach Pods and the imported Service from both Nodes, and nothing on the wire between the gateways is plain', async () => {
    for (const client of ['east-1', 'east-2'])
      for (const protocol of protocols) {
        const own = lab.pod(client).address;
        const answers = await askFrom(lab.pod(client), [
          probe(protocol, 'west-1'),
          probe(protocol, 'west-2'),
          { protocol, address: clusterIP, port: 80 },
        ]);
        expect(answers).toEqual([`west-1 ${own}`, `west-2 ${own}`, `west-2 ${own}`]);
      }
    const { plain, encrypted } = await arrived('west-1');
    // Only tunnels between Nodes of one cluster are plain, and no packet of another cluster comes
    // through them.
    expect(encrypted).toBeGreaterThan(20);
    expect(plain).toBe(0);
  });

  test('are as large as they need to be: a megabyte comes back', async () => {
    const bytes = 1 << 20;
    await lab
      .pod('west-2')
      .start(process.execPath, ['-e', `require('net').createServer((c) => c.pipe(c)).listen(9000)`]);
    const client = `
      const wanted = ${bytes};
      const connect = () => {
        const socket = require('net').connect(9000, '${lab.pod('west-2').address}', () => socket.write(Buffer.alloc(wanted)));
        let got = 0;
        socket.on('data', ({ length }) => (got += length) === wanted && (console.log(got), process.exit()));
        socket.on('error', () => setTimeout(connect, 50));
      };
      connect();`;
    const { stdout } = await lab.pod('east-2').run(process.execPath, ['-e', client]);
    expect(stdout.trim()).toBe(String(bytes));
  });

  test.for(['IPv4', 'IPv6'] as const)(
    'that Nodes of the other cluster cannot deliver are reported to the client at once, which then sends smaller ones or ends: %s',
    async (family, { annotate }) => {
      const service = { address: family === 'IPv4' ? clusterIP : clusterIP6, port: 80 };
      const { outcomes, longestMs } = await icmpErrors(lab, family, service);
      expect(outcomes).toEqual(arrivedErrors(family));
      await annotate(`${longestMs} ms at most`);
    },
  );

  test('are dropped when they come in the clear, even from the address of a gateway', async () => {
    const dropped = await counted('west-1', 'tunnel-packets');
    // This gateway sends the packets of its tunnel without WireGuard.
    const { place } = lab.node('east-1');
    await place.run('nft', ['flush', 'chain', 'inet', 'isthmus', 'encrypted']);
    await place.run('ip', ['rule', 'del', 'priority', '497']);
    expect(await askFrom(lab.pod('east-1'), [{ ...probe('UDP', 'west-1'), waitMs: 3_000 }])).toEqual(['no answer']);
    expect(await counted('west-1', 'tunnel-packets')).toBeGreaterThan(dropped);
    lab.restart('east-1');
    await lab.program(state);
    expect(await askFrom(lab.pod('east-1'), [probe('UDP', 'west-1')])).toEqual([`west-1 ${lab.pod('east-1').address}`]);
  });

  test('do not leave when the device is gone, until it is there again with another key; no connection is lost', async () => {
    const flows = await openFlows(lab.pod('east-2'), {
      address: lab.pod('west-2', 'two').address,
      port: 8080,
      tcp: 10,
      udp: 10,
    });
    const key = lab.writer('east-1').publicKey;
    const plain = (await arrived('west-1')).plain;
    await lab.node('east-1').place.run('ip', ['link', 'del', wireGuardDevice]);
    while ((await counted('east-1', 'encrypted')) === 0) await new Promise((resolve) => setTimeout(resolve, 50));
    expect((await arrived('west-1')).plain).toBe(plain);
    lab.restart('east-1');
    await lab.program(state);
    expect(lab.writer('east-1').publicKey).not.toBe(key);
    expect((await flows.stop()).lost).toEqual([]);
  });

  test('keep the key of a gateway when its agent starts again, and write nothing', async () => {
    const key = lab.writer('east-1').publicKey;
    const before = await kernelState(lab.node('east-1').place.run);
    lab.restart('east-1');
    await lab.program(state);
    expect(lab.writer('east-1').publicKey).toBe(key);
    expect(await kernelState(lab.node('east-1').place.run)).toEqual(before);
  });

  test('are seen with their peers, and no private key is read', async () => {
    const { run } = lab.node('east-1').place;
    const printed: string[] = [];
    const observed = await observeNode(async (...call) => {
      const result = await run(...call);
      printed.push(result.stdout);
      return result;
    });
    expect(observed.failures).toEqual([]);
    expect(observed.wireGuard).toEqual({
      device: wireGuardDevice,
      publicKey: lab.writer('east-1').publicKey,
      peers: [
        {
          publicKey: lab.writer('west-1').publicKey,
          latestHandshake: expect.any(Number),
          receivedBytes: expect.any(Number),
          sentBytes: expect.any(Number),
        },
      ],
    });
    expect(observed.dropped['encrypted'] ?? 0).toBeGreaterThanOrEqual(0);
    const { stdout } = await run('wg', ['show', wireGuardDevice, 'private-key']);
    expect(stdout.trim()).toMatch(/^[A-Za-z0-9+/]{43}=$/);
    expect(printed.join('\n')).not.toContain(stdout.trim());
  });

  test('take the device that a process outside of the agent has made, and the agent, which cannot make one, gives it a key', async () => {
    const { place } = lab.node('east-1');
    const key = lab.writer('east-1').publicKey;
    await place.run('ip', ['link', 'del', wireGuardDevice]);
    lab.restart('east-1', 'wireguard-go');
    const later = importedService('10.99.0.2', { protocol: 'TCP', endpoints: [lab.pod('west-2').address] });
    await expect(lab.program({ ...state, services: [...state.services, later] })).rejects.toThrow(
      /cannot create WireGuard device isthmus-wg[^]*wireguard\.yaml/,
    );
    // Everything that needs no encryption is still written.
    const { stdout: translated } = await place.run('nft', ['list', 'map', 'inet', 'isthmus', 'services4']);
    expect(translated).toContain('10.99.0.2');
    // The Pod `isthmus-wireguard` runs this command.
    await place.start('wireguard', 'wireguard-go', ['--foreground', wireGuardDevice]);
    const publicKey = async () => (await place.run('wg', ['show', wireGuardDevice, 'public-key'])).stdout.trim();
    while ((await publicKey()) !== '(none)') await new Promise((resolve) => setTimeout(resolve, 50));
    await lab.program(state);
    expect(lab.writer('east-1').publicKey).toBe(await publicKey());
    expect(lab.writer('east-1').publicKey).not.toBe(key);
    expect(await askFrom(lab.pod('east-1'), [probe('UDP', 'west-1')])).toEqual([`west-1 ${lab.pod('east-1').address}`]);
  });

  test('leave room for encryption: the tunnel is smaller', async () => {
    const { stdout } = await lab.node('east-1').place.run('ip', ['-j', 'link', 'show', gatewayDevice]);
    expect(JSON.parse(stdout)).toMatchObject([{ mtu: 1500 - 60 - 50 }]);
  });

  test('and nothing of it is left when it is removed', async () => {
    for (const name of gateways) {
      const { run } = lab.node(name).place;
      await lab.writer(name).remove();
      await run('nft', ['delete', 'table', 'inet', 'test']);
      expect(await kernelState(run)).toEqual(untouched.get(name));
      expect((await run('ip', ['link', 'show', wireGuardDevice])).code).not.toBe(0);
    }
  });
});

/** Counts tunnel packets that arrive at the device of the Node. */
const countArrivals = `table inet test {
  chain arrivals {
    type filter hook prerouting priority -350
    iifname "eth0" udp dport 8479 @th,96,24 7002 counter
    iifname "eth0" udp dport 51821 counter
  }
}
`;

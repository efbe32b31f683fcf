import { askFrom, echoServer, missingForNodes } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { desiredNetwork } from './desired/desired-network.ts';
import { createNetworkWriter } from './kernel/network-writer.ts';
import { labNetwork } from './testing/lab-network.ts';
import { importedService } from './testing/imported-service.ts';
import type { LabState, ProgrammedLab } from './testing/programmed-lab.ts';
import { startProgrammedLab } from './testing/programmed-lab.ts';

const families = ['IPv4', 'IPv6'] as const;
const clusterIP = { IPv4: '10.99.0.1', IPv6: 'fd00:99::1' } as const;
/** The affinity of this Service lasts longer than any test, even on a slow machine. */
const affinitySeconds = 10_800;

describe.skipIf(missingForNodes(process.env).length > 0)('clients of an imported Service', () => {
  let lab: ProgrammedLab;
  const servers = ['west-1', 'west-2', 'west-3', 'west-4'];
  const gateways = ['east-1', 'west-1'];

  beforeAll(async () => {
    lab = await startProgrammedLab({ clusters: { east: { nodes: 2 }, west: { nodes: 4 } } });
    for (const name of [...servers, 'east-1']) await lab.pod(name).start(...echoServer(name));
  });
  afterAll(() => lab?.[Symbol.asyncDispose]());

  const addressOf = (name: string, family: 'IPv4' | 'IPv6') =>
    family === 'IPv4' ? lab.pod(name).address : lab.pod(name).address6;
  const stateOf = (
    names: readonly string[],
    options: Parameters<typeof importedService>[1] | object = {},
  ): LabState => ({
    gateways,
    services: families.flatMap((family) =>
      (['TCP', 'UDP'] as const).map((protocol) =>
        importedService(clusterIP[family], {
          ...options,
          protocol,
          endpoints: names.map((name) => addressOf(name, family)),
        }),
      ),
    ),
  });
  /**
   * The names of the servers that answer a client with affinity, one for each connection.
   * Connections that begin at the same moment on two processors, before there is an affinity, each
   * get an endpoint of their own, as with kube-proxy. One connection is therefore made first.
   */
  const keptOf = async (client: string, family: 'IPv4' | 'IPv6') => {
    await askedOf(client, family, 2);
    return askedOf(client, family, 24);
  };
  /** The names of the servers that answer a client, one for each connection. */
  const askedOf = async (client: string, family: 'IPv4' | 'IPv6', times: number) => {
    const probes = Array.from({ length: times }, (_, index) => ({
      protocol: index % 2 === 0 ? ('TCP' as const) : ('UDP' as const),
      address: clusterIP[family],
      port: 80,
    }));
    const answers = await askFrom(lab.pod(client), probes);
    return {
      TCP: new Set(answers.filter((_, index) => index % 2 === 0).map((answer) => answer.split(' ')[0])),
      UDP: new Set(answers.filter((_, index) => index % 2 === 1).map((answer) => answer.split(' ')[0])),
    };
  };

  test.each(families)(
    'keep their endpoint with session affinity, also when the agent starts again and others come, and get another when it goes: %s',
    async (family) => {
      await lab.program(stateOf(servers, { affinitySeconds }));
      const first = await keptOf('east-2', family);
      expect([first.TCP.size, first.UDP.size]).toEqual([1, 1]);

      // A new agent writes the same network, and then a network with fewer endpoints.
      const { place } = lab.node('east-2');
      const writer = createNetworkWriter(place.run);
      const write = (state: LabState) => writer.write(desiredNetwork(labNetwork(lab, lab.node('east-2'), state)));
      await write(stateOf(servers, { affinitySeconds }));
      expect(await keptOf('east-2', family)).toEqual(first);
      const [kept = ''] = first.TCP;
      await write(stateOf([kept, ...servers.filter((name) => name !== kept).slice(1)], { affinitySeconds: 7_200 }));
      expect((await keptOf('east-2', family)).TCP).toEqual(first.TCP);

      await write(
        stateOf(
          servers.filter((name) => name !== kept),
          { affinitySeconds },
        ),
      );
      const then = await keptOf('east-2', family);
      expect(then.TCP.size).toBe(1);
      expect(then.TCP).not.toEqual(first.TCP);
      await write(stateOf(servers, { affinitySeconds }));
    },
  );

  test('get another endpoint when the time of their affinity is over', async () => {
    await lab.program(stateOf(servers, { affinitySeconds: 1 }));
    const seen = new Set<string | undefined>();
    while (seen.size < 2) {
      for (const name of (await askedOf('east-1', 'IPv4', 2)).TCP) seen.add(name);
      await new Promise((resolve) => void setTimeout(resolve, 1_100));
    }
  });

  test.each(families)(
    'keep their endpoint of UDP when kube-proxy deletes their flow, as it does not know the Pods behind a ClusterIP of another cluster, and others get theirs: %s',
    async (family) => {
      await lab.program(stateOf(servers));
      expect((await askedOf('east-2', family, 64)).UDP).toEqual(new Set(servers));
      // Always from the same port, until there is an answer.
      const script = `
        const socket = require('node:dgram').createSocket('udp${family === 'IPv4' ? 4 : 6}');
        socket.on('message', (answer) => { console.log(String(answer)); process.exit(); });
        const ask = () => socket.send('x', 80, '${clusterIP[family]}');
        socket.bind(20_053, () => { ask(); setInterval(ask, 1_000); });`;
      const seen = new Set<string | undefined>();
      for (let times = 0; times < 8; times++) {
        const { stdout } = await lab.pod('east-2').run(process.execPath, ['-e', script]);
        seen.add(stdout.split(' ')[0]);
        const flow = ['-f', family.toLowerCase(), '-p', 'udp', '--orig-dst', clusterIP[family]];
        expect(await lab.node('east-2').place.run('conntrack', ['-D', ...flow])).toMatchObject({ code: 0 });
      }
      expect(seen.size).toBe(1);
    },
  );

  test.each(families)(
    'are refused at once while it has no endpoints, from Pods and from the network of a Node: %s',
    async (family) => {
      await lab.program(stateOf([]));
      for (const host of [lab.pod('east-2'), lab.node('east-2').place]) {
        const script = `
        const net = require('node:net'), dgram = require('node:dgram');
        const address = '${clusterIP[family]}';
        net.connect(80, address).on('error', (error) => console.log('TCP ' + error.code)).on('connect', () => console.log('TCP connected'));
        const udp = dgram.createSocket('udp${family === 'IPv4' ? 4 : 6}');
        udp.on('error', (error) => { console.log('UDP ' + error.code); udp.close(); });
        udp.connect(80, address, () => udp.send('x'));`;
        const { stdout } = await host.run(process.execPath, ['-e', script]);
        expect(stdout.trim().split('\n').toSorted()).toEqual(['TCP ECONNREFUSED', 'UDP ECONNREFUSED']);
      }
    },
  );

  test('reach endpoints of their own cluster among those of others, their own Pod too', async () => {
    const own = 'east-1';
    await lab.program(stateOf([own, 'west-1']));
    for (const client of [own, 'east-2']) {
      const { TCP, UDP } = await askedOf(client, 'IPv4', 48);
      expect([TCP, UDP]).toEqual([new Set([own, 'west-1']), new Set([own, 'west-1'])]);
    }
  });
});

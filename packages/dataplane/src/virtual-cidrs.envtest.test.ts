import { askFrom, echoServer, missingForNodes } from '@isthmus/testkit';
import type { Family } from '@isthmus/machinery';
import { addressText } from '@isthmus/machinery';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withPrefix } from './desired/virtual-cidrs.ts';
import { address, cidr } from './testing/addresses.ts';
import { importedService } from './testing/imported-service.ts';
import { writeKubeProxy } from './testing/kube-proxy.ts';
import type { ProgrammedLab } from './testing/programmed-lab.ts';
import { startProgrammedLab } from './testing/programmed-lab.ts';

const families = ['IPv4', 'IPv6'] as const;
const protocols = ['TCP', 'UDP', 'SCTP'] as const;
/** The virtual ranges of east and west, whose Pods have the same addresses. */
const virtual = { east: ['100.64.0.0/16', 'fd00:64:1::/48'], west: ['100.65.0.0/16', 'fd00:64:2::/48'] } as const;
const clusterIP = { IPv4: '10.99.0.1', IPv6: 'fd00:99::1' } as const;

describe.skipIf(missingForNodes(process.env).length > 0)('clusters whose Pods have the same addresses', () => {
  let lab: ProgrammedLab;

  beforeAll(async () => {
    const podNetwork = '10.77';
    lab = await startProgrammedLab({
      clusters: { east: { nodes: 2, podNetwork }, west: { nodes: 2, podNetwork }, south: { nodes: 1 } },
    });
    for (const name of ['east-1', 'west-1', 'west-2', 'south-1']) await lab.pod(name).start(...echoServer(name));
    const services = families.flatMap((family) =>
      protocols.map((protocol) =>
        importedService(clusterIP[family], {
          protocol,
          endpoints: ['west-1', 'west-2'].map((name) => knownAs(name, 'west', family)),
        }),
      ),
    );
    const layout = lab.clusters['west']?.layout ?? expect.fail('there is no cluster west');
    const exported = layout.serviceCIDR.replace(/0\/16$/, '10');
    const behind = { clusterIP: exported, port: 80, endpoints: [{ address: lab.pod('west-2').address, port: 8080 }] };
    for (const name of ['west-1', 'west-2'])
      await writeKubeProxy(lab.node(name).place, layout, { mode: 'nftables', services: [behind] });
    const throughClusterIP = protocols.map((protocol) => {
      const service = importedService('10.99.0.2', { protocol, endpoints: [exported] });
      return { ...service, name: 'exported', endpoints: service.endpoints.map((one) => ({ ...one, port: 80 })) };
    });
    await lab.program({
      gateways: ['east-1', 'west-1', 'south-1'],
      services: [...services, ...throughClusterIP],
      exported: { west: [exported] },
      virtual,
    });
  });
  afterAll(() => lab?.[Symbol.asyncDispose]());

  const own = (name: string, family: Family) => (family === 'IPv4' ? lab.pod(name).address : lab.pod(name).address6);
  const inVirtual = (text: string, cluster: keyof typeof virtual, family: Family) => {
    const range = cidr(virtual[cluster][family === 'IPv4' ? 0 : 1]);
    return addressText({ family, value: withPrefix(address(text), range) });
  };
  const knownAs = (name: string, cluster: keyof typeof virtual, family: Family) =>
    inVirtual(own(name, family), cluster, family);
  const ask = (host: Parameters<typeof askFrom>[0], addresses: readonly string[], port: number) =>
    askFrom(
      host,
      addresses.flatMap((one) => protocols.map((protocol) => ({ protocol, address: one, port }))),
    );

  test.each(families)(
    'reach each other and a third one under virtual addresses, from Pods and Nodes, on gateways and elsewhere: %s',
    async (family) => {
      expect(own('east-1', family)).toBe(own('west-1', family));
      for (const name of ['east-1', 'east-2']) {
        const { place, layout } = lab.node(name);
        const [back = ''] = (family === 'IPv4' ? layout.podCIDR : layout.podCIDR6).split('/');
        for (const [host, client] of [
          [lab.pod(name), knownAs(name, 'east', family)],
          [place, inVirtual(back, 'east', family)],
        ] as const) {
          const pods = [...['west-1', 'west-2'].map((one) => knownAs(one, 'west', family)), own('south-1', family)];
          expect(await ask(host, pods, 8080)).toEqual(
            ['west-1', 'west-2', 'south-1'].flatMap((server) => protocols.map(() => `${server} ${client}`)),
          );
          const answers = await ask(
            host,
            Array.from({ length: 8 }, () => clusterIP[family]),
            80,
          );
          expect(new Set(answers)).toEqual(new Set([`west-1 ${client}`, `west-2 ${client}`]));
        }
      }
      expect(await ask(lab.pod('south-1'), [knownAs('west-2', 'west', family)], 8080)).toEqual(
        protocols.map(() => `west-2 ${own('south-1', family)}`),
      );
    },
  );

  test('reach the ClusterIP of a Service of each other', async () => {
    const [back = ''] = lab.node('west-1').layout.podCIDR.split('/');
    for (const host of [lab.pod('east-1'), lab.pod('east-2'), lab.node('east-2').place])
      expect(await ask(host, ['10.99.0.2'], 80)).toEqual(protocols.map(() => `west-2 ${back}`));
  });

  test.each(families)('get errors of ICMP about what they send to virtual addresses: %s', async (family) => {
    const script = `
      const udp = require('node:dgram').createSocket('udp${family === 'IPv4' ? 4 : 6}');
      udp.on('error', ({ code }) => { console.log(code); udp.close(); clearInterval(again); });
      const again = setInterval(() => udp.send('x'), 500);
      udp.connect(9, '${knownAs('west-2', 'west', family)}', () => udp.send('x'));`;
    const { stdout } = await lab.pod('east-2').run(process.execPath, ['-e', script]);
    expect(stdout.trim()).toBe('ECONNREFUSED');
  });

  test.each(families)(
    'reach their own Pods under their own addresses, which nobody else reaches: %s',
    async (family) => {
      expect(await ask(lab.pod('east-2'), [own('east-1', family)], 8080)).toEqual(
        protocols.map(() => `east-1 ${own('east-2', family)}`),
      );
    },
  );
});

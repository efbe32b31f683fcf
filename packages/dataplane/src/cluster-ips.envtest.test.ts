import { askFrom, echoServer, flowServer, missingForNodes, openFlows } from '@isthmus/testkit';
import type { Host } from '@isthmus/testkit';
import type { Family } from '@isthmus/machinery';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { importedService } from './testing/imported-service.ts';
import type { LabService, ProxyMode } from './testing/kube-proxy.ts';
import { proxyModes, writeKubeProxy } from './testing/kube-proxy.ts';
import type { LabState, ProgrammedLab } from './testing/programmed-lab.ts';
import { startProgrammedLab } from './testing/programmed-lab.ts';

const families = ['IPv4', 'IPv6'] as const;
const protocols = ['TCP', 'UDP', 'SCTP'] as const;
/**
 * Long enough for an answer on a machine that is very busy. If there is no answer, only this time
 * is lost.
 */
const silenceMs = 3_000;

/**
 * Services of west, by their backends: `name`, the address of the import in east, and the ClusterIP
 * in west, by the last number of both.
 */
const backends = [
  'a Pod on the gateway',
  'a Pod on another Node',
  'a Node',
  'the gateway',
  'a host elsewhere',
] as const;
type Backend = (typeof backends)[number];

describe.skipIf(missingForNodes(process.env).length > 0)('the ClusterIP of an exported Service', () => {
  let lab: ProgrammedLab;
  let mode: ProxyMode = 'nftables';

  beforeAll(async () => {
    lab = await startProgrammedLab({ clusters: { east: { nodes: 3 }, west: { nodes: 3 }, other: { nodes: 1 } } });
    await lab.pod('west-1').start(...echoServer('west-1'));
    await lab.pod('west-3').start(...echoServer('west-3'));
    await lab.pod('west-2').start(...flowServer());
    for (const name of ['west-1', 'west-3', 'other-1']) {
      const [program, args] = echoServer(`host ${name}`.replace(' ', '-'));
      await lab.node(name).place.start('echo', program, [...args, '9090']);
    }
  });
  afterAll(() => lab?.[Symbol.asyncDispose]());

  const imported = (backend: Backend, family: Family) => {
    const number = backends.indexOf(backend) + 10;
    return family === 'IPv4' ? `10.99.0.${number}` : `fd00:99::${number}`;
  };
  const clusterIP = (backend: Backend, family: Family) => {
    const number = backends.indexOf(backend) + 10;
    const { serviceCIDR, serviceCIDR6 } = west();
    return family === 'IPv4' ? serviceCIDR.replace(/0\/16$/, `${number}`) : serviceCIDR6.replace(/\/112$/, `${number}`);
  };
  const west = () => lab.clusters['west']?.layout ?? expect.fail('there is no cluster west');
  const endOf = (backend: Backend, family: Family): LabService['endpoints'][number] => {
    const own = <T extends { readonly address: string; readonly address6: string }>({ address, address6 }: T) =>
      family === 'IPv4' ? address : address6;
    switch (backend) {
      case 'a Pod on the gateway':
        return { address: own(lab.pod('west-1')), port: 8080 };
      case 'a Pod on another Node':
        return { address: own(lab.pod('west-3')), port: 8080 };
      case 'a Node':
        return { address: own(lab.node('west-3').layout), port: 9090 };
      case 'the gateway':
        return { address: own(lab.node('west-1').layout), port: 9090 };
      case 'a host elsewhere':
        return { address: own(lab.node('other-1').layout), port: 9090 };
    }
  };
  /**
   * The answer of the backend: how it answers, and the address at which it sees the client.
   * `client`: the client's own address.
   */
  const answerOf = (backend: Backend, family: Family, client: string): string => {
    const { layout } = lab.node('west-1');
    const gateway = family === 'IPv4' ? layout.address : layout.address6;
    const [back = ''] = (family === 'IPv4' ? layout.podCIDR : layout.podCIDR6).split('/');
    switch (backend) {
      case 'a Pod on the gateway':
        return `west-1 ${gateway}`;
      case 'a Pod on another Node':
        return `west-3 ${back}`;
      case 'a Node':
        return `host-west-3 ${gateway}`;
      case 'the gateway':
        return `host-west-1 ${client}`;
      case 'a host elsewhere':
        return `host-other-1 ${gateway}`;
    }
  };
  const stateOf = (family: Family, state: Partial<LabState> = {}): LabState => ({
    gateways: ['east-1', 'west-1', 'west-2'],
    services: backends.flatMap((backend) =>
      protocols.map((protocol) => {
        const service = importedService(imported(backend, family), {
          protocol,
          endpoints: [clusterIP(backend, family)],
        });
        const endpoints = service.endpoints.map((one) => ({ ...one, port: 80 }));
        return { ...service, name: backend.replaceAll(' ', '-'), endpoints };
      }),
    ),
    exported: { west: backends.map((backend) => clusterIP(backend, family)) },
    serviceFamily: family,
    ...state,
  });
  const writeProxies = async (endpointsOf = (backend: Backend, family: Family) => [endOf(backend, family)]) => {
    const services = families.flatMap((family) =>
      backends.map((backend): LabService => ({
        clusterIP: clusterIP(backend, family),
        port: 80,
        endpoints: endpointsOf(backend, family),
      })),
    );
    for (const name of ['west-1', 'west-2', 'west-3'])
      await writeKubeProxy(lab.node(name).place, west(), { mode, services });
  };
  const ask = (host: Host, addresses: readonly string[], waitMs?: number, port = 80) =>
    askFrom(
      host,
      addresses.flatMap((address) => protocols.map((protocol) => ({ protocol, address, port, waitMs }))),
    );

  test.each(proxyModes.flatMap((proxy) => families.map((family) => [proxy, family] as const)))(
    'is reached from Pods and Nodes, on gateways and elsewhere, whatever is behind it, where kube-proxy is in mode %s: %s',
    async (proxy, family) => {
      mode = proxy;
      await writeProxies();
      await lab.program(stateOf(family));
      for (const name of ['east-1', 'east-3']) {
        const { place, layout } = lab.node(name);
        const [back = ''] = (family === 'IPv4' ? layout.podCIDR : layout.podCIDR6).split('/');
        const pod = lab.pod(name);
        for (const [host, client] of [
          [pod, family === 'IPv4' ? pod.address : pod.address6],
          [place, back],
        ] as const) {
          const answers = await ask(
            host,
            backends.map((backend) => imported(backend, family)),
          );
          expect(answers, `${name} ${client}`).toEqual(
            backends.flatMap((backend) => protocols.map(() => answerOf(backend, family, client))),
          );
        }
      }
    },
  );

  test.each(proxyModes)(
    'refuses TCP at once where it has no endpoints or no such port, and is not reached where its Service is not exported, kube-proxy in mode %s',
    async (proxy) => {
      mode = proxy;
      await writeProxies((backend, family) => (backend === 'a Node' ? [] : [endOf(backend, family)]));
      const [exported, elsewhere] = ['a Pod on another Node', 'a Node'] as const;
      const state = stateOf('IPv4');
      const otherPort = state.services.map((service) => ({
        ...service,
        port: 81,
        endpoints: service.endpoints.map((one) => ({ ...one, port: 81 })),
      }));
      await lab.program({
        ...state,
        services: [...state.services, ...otherPort],
        exported: { west: [clusterIP(exported, 'IPv4'), clusterIP(elsewhere, 'IPv4')] },
      });
      const refused = async (address: string, port: number) => {
        const script = `
          const socket = require('node:net').connect(${port}, '${address}');
          socket.on('error', ({ code }) => console.log(code)).setTimeout(10_000, () => socket.destroy());`;
        return (await lab.pod('east-3').run(process.execPath, ['-e', script])).stdout.trim();
      };
      expect(await refused(imported(elsewhere, 'IPv4'), 80)).toBe('ECONNREFUSED');
      expect(await refused(imported(exported, 'IPv4'), 81)).toBe('ECONNREFUSED');
      const misdirected = async () => {
        const { stdout } = await lab
          .node('west-1')
          .place.run('nft', ['list', 'chain', 'inet', 'isthmus', 'from-clusters']);
        return Number(/ip daddr != @exported4 counter packets (\d+)/.exec(stdout)?.[1]);
      };
      const before = await misdirected();
      expect(await ask(lab.pod('east-3'), [imported('a Pod on the gateway', 'IPv4')], silenceMs)).toEqual(
        protocols.map(() => 'no answer'),
      );
      expect(await misdirected()).toBeGreaterThan(before);
      expect(await ask(lab.pod('east-3'), [imported(exported, 'IPv4')])).toEqual(
        protocols.map(() => answerOf(exported, 'IPv4', '')),
      );
    },
  );

  test('keeps its connections while other gateways of both clusters go and come, and has the next one of its cluster when its own goes', async () => {
    mode = 'nftables';
    await writeProxies();
    const backend = 'a Pod on another Node';
    const all = ['east-1', 'east-2', 'west-1', 'west-2'];
    const use = (gateways: readonly string[]) => lab.program(stateOf('IPv4', { gateways }));
    await use(all);
    await writeProxies((_, family) => [
      { address: family === 'IPv4' ? lab.pod('west-2').address : lab.pod('west-2').address6, port: 8080 },
    ]);
    const flows = await openFlows(lab.pod('east-3'), {
      address: imported(backend, 'IPv4'),
      port: 80,
      tcp: 20,
      udp: 10,
    });
    for (const gone of ['east-1', 'east-2', 'west-2']) {
      await use(all.filter((name) => name !== gone));
      await use(all);
    }
    expect(await flows.stop()).toMatchObject({ flows: 30, lost: [] });

    await writeProxies();
    await use(all.filter((name) => name !== 'west-1'));
    const [back = ''] = lab.node('west-2').layout.podCIDR.split('/');
    expect(await ask(lab.pod('east-3'), [imported(backend, 'IPv4')])).toEqual(protocols.map(() => `west-3 ${back}`));
  });
});

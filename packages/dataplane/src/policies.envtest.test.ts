import { askFrom, echoServer, flowServer, missingForNodes, openFlows } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EgressClass } from './desired/cluster-network.ts';
import { address } from './testing/addresses.ts';
import { importedService } from './testing/imported-service.ts';
import type { LabState, ProgrammedLab } from './testing/programmed-lab.ts';
import { startProgrammedLab } from './testing/programmed-lab.ts';

const families = ['IPv4', 'IPv6'] as const;
const denied = { IPv4: '10.99.0.1', IPv6: 'fd00:99::1' } as const;
const other = { IPv4: '10.99.0.2', IPv6: 'fd00:99::2' } as const;
const waitMs = 1_000;
/** A gateway, and another Node. */
const clients = ['east-1', 'east-2'] as const;

describe.skipIf(missingForNodes(process.env).length > 0)('an imported Service that a policy denies', () => {
  let lab: ProgrammedLab;
  beforeAll(async () => {
    lab = await startProgrammedLab({ clusters: { east: { nodes: 2 }, west: { nodes: 1 } }, pods: ['one', 'two'] });
    await lab.pod('west-1').start(...echoServer('west-1'));
    await lab.pod('west-1', 'two').start(...flowServer());
    await lab.pod('east-2', 'two').start(...echoServer('own'));
  });
  afterAll(() => lab?.[Symbol.asyncDispose]());

  const addressesOf = (name: string, pod?: string) => {
    const { address: four, address6: six } = lab.pod(name, pod);
    return [address(four), address(six)];
  };
  /** Denies Service `shop/cart` to Pod `one` of both Nodes, or to the network of both. */
  const stateWith = (
    verdict: 'drop' | 'reject' | undefined,
    to: 'pod' | 'node' = 'pod',
    server?: string,
  ): LabState => ({
    gateways: ['east-1', 'west-1'],
    services: families.flatMap((family) =>
      (['TCP', 'UDP'] as const).flatMap((protocol) => {
        const { address: four, address6: six } = lab.pod('west-1', server);
        const endpoints = [family === 'IPv4' ? four : six];
        const own = family === 'IPv4' ? lab.pod('east-2', 'two').address : lab.pod('east-2', 'two').address6;
        return [
          // Backends in both clusters.
          importedService(denied[family], {
            protocol,
            endpoints: server === undefined ? [...endpoints, own] : endpoints,
          }),
          { ...importedService(other[family], { protocol, endpoints }), name: 'billing' },
        ];
      }),
    ),
    egress: Object.fromEntries(
      clients.map((name): [string, readonly EgressClass[]] => [
        name,
        verdict === undefined
          ? []
          : [
              {
                name: 'class',
                addresses: to === 'node' ? 'node' : addressesOf(name, 'one'),
                denied: { 'shop/cart': verdict },
              },
            ],
      ]),
    ),
  });
  const asked = (host: Parameters<typeof askFrom>[0], to: string, port = 80, wait?: number) =>
    askFrom(
      host,
      (['TCP', 'UDP'] as const).map((protocol) => ({ protocol, address: to, port, waitMs: wait })),
    );
  /** The errors that a client gets from both protocols. The client waits without a limit. */
  const refusals = async (host: Parameters<typeof askFrom>[0], family: 'IPv4' | 'IPv6') => {
    const script = `
      const address = '${denied[family]}';
      require('node:net').connect(80, address).on('error', ({ code }) => console.log('TCP ' + code)).on('connect', () => console.log('TCP connected'));
      const udp = require('node:dgram').createSocket('udp${family === 'IPv4' ? 4 : 6}');
      udp.on('error', ({ code }) => { console.log('UDP ' + code); udp.close(); }).on('message', () => { console.log('UDP answered'); udp.close(); });
      udp.connect(80, address, () => udp.send('x'));`;
    const { stdout } = await host.run(process.execPath, ['-e', script]);
    return stdout.trim().split('\n').toSorted();
  };
  const rejected = {
    IPv4: ['TCP ECONNREFUSED', 'UDP EHOSTUNREACH'],
    IPv6: ['TCP ECONNREFUSED', 'UDP EACCES'],
  };
  const reaches = [expect.stringMatching(/^(west-1|own) /), expect.stringMatching(/^(west-1|own) /)];

  test.each(families)(
    'is not reached by the Pods of the policy, on a gateway and elsewhere, at backends of any cluster, with Drop and with Reject; other Pods, other Services and the Pods behind it are: %s',
    async (family) => {
      const server = family === 'IPv4' ? lab.pod('west-1').address : lab.pod('west-1').address6;
      for (const verdict of ['drop', 'reject'] as const) {
        await lab.program(stateWith(verdict));
        await Promise.all(
          clients.map(async (name) => {
            const one = lab.pod(name, 'one');
            if (verdict === 'reject') expect(await refusals(one, family)).toEqual(rejected[family]);
            else expect(await asked(one, denied[family], 80, waitMs)).toEqual(['no answer', 'no answer']);
            expect(await asked(one, other[family])).toEqual(reaches);
            expect(await asked(one, server, 8080)).toEqual(reaches);
            expect(await asked(lab.pod(name, 'two'), denied[family])).toEqual(reaches);
            expect(await asked(lab.node(name).place, denied[family])).toEqual(reaches);
          }),
        );
      }
    },
  );

  test.each(families)(
    'is not reached from the network of the Nodes of the policy, and by their Pods: %s',
    async (family) => {
      await lab.program(stateWith('reject', 'node'));
      for (const name of clients) {
        expect(await refusals(lab.node(name).place, family)).toEqual(rejected[family]);
        expect(await asked(lab.pod(name, 'one'), denied[family])).toEqual(reaches);
      }
    },
  );

  test('keeps the connections that have begun before the policy, and is reached again when that is gone', async () => {
    await lab.program(stateWith(undefined, 'pod', 'two'));
    const flows = await openFlows(lab.pod('east-2', 'one'), { address: denied.IPv4, port: 80, tcp: 4, udp: 4 });
    await lab.program(stateWith('reject', 'pod', 'two'));
    expect(await refusals(lab.pod('east-2', 'one'), 'IPv4')).toEqual(rejected.IPv4);
    expect((await flows.stop()).lost).toEqual([]);
    await lab.program(stateWith(undefined));
    expect(await asked(lab.pod('east-2', 'one'), denied.IPv4)).toEqual(reaches);
  });
});

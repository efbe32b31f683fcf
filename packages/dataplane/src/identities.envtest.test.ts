import { askFrom, echoServer, missingForNodes } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { unknownIdentity } from './desired/identities.ts';
import type { EncryptedLab } from './testing/encrypted-lab.ts';
import { startEncryptedLab } from './testing/encrypted-lab.ts';
import { arrivedNumbers, watchNumbers } from './testing/arrived-numbers.ts';
import { importedService } from './testing/imported-service.ts';
import type { LabState, ProgrammedLab } from './testing/programmed-lab.ts';
import { startProgrammedLab } from './testing/programmed-lab.ts';

const clusters = { east: { nodes: 2 }, west: { nodes: 2 } } as const;
const clusterIP = { IPv4: '10.99.0.1', IPv6: 'fd00:99::1' } as const;
const families = ['IPv4', 'IPv6'] as const;
/** Each bit that tunnels carry is set in one of these numbers. */
const numbers = { 'east-1': 0x1_a5c3, 'east-2': 0x2_5a3c } as const;
type Client = keyof typeof numbers;

describe.skipIf(missingForNodes(process.env).length > 0).each([
  { way: 'plain tunnels', underlay: 'IPv4', isEncrypted: false },
  { way: 'plain tunnels over IPv6', underlay: 'IPv6', isEncrypted: false },
  { way: 'WireGuard, and virtual addresses of the client', underlay: 'IPv4', isEncrypted: true },
] as const)('the number of the labels of a client, with $way,', ({ underlay, isEncrypted }) => {
  let lab: ProgrammedLab | EncryptedLab;
  const addressOf = (name: string, family: 'IPv4' | 'IPv6') =>
    family === 'IPv4' ? lab.pod(name).address : lab.pod(name).address6;
  const stateWith = (ids: Readonly<Record<string, number>>): LabState => ({
    gateways: ['east-1', 'west-1'],
    underlay,
    virtual: isEncrypted ? { east: ['100.64.0.0/16', 'fd00:64::/48'] } : {},
    services: families.flatMap((family) =>
      (['TCP', 'UDP'] as const).map((protocol) =>
        importedService(clusterIP[family], { protocol, endpoints: [addressOf('west-2', family)] }),
      ),
    ),
    identities: Object.fromEntries(
      Object.entries(ids).flatMap(([name, id]) => families.map((family) => [addressOf(name, family), id])),
    ),
  });

  beforeAll(async () => {
    lab = await (isEncrypted ? startEncryptedLab({ clusters }) : startProgrammedLab({ clusters }));
    await lab.program(stateWith(numbers));
    for (const name of ['west-1', 'west-2']) {
      await lab.pod(name).start(...echoServer(name));
      await watchNumbers(lab.node(name).place.run);
    }
  });
  afterAll(() => lab?.[Symbol.asyncDispose]());

  const ask = async (host: Parameters<typeof askFrom>[0], server: string, family: 'IPv4' | 'IPv6') => {
    const { run } = lab.node(server).place;
    const direct = (['TCP', 'UDP'] as const).map((protocol) => ({
      protocol,
      address: addressOf(server, family),
      port: 8080,
    }));
    const throughService = (['TCP', 'UDP'] as const).map((protocol) => ({
      protocol,
      address: clusterIP[family],
      port: 80,
    }));
    const answers = await askFrom(host, [...direct, ...(server === 'west-2' ? throughService : [])]);
    const [source = ''] = answers.map((answer) => answer.split(' ')[1]);
    expect(answers).toEqual(answers.map(() => `${server} ${source}`));
    return arrivedNumbers(run, source);
  };
  const clients = Object.keys(numbers) as readonly Client[];

  test.each(families)(
    'is on all its packets on the Node of the server, from gateways and other Nodes, to Pods and Services, and no packet has a mark: %s',
    async (family) => {
      for (const client of clients)
        for (const server of ['west-1', 'west-2'])
          expect(await ask(lab.pod(client), server, family), `${client} to ${server}`).toEqual({
            numbers: new Set([numbers[client]]),
            marked: 0,
          });
    },
  );

  test('is 0 for a client in the network of a Node', async () => {
    for (const client of clients)
      expect(await ask(lab.node(client).place, 'west-2', 'IPv4')).toEqual({ numbers: new Set([0]), marked: 0 });
  });

  test('is another one from the next packet on when the Pod gets other labels, unknown while these have none, and when theirs is too large', async () => {
    for (const [id, carried] of [
      [7, 7],
      [0xff_ffff, unknownIdentity],
      [300_000, unknownIdentity],
    ] as const) {
      await lab.program(stateWith({ ...numbers, 'east-2': id }));
      expect((await ask(lab.pod('east-2'), 'west-2', 'IPv4')).numbers).toEqual(new Set([carried]));
    }
    await lab.program(stateWith(numbers));
  });

  test('is the one of its Node, not what a Pod or another program of the Node writes into marks', async () => {
    const { run } = lab.node('east-2').place;
    await run(
      'nft',
      ['-f', '-'],
      'table ip marks {\n chain own {\n type filter hook prerouting priority -50\n meta mark set 0x4b1d\n }\n}\n',
    );
    expect(await ask(lab.pod('east-2'), 'west-2', 'IPv4')).toEqual({
      numbers: new Set([numbers['east-2']]),
      marked: 0,
    });
    await run('nft', ['delete', 'table', 'ip', 'marks']);
  });
});

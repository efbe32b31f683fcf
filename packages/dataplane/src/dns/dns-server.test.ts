import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { memoryLog } from '@isthmus/kube';
import { createVirtualClock } from '@isthmus/fleet-sim';
import { afterEach, describe, expect, test } from 'vitest';
import { address } from '../testing/addresses.ts';
import type { DnsService, Zone } from './answer.ts';
import type { DnsServerLimits } from './dns-server.ts';
import { startDnsServer } from './dns-server.ts';
import { createFrames, framed } from './frames.ts';
import { noDnsMetrics } from './metrics.ts';
import { queryFor, readResponse, types } from './testing/message.ts';

const cart: DnsService = {
  namespace: 'shop',
  name: 'cart',
  ips: [address('10.99.0.1')],
  isHeadless: false,
  ports: [],
  endpoints: [],
};
const many: DnsService = {
  ...cart,
  name: 'many',
  isHeadless: true,
  endpoints: Array.from({ length: 200 }, (_, index) => ({
    clusterID: 'west',
    address: address(`10.20.0.${index + 1}`),
    hostname: undefined,
    ports: [{ name: 'http', protocol: 'TCP', port: 80 }],
  })),
};
/** This many endpoints fill an answer over TCP. */
const most: DnsService = {
  ...many,
  name: 'most',
  endpoints: Array.from({ length: 4_096 }, (_, index) => ({
    clusterID: 'west',
    address: address(`10.30.${index >> 8}.${index & 255}`),
    hostname: undefined,
    ports: [],
  })),
};
const huge = 'most.shop.svc.clusterset.local';
const long = 'many.shop.svc.clusterset.local';
const zone: Zone = {
  name: 'clusterset.local',
  find: (_, name) => [cart, many, most].find((one) => one.name === name),
  hasNamespace: () => true,
};
const name = 'cart.shop.svc.clusterset.local';

let stack = new AsyncDisposableStack();
afterEach(async () => {
  await stack.disposeAsync();
  stack = new AsyncDisposableStack();
});

async function start(limits: Partial<DnsServerLimits> = {}, host = '127.0.0.1') {
  const clock = createVirtualClock({ startMs: 0 });
  const log = memoryLog();
  const closed: string[] = [];
  const counted: string[] = [];
  const server = stack.use(
    await startDnsServer({
      bind: { host, port: 0 },
      served: () => ({ zoneName: 'clusterset.local', zone, serial: 1 }),
      clock,
      log,
      metrics: {
        ...noDnsMetrics,
        dnsQueries: { inc: ({ transport, type, rcode }) => void counted.push(`${transport} ${type} ${rcode}`) },
        dnsConnectionsClosed: { inc: ({ reason }) => void closed.push(reason) },
      },
      limits,
    }),
  );
  const { port } = server.address;
  const open = async () => {
    const socket = connect(port, host);
    stack.defer(() => void socket.destroy());
    await once(socket, 'connect');
    return socket;
  };
  return { port, clock, log, closed, counted, open };
}

/** The next `count` responses on a connection. Everything is read as soon as it arrives. */
async function messages(socket: Socket, count: number) {
  const found: Uint8Array[] = [];
  const frames = createFrames(65_535);
  while (found.length < count) {
    const chunk = socket.read() as Buffer | null;
    if (chunk === null) await once(socket, 'readable');
    else found.push(...(frames.push(chunk) ?? []));
  }
  return found;
}

const responses = async (socket: Socket, count: number) => (await messages(socket, count)).map(readResponse);

/** Resolves when the other side has closed a connection. */
async function ended(socket: Socket) {
  socket.resume();
  await once(socket, 'close');
}

describe('over UDP', () => {
  test.each(['127.0.0.1', '::1'])('answers at %s, also after what it cannot read', async (host) => {
    const { port, counted } = await start({}, host);
    const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
    stack.defer(() => void socket.close());
    socket.send(Buffer.from('nonsense'), port, host);
    socket.send(queryFor(name, { id: 9 }), port, host);
    const [message] = (await once(socket, 'message')) as [Buffer];
    expect(readResponse(message)).toMatchObject({ id: 9, answers: [{ data: '10.99.0.1' }] });
    expect(counted).toEqual(['udp other none', 'udp A NOERROR']);
  });
});

describe('over TCP', () => {
  test('answers queries that come together, one by one and in pieces, in their order', async () => {
    const { open } = await start();
    const socket = await open();
    const all = Buffer.concat([1, 2, 3].map((id) => framed(queryFor(name, { id }))));
    socket.write(all.subarray(0, 50));
    socket.write(all.subarray(50, 51));
    socket.write(all.subarray(51));
    expect((await responses(socket, 3)).map(({ id }) => id)).toEqual([1, 2, 3]);
    socket.write(framed(queryFor('none.shop.svc.clusterset.local', { id: 4 })));
    expect(await responses(socket, 1)).toMatchObject([{ id: 4, rcode: 3 }]);
  });

  test.each([
    ['an empty message', Buffer.from([0, 0])],
    ['a message that is longer than a query may be', Buffer.from([0xff, 0xff, 1])],
    ['a message that is not a query', Buffer.from([0, 3, 1, 2, 3])],
  ])('closes a connection with %s', async (_, bytes) => {
    const { open, closed } = await start();
    const socket = await open();
    socket.write(bytes);
    await ended(socket);
    expect(closed).toEqual(['malformed']);
  });

  test('closes a connection without a whole query for ten seconds, whatever it dribbles', async () => {
    const { open, clock, closed, counted } = await start();
    const socket = await open();
    socket.write(framed(queryFor(name)));
    await responses(socket, 1);
    await clock.advance(9_000);
    expect(closed).toEqual([]);
    socket.write(framed(queryFor(name)).subarray(0, 10));
    // Another client has been answered, so the bytes of the first one were processed.
    const other = await open();
    other.write(framed(queryFor(name)));
    await responses(other, 1);
    expect(counted).toHaveLength(2);
    const gone = ended(socket);
    await clock.advance(1_000);
    await gone;
    expect(closed).toEqual(['idle']);
  });

  test('logs an answer that lacks records with its name, once in ten minutes', async () => {
    const { open, clock, log } = await start();
    const lines = () => log.entries.filter(({ message }) => message.startsWith('an answer over TCP lacks records'));
    const ask = async (of: string) => {
      const socket = await open();
      socket.write(framed(queryFor(of)));
      const [response] = await responses(socket, 1);
      return response?.answers.length;
    };
    expect(await ask(long)).toBe(200);
    expect(lines()).toEqual([]);
    expect(await ask(huge)).toBeLessThan(most.endpoints.length);
    await ask(huge);
    expect(lines().map(({ level, fields }) => [level, fields['name'], fields['type']])).toEqual([['warn', huge, 'A']]);
    await clock.advance(600_000);
    await ask(huge);
    expect(lines()).toHaveLength(2);
  });

  test('closes the connection that has been idle longest where there are too many', async () => {
    const { open, closed } = await start({ connections: 2 });
    const first = await open();
    const second = await open();
    for (const socket of [second, first]) {
      socket.write(framed(queryFor(name)));
      await responses(socket, 1);
    }
    const gone = ended(second);
    const third = await open();
    await gone;
    expect(closed).toEqual(['limit']);
    for (const socket of [first, third]) {
      socket.write(framed(queryFor(name)));
      expect(await responses(socket, 1)).toMatchObject([{ rcode: 0 }]);
    }
  });

  test('answers another client before the many queries that one has sent at once', async () => {
    const { port, open, counted } = await start();
    const queries = 1_000;
    const socket = await open();
    const other = createSocket('udp4');
    stack.defer(() => void other.close());
    socket.write(Buffer.concat(Array.from({ length: queries }, () => framed(queryFor(name)))));
    await messages(socket, 1);
    other.send(queryFor(name), port, '127.0.0.1');
    await once(other, 'message');
    expect(counted.length).toBeLessThan(queries);
    expect(counted).toContain('udp A NOERROR');
  });

  test('answers all queries of a client that then ends its side', async () => {
    const { open } = await start();
    const socket = await open();
    socket.end(Buffer.concat([1, 2, 3].map((id) => framed(queryFor(name, { id })))));
    expect((await responses(socket, 3)).map(({ id }) => id)).toEqual([1, 2, 3]);
    await ended(socket);
  });

  test('answers no more queries of one chunk than a client reads', async () => {
    const { open, counted } = await start();
    const socket = await open();
    // Each answer has 4,096 records, so a few answers fill the buffers of both sides.
    const queries = 1_000;
    const chunk = Buffer.concat(Array.from({ length: queries }, () => framed(queryFor(huge))));
    expect(chunk.length).toBeLessThan(65_536);
    socket.write(chunk);
    let before = -1;
    while (counted.length !== before || before === 0) {
      before = counted.length;
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    expect(counted.length).toBeLessThan(queries / 2);
  });

  test('does not read a client that does not read its answers', async () => {
    const { open, counted } = await start();
    const socket = await open();
    const queries = 600;
    socket.write(Buffer.concat(Array.from({ length: queries }, () => framed(queryFor(long, { type: types.SRV })))));
    // The server pauses before the last query, and continues as soon as its answers are read.
    let before = -1;
    while (counted.length !== before || before === 0) {
      before = counted.length;
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    expect(counted.length).toBeLessThan(queries);
    expect(await messages(socket, queries)).toHaveLength(queries);
  });
});

test('an address that is taken is named', async () => {
  const { port } = await start();
  await expect(startAt(port)).rejects.toThrow(
    `listening on 127.0.0.1:${port} for DNS: another process uses this port; choose another port`,
  );
});

const startAt = (port: number) =>
  startDnsServer({
    bind: { host: '127.0.0.1', port },
    served: () => ({ zoneName: 'clusterset.local', zone, serial: 1 }),
    clock: createVirtualClock({ startMs: 0 }),
    log: memoryLog(),
    metrics: noDnsMetrics,
  });

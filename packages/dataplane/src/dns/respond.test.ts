import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { address } from '../testing/addresses.ts';
import type { DnsService, Zone } from './answer.ts';
import { respond } from './respond.ts';
import type { Served } from './respond.ts';
import type { QueryOptions } from './testing/message.ts';
import { queryFor, readResponse, types } from './testing/message.ts';

const http = { name: 'http', protocol: 'TCP', port: 80 };
const cart: DnsService = {
  namespace: 'shop',
  name: 'cart',
  ips: [address('10.99.0.1'), address('fd00:99::1')],
  isHeadless: false,
  ports: [http],
  endpoints: [],
};
/** A headless Service with that many endpoints. */
const headless = (name: string, count: number): DnsService => ({
  namespace: 'shop',
  name,
  ips: [],
  isHeadless: true,
  ports: [],
  endpoints: Array.from({ length: count }, (_, index) => ({
    clusterID: 'west',
    address: address(`10.20.${Math.floor(index / 250)}.${(index % 250) + 1}`),
    hostname: `db-${index}`,
    ports: [http],
  })),
});
const services = [cart, headless('db', 3), headless('many', 100), headless('most', 5_000)];
const zone: Zone = {
  name: 'clusterset.local',
  find: (namespace, name) => services.find((one) => one.namespace === namespace && one.name === name),
  hasNamespace: (namespace) => namespace === 'shop',
};
const served: Served = { zoneName: 'clusterset.local', zone, serial: 7 };

const send = (message: Uint8Array, transport: 'udp' | 'tcp' = 'udp', by = served) => {
  const { message: response } = respond(message, transport, by);
  if (response === undefined) throw new Error('not answered');
  return { ...readResponse(response), bytes: response.length };
};
const ask = (name: string, options?: QueryOptions, transport?: 'udp' | 'tcp', by?: Served) =>
  send(queryFor(name, options), transport, by);
const inCart = 'cart.shop.svc.clusterset.local';

describe('a response', () => {
  test('has authority, the ID and the question of its query, and the records', () => {
    expect(ask(inCart, { id: 4711 })).toMatchObject({
      id: 4711,
      rcode: 0,
      flags: { aa: true, tc: false, rd: true },
      question: inCart,
      answers: [{ name: inCart, type: types.A, ttl: 5, data: '10.99.0.1' }],
      authority: [],
      opt: undefined,
    });
    expect(ask(inCart, { type: types.AAAA }).answers[0]?.data).toBe('fd00:99:0:0:0:0:0:1');
    expect(ask(`_http._tcp.${inCart}`, { type: types.SRV }).answers[0]?.data).toBe(`0 100 80 ${inCart}`);
    expect(ask('dns-version.clusterset.local', { type: types.TXT }).answers[0]).toMatchObject({
      ttl: 28_800,
      data: '1.0.0',
    });
  });

  test('repeats the case of the question, which clients compare', () => {
    const name = 'CaRt.sHoP.svc.ClusterSet.LOCAL';
    expect(ask(name)).toMatchObject({ question: name, answers: [{ name, data: '10.99.0.1' }] });
  });

  test('writes the name of each record as a pointer of two bytes', () => {
    expect(ask('db.shop.svc.clusterset.local').bytes).toBe(queryFor('db.shop.svc.clusterset.local').length + 3 * 16);
  });

  test.each(['A', 'SRV'] as const)('of a datagram is made of no more endpoints than it has room for: %s', (type) => {
    let named = 0;
    const { endpoints, ...service } = headless('counted', 5_000);
    const counted = endpoints.map(({ address: { family, value }, ...endpoint }) => ({
      ...endpoint,
      address: { family, value },
      get hostname() {
        named++;
        return endpoint.hostname;
      },
    }));
    const find = () => ({ ...service, endpoints: counted });
    const asked = { type: types[type] };
    expect(
      ask('counted.shop.svc.clusterset.local', asked, 'udp', { ...served, zone: { ...zone, find } }),
    ).toMatchObject({
      flags: { tc: true },
    });
    expect(named).toBeLessThan(500);
  });

  test.each([
    ['is in the zone where it is in a label before it', 'no?such.clusterset.local', 3, ['clusterset.local']],
    ['does not begin the zone', 'no?clusterset.local', 5, []],
  ])('to a name with a dot inside of a label: the dot %s', (_, asked, rcode, authority) => {
    const query = queryFor(asked);
    query[query.indexOf('?'.charCodeAt(0))] = '.'.charCodeAt(0);
    const response = send(query);
    expect(response.rcode).toBe(rcode);
    expect(response.authority.map(({ name }) => name)).toEqual(authority);
  });

  test('begins with another record for other IDs, and has all of them', () => {
    const firsts = [0, 1, 2, 3].map((id) =>
      ask('db.shop.svc.clusterset.local', { id }).answers.map(({ data }) => data),
    );
    expect(firsts).toEqual([
      ['10.20.0.1', '10.20.0.2', '10.20.0.3'],
      ['10.20.0.2', '10.20.0.3', '10.20.0.1'],
      ['10.20.0.3', '10.20.0.1', '10.20.0.2'],
      ['10.20.0.1', '10.20.0.2', '10.20.0.3'],
    ]);
  });
});

describe('a name without records', () => {
  const soa = { name: 'clusterset.local', type: types.SOA, ttl: 5 };
  test.each([
    ['does not exist', 'other.shop.svc.clusterset.local', types.A, 3],
    ['exists with records of another type', inCart, types.TXT, 0],
    ['is between the zone and its Services', 'svc.clusterset.local', types.A, 0],
    ['has a dot inside of a label', 'cart\\.shop.svc.clusterset.local', types.A, 3],
  ])('%s: the SOA record states for how long', (_, name, type, rcode) => {
    const { rcode: found, answers, authority } = ask(name, { type });
    expect([found, answers]).toEqual([rcode, []]);
    expect(authority).toEqual([
      { ...soa, data: 'ns.dns.clusterset.local hostmaster.clusterset.local 7 7200 1800 86400 5' },
    ]);
  });

  test('the SOA record can be asked for', () => {
    const { answers } = ask('clusterset.local', { type: types.SOA });
    expect(answers).toMatchObject([soa]);
  });

  test('a label with a dot inside is not two labels', () => {
    const wire = Buffer.from(
      queryFor('cartxshop.svc.clusterset.local').toString('latin1').replace('cartxshop', 'cart.shop'),
      'latin1',
    );
    expect(send(wire).rcode).toBe(3);
  });
});

describe('what is not answered', () => {
  const rcodes = { formerr: 1, servfail: 2, notimp: 4, refused: 5 };
  test.each([
    ['other zones', queryFor('kubernetes.default.svc.cluster.local'), rcodes.refused],
    ['the root', queryFor(''), rcodes.refused],
    ['other classes', queryFor(inCart, { class: 3 }), rcodes.refused],
    ['zone transfers', queryFor('clusterset.local', { type: types.AXFR }), rcodes.refused],
    ['other operations', Buffer.from('0001280000010000000000000000010001', 'hex'), rcodes.notimp],
    ['no question', Buffer.from('000101000000000000000000', 'hex'), rcodes.formerr],
    ['two questions', Buffer.from('0001010000020000000000000000010001', 'hex'), rcodes.formerr],
    ['a name that points to itself', Buffer.from('000101000001000000000000c00c00010001', 'hex'), rcodes.formerr],
    ['a label that is longer than the message', Buffer.from('0001010000010000000000003f61', 'hex'), rcodes.formerr],
    [
      'fewer records than it says',
      Buffer.concat([queryFor(inCart).subarray(0, 10), Buffer.from([0, 9]), queryFor(inCart).subarray(12)]),
      rcodes.formerr,
    ],
  ])('%s', (_, message, rcode) => {
    expect(send(message)).toMatchObject({ rcode, answers: [], flags: { aa: false } });
  });

  test('a response, and what is shorter than a header, have no answer', () => {
    const response = queryFor(inCart);
    response.writeUInt8(0x81, 2);
    for (const message of [response, Buffer.alloc(0), Buffer.alloc(11)])
      expect(respond(message, 'udp', served)).toMatchObject({ message: undefined, rcode: 'none' });
  });

  test('before the imports were read, the server reports that it is not ready, and rejects other zones all the same', () => {
    const unread = { ...served, zone: undefined };
    expect(ask(inCart, { edns: { udpBytes: 1232 } }, 'udp', unread)).toMatchObject({
      rcode: rcodes.servfail,
      opt: '000f0002000e',
    });
    expect(ask('example.org', {}, 'udp', unread).rcode).toBe(rcodes.refused);
  });

  test('ANY has one small record, instead of all', () => {
    expect(ask('many.shop.svc.clusterset.local', { type: types.ANY })).toMatchObject({
      rcode: 0,
      answers: [{ type: types.HINFO, data: 'RFC8482' }],
    });
    expect(ask('none.shop.svc.clusterset.local', { type: types.ANY }).rcode).toBe(3);
  });

  test('a later version of EDNS has BADVERS', () => {
    const { message } = respond(queryFor(inCart, { edns: { udpBytes: 1232, version: 1 } }), 'udp', served);
    // The high bits of the code are in OPT, the last eleven bytes: 16.
    expect([message?.at(-6), (message?.at(3) ?? 0) & 15]).toEqual([1, 0]);
  });
});

describe('a response that is too long', () => {
  const name = 'many.shop.svc.clusterset.local';
  test.each([
    ['512 bytes without EDNS', undefined, 512],
    ['what the client says', { udpBytes: 900 }, 900],
    ['no less than 512', { udpBytes: 100 }, 512],
    ['1232 bytes at most', { udpBytes: 65_535 }, 1_232],
  ])('has over UDP %s, with as many records as fit, and TC', (_, edns, limit) => {
    const { bytes, flags, answers } = ask(name, edns === undefined ? {} : { edns });
    expect(bytes).toBeLessThanOrEqual(limit);
    expect(bytes).toBeGreaterThan(limit - 16 - 11);
    expect(flags.tc).toBe(true);
    expect(answers.length).toBeGreaterThan(20);
  });

  test('is whole over TCP', () => {
    const { flags, answers } = ask(name, { edns: { udpBytes: 512 } }, 'tcp');
    expect([flags.tc, answers.length]).toEqual([false, 100]);
    expect(ask(name, { type: types.SRV }, 'tcp').answers).toHaveLength(100);
  });

  test('is a subset over TCP where the longest message has no room for all', () => {
    const { bytes, flags, answers } = ask('most.shop.svc.clusterset.local', {}, 'tcp');
    expect(bytes).toBeLessThanOrEqual(65_535);
    expect([flags.tc, answers.length]).toEqual([false, 4_092]);
  });

  test('leaves out a target of SRV whose name would be too long', () => {
    const long: DnsService = {
      ...headless('l'.repeat(63), 2),
      endpoints: headless('x', 2).endpoints.map((one, index) => ({
        ...one,
        hostname: index === 0 ? 'h'.repeat(63) : 'short',
        clusterID: 'c'.repeat(63),
      })),
      namespace: 'n'.repeat(63),
    };
    const by = { ...served, zone: { ...zone, find: () => long, hasNamespace: () => true } };
    const name = `_http._tcp.${long.name}.${'n'.repeat(60)}.svc.clusterset.local`;
    const { answers } = ask(name, { type: types.SRV }, 'tcp', by);
    expect(answers.map(({ data }) => data.slice(0, 13))).toEqual(['0 50 80 short']);
    const shorter = { ...long, name: 'l', namespace: 'shop' };
    expect(
      ask('_http._tcp.l.shop.svc.clusterset.local', { type: types.SRV }, 'tcp', {
        ...by,
        zone: { ...by.zone, find: () => shorter },
      }).answers,
    ).toHaveLength(2);
  });
});

describe('whatever bytes come', () => {
  const valid = fc.constantFrom(
    queryFor(inCart),
    queryFor('many.shop.svc.clusterset.local', { type: types.SRV, edns: { udpBytes: 4096 } }),
    queryFor('dns-version.clusterset.local', { type: types.TXT, edns: { udpBytes: 0 } }),
  );
  const damaged = fc
    .tuple(valid, fc.array(fc.tuple(fc.nat(80), fc.nat(255)), { maxLength: 8 }), fc.nat(90))
    .map(([message, changes, length]) => {
      const copy = Buffer.from(message);
      for (const [at, byte] of changes) if (at < copy.length) copy[at] = byte;
      return copy.subarray(0, Math.max(0, copy.length - (length > 70 ? length - 70 : 0)));
    });

  test('the server returns, and what it answers is a response that can be read, with the ID of the query, and no longer than allowed', () => {
    fc.assert(
      fc.property(
        fc.oneof(damaged, fc.uint8Array({ maxLength: 600 })),
        fc.constantFrom('udp' as const, 'tcp' as const),
        fc.boolean(),
        (message, transport, isRead) => {
          const { message: response } = respond(message, transport, isRead ? served : { ...served, zone: undefined });
          if (response === undefined) return;
          const read = readResponse(response);
          expect(read.id).toBe(Buffer.from(message).readUInt16BE(0));
          expect((response[2] ?? 0) & 0x80).toBe(0x80);
          if (transport === 'udp') expect(response.length).toBeLessThanOrEqual(1_232);
        },
      ),
      { numRuns: 3_000 },
    );
  });

  test('a message full of records is read once', () => {
    const filler = Buffer.concat([Buffer.from([0, 0, 16, 0, 1, 0, 0, 0, 0, 0, 0])]);
    const message = Buffer.concat([queryFor(inCart), ...Array.from({ length: 5_000 }, () => filler)]);
    message.writeUInt16BE(5_000, 10);
    expect(send(message, 'tcp').rcode).toBe(0);
  });
});

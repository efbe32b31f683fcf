import { describe, expect, test } from 'vitest';
import type { Query } from './read-query.ts';
import { readQuery } from './read-query.ts';
import type { QueryOptions } from './testing/message.ts';
import { queryFor, readResponse, types } from './testing/message.ts';
import type { Response, WrittenRecord } from './write-response.ts';
import { udpBytesFor, writeRefusal, writeResponse } from './write-response.ts';

const name = 'cart.shop.svc.clusterset.local';
const soa = { zone: 'clusterset.local', serial: 7, ttl: 5 };
const query = (options: QueryOptions = {}): Query => {
  const read = readQuery(queryFor(name, { id: 4711, ...options }));
  if (read.kind !== 'query') throw new Error('it is not a query');
  return read.query;
};
const write = (
  response: Partial<Response>,
  { limit = 512, isUdp = true, ...options }: QueryOptions & { readonly limit?: number; readonly isUdp?: boolean } = {},
) => {
  const written = writeResponse(query(options), { rcode: 'NOERROR', answers: [], ...response }, { limit, isUdp });
  return { ...readResponse(written.message), isTruncated: written.isTruncated, bytes: written.message.length };
};
const a = (data: string): WrittenRecord => ({ type: 'A', name, ttl: 5, data });
const many = Array.from({ length: 100 }, (_, index) => a(`10.0.0.${index}`));

describe('a written response', () => {
  test.each<[string, WrittenRecord, string]>([
    ['A', a('10.99.0.1'), '10.99.0.1'],
    ['AAAA', { type: 'AAAA', name, ttl: 5, data: 'fd00:99::1' }, 'fd00:99:0:0:0:0:0:1'],
    ['TXT', { type: 'TXT', name, ttl: 5, data: '1.1.0' }, '1.1.0'],
    ['HINFO', { type: 'HINFO', ttl: 5, data: 'RFC8482' }, 'RFC8482'],
    [
      'SRV',
      { type: 'SRV', name, ttl: 5, data: { priority: 0, weight: 100, port: 8080, target: `db-0.${name}` } },
      `0 100 8080 db-0.${name}`,
    ],
    [
      'SOA',
      { type: 'SOA', ttl: 5, data: soa },
      'ns.dns.clusterset.local hostmaster.clusterset.local 7 7200 1800 86400 5',
    ],
  ])('has records of type %s with the name of the question', (type, record, data) => {
    expect(write({ answers: [record] }).answers).toEqual([
      { name, type: types[type as keyof typeof types], ttl: 5, data },
    ]);
  });

  test.each([
    ['an address that is not valid', { type: 'AAAA', name, ttl: 5, data: 'fd00::z' }],
    [
      'a target with a label that is too long',
      { type: 'SRV', name, ttl: 5, data: { priority: 0, weight: 1, port: 1, target: `${'a'.repeat(64)}.b` } },
    ],
    [
      'a target with an empty label',
      { type: 'SRV', name, ttl: 5, data: { priority: 0, weight: 1, port: 1, target: 'a..b' } },
    ],
    [
      'a target that is too long',
      {
        type: 'SRV',
        name,
        ttl: 5,
        data: { priority: 0, weight: 1, port: 1, target: Array.from({ length: 130 }, () => 'a').join('.') },
      },
    ],
  ] satisfies readonly (readonly [string, WrittenRecord])[])('leaves out %s, and writes the others', (_, record) => {
    const { answers, isTruncated } = write({ answers: [record, a('10.99.0.1')] });
    expect([answers.map(({ data }) => data), isTruncated]).toEqual([['10.99.0.1'], false]);
  });

  test.each([
    ['NOERROR', 0, true],
    ['NXDOMAIN', 3, true],
    ['SERVFAIL', 2, false],
    ['REFUSED', 5, false],
  ] as const)('has authority with %s: %i, %s', (rcode, code, aa) => {
    expect(write({ rcode })).toMatchObject({
      id: 4711,
      rcode: code,
      question: name,
      flags: { aa, tc: false, rd: true },
    });
  });

  test('without answers has the SOA record of the zone', () => {
    expect(write({ rcode: 'NXDOMAIN', negative: soa }).authority).toEqual([
      {
        name: 'clusterset.local',
        type: types.SOA,
        ttl: 5,
        data: 'ns.dns.clusterset.local hostmaster.clusterset.local 7 7200 1800 86400 5',
      },
    ]);
  });

  test.each([
    ['over UDP with a flag', true, true],
    ['over TCP without one', false, false],
  ])('leaves out records that do not fit, %s', (_, isUdp, tc) => {
    const { answers, isTruncated, flags, bytes } = write({ answers: many }, { isUdp });
    expect([isTruncated, flags.tc, bytes <= 512]).toEqual([true, tc, true]);
    expect(answers.map(({ data }) => data)).toEqual(many.slice(0, answers.length).map(({ data }) => data));
    expect(answers.length).toBe(Math.floor((512 - 12 - name.length - 2 - 4) / 16));
  });

  test('keeps room for EDNS and its extended error, however many records there are', () => {
    const edns = { udpBytes: 1232 };
    expect(write({}).opt).toBeUndefined();
    expect(write({ answers: many }, { edns }).opt).toBe('');
    expect(write({ answers: many, extendedError: 14 }, { edns }).opt).toBe('000f0002000e');
    expect(write({ rcode: 'BADVERS' }, { edns })).toMatchObject({ rcode: 0, flags: { aa: false } });
  });
});

test.each([
  [undefined, 512],
  [100, 512],
  [900, 900],
  [65_535, 1_232],
])('a client that can receive %s bytes in a datagram gets %i at most', (udpBytes, expected) => {
  expect(udpBytesFor(udpBytes === undefined ? undefined : { udpBytes, version: 0 })).toBe(expected);
});

test('a refusal is a header with the operation that was asked for', () => {
  expect([...writeRefusal(4711, 0x2900, 'NOTIMP')]).toEqual([0x12, 0x67, 0xa9, 0x04, 0, 0, 0, 0, 0, 0, 0, 0]);
  expect([...writeRefusal(1, 0x0030, 'FORMERR')]).toEqual([0, 1, 0x80, 0x11, 0, 0, 0, 0, 0, 0, 0, 0]);
});

import { describe, expect, test } from 'vitest';
import { readQuery } from './read-query.ts';
import { queryFor, types } from './testing/message.ts';

/** A query for `a.b`, with some of its bytes set. */
const changed = (changes: Readonly<Record<number, number>>, options?: Parameters<typeof queryFor>[1]) => {
  const message = queryFor('a.b', options);
  for (const [at, byte] of Object.entries(changes)) message.writeUInt8(byte, Number(at));
  return message;
};
const edns = { udpBytes: 1232 };
const opt = (size = 1232) => Buffer.from([0, 0, types.OPT, size >> 8, size & 0xff, 0, 0, 0, 0, 0, 0]);
const withRecords = (counts: readonly [number, number, number], ...records: readonly Uint8Array[]) =>
  Buffer.concat([changed({ 7: counts[0], 9: counts[1], 11: counts[2] }), ...records]);

describe('a query', () => {
  test('has its ID, flags, name, type and class, and its question as it was sent', () => {
    const message = queryFor('Cart.shop', { id: 4711, type: types.SRV, class: 255 });
    expect(readQuery(message)).toEqual({
      kind: 'query',
      query: {
        id: 4711,
        flags: 0x0100,
        question: message.subarray(12),
        name: 'Cart.shop',
        type: types.SRV,
        class: 255,
        edns: undefined,
      },
    });
  });

  const label = 'a'.repeat(63);
  test.each([
    ['the root', '', ''],
    ['a label of 63 bytes', `${label}.b`, `${label}.b`],
    ['a space', 'a b', String.raw`a\032b`],
    ['a backslash', String.raw`a\b`, String.raw`a\\b`],
    ['a letter that is not of ASCII', 'é', String.raw`\233`],
    ['letters of host names', 'a_-Z9', 'a_-Z9'],
  ])('has a name with %s in its presentation form', (_, name, text) => {
    expect(readQuery(queryFor(name))).toMatchObject({ kind: 'query', query: { name: text } });
  });

  test('has a dot inside of a label as a number, so that it does not separate labels', () => {
    expect(readQuery(changed({ 12: 3, 14: 0x2e, 16: 0 }).subarray(0, 21))).toMatchObject({
      query: { name: String.raw`a\046b` },
    });
  });

  test.each([
    ['without EDNS', queryFor('a.b'), undefined],
    ['with EDNS', queryFor('a.b', { edns }), { udpBytes: 1232, version: 0 }],
    [
      'with a later version of EDNS',
      queryFor('a.b', { edns: { ...edns, version: 1 } }),
      { udpBytes: 1232, version: 1 },
    ],
    [
      'with records before EDNS',
      withRecords([0, 0, 2], Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0]), opt()),
      { udpBytes: 1232, version: 0 },
    ],
  ])('shows what its client can receive: %s', (_, message, expected) => {
    expect(readQuery(message)).toMatchObject({ kind: 'query', query: { edns: expected } });
  });
});

describe('a message', () => {
  test.each([
    ['shorter than a header', queryFor('a.b').subarray(0, 11)],
    ['that is a response', changed({ 2: 0x81 })],
  ])('is ignored: %s', (_, message) => {
    expect(readQuery(message)).toEqual({ kind: 'ignored' });
  });

  test.each([
    ['no question', changed({ 5: 0 })],
    ['two questions', changed({ 5: 2 })],
    ['a name that does not end', queryFor('a.b').subarray(0, 15)],
    ['a name without type and class', queryFor('a.b').subarray(0, 19)],
    ['a pointer in its name', changed({ 12: 0xc0 })],
    ['a label of an unknown kind', changed({ 12: 0x40 })],
    ['a name of more than 255 bytes', queryFor(Array.from({ length: 5 }, () => 'a'.repeat(60)).join('.'))],
    ['two OPT records', withRecords([0, 0, 2], opt(), opt())],
    ['an OPT record among the answers', withRecords([1, 0, 0], opt())],
    ['an OPT record with a name', withRecords([0, 0, 1], Buffer.concat([Buffer.from([1, 0x61]), opt()]))],
    ['fewer records than it counts', withRecords([0, 0, 2], opt())],
    ['a record that ends behind the message', withRecords([0, 0, 1], Buffer.from([0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 9]))],
  ])('is malformed: %s', (_, message) => {
    expect(readQuery(message)).toEqual({ kind: 'refused', id: 1, flags: 0x0100, rcode: 'FORMERR' });
  });

  test('of another kind than a query is not implemented', () => {
    expect(readQuery(changed({ 2: 0x29 }))).toEqual({ kind: 'refused', id: 1, flags: 0x2900, rcode: 'NOTIMP' });
  });
});

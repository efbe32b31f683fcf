import { expect, it } from 'vitest';
import { ProtobufWriter } from './protobuf-writer.ts';

it('writes fields as the wire format has them', () => {
  const writer = new ProtobufWriter();
  writer.text(2, 'testing');
  writer.integer(1, 150);
  writer.message(3, (inner) => inner.integer(1, 150));
  writer.flag(16, true);
  expect(Buffer.from(writer.finish()).toString('hex')).toBe('120774657374696e670896011a03089601800101');
});

it('leaves defaults out, but not items of a list', () => {
  const writer = new ProtobufWriter();
  writer.text(1, '');
  writer.text(1, undefined);
  writer.flag(2, false);
  writer.integer(3, 0);
  writer.double(4, 0);
  writer.item(5, '');
  expect(Buffer.from(writer.finish()).toString('hex')).toBe('2a00');
});

it('writes doubles in little-endian order', () => {
  const writer = new ProtobufWriter();
  writer.double(1, 1);
  expect(Buffer.from(writer.finish()).toString('hex')).toBe('09000000000000f03f');
});

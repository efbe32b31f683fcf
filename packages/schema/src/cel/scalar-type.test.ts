import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../json-schema.ts';
import { durationReader, scalarType } from './scalar-type.ts';

const read = (schema: JsonSchema, value: unknown) => {
  const { name, valueOf } = scalarType(schema, durationReader());
  return [name, valueOf(value)];
};

describe('the CEL type of a scalar', () => {
  it.each<readonly [JsonSchema, unknown, string, unknown]>([
    [{ type: 'integer' }, 5, 'int', 5n],
    [{ type: 'integer' }, 0.5, 'int', 0.5],
    [{ type: 'integer', format: 'int64' }, 'x', 'int', 'x'],
    [{ type: 'number' }, 5, 'double', 5],
    [{ type: 'boolean' }, true, 'bool', true],
    [{ type: 'string' }, 'a', 'string', 'a'],
    [{ type: 'string', format: 'uuid' }, 'a', 'string', 'a'],
    [{ type: 'string', format: 'byte' }, 'aGk=', 'bytes', Buffer.from('hi')],
    [{ type: 'string', format: 'byte' }, 7, 'bytes', 7],
    [{ type: 'string', format: 'date' }, '2026-11-21', 'google.protobuf.Timestamp', new Date('2026-11-21')],
    [{ type: 'string', format: 'date-time' }, null, 'google.protobuf.Timestamp', null],
  ])('of %j sees %j as %s', (schema, value, name, seen) => {
    expect(read(schema, value)).toEqual([name, seen]);
  });

  it('of a duration has the value of the expression duration()', () => {
    const [name, value] = read({ type: 'string', format: 'duration' }, '1m30s');
    expect([name, String((value as { readonly seconds: bigint }).seconds)]).toEqual(['google.protobuf.Duration', '90']);
  });
});

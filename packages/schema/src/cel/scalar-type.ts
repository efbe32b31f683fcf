import { Environment } from '@marcbachmann/cel-js';
import type { JsonSchema } from '../json-schema.ts';

/**
 * How CEL sees a scalar: the name of its type, and its value, which stays as it is if it does not
 * fit.
 */
export interface ScalarType {
  readonly name: string;
  readonly valueOf: (value: unknown) => unknown;
}

/** The CEL type of a schema that is neither an object nor a list. */
export function scalarType({ type, format }: JsonSchema, readDuration: (text: string) => unknown): ScalarType {
  const text = (read: (text: string) => unknown) => (value: unknown) =>
    typeof value === 'string' ? read(value) : value;
  if (type === 'integer')
    return { name: 'int', valueOf: (value) => (Number.isInteger(value) ? BigInt(value as number) : value) };
  if (type === 'number') return { name: 'double', valueOf: (value) => value };
  if (type === 'boolean') return { name: 'bool', valueOf: (value) => value };
  if (format === 'byte') return { name: 'bytes', valueOf: text((value) => Buffer.from(value, 'base64')) };
  if (format === 'duration') return { name: 'google.protobuf.Duration', valueOf: text(readDuration) };
  if (format === 'date' || format === 'date-time') {
    return { name: 'google.protobuf.Timestamp', valueOf: text((value) => new Date(value)) };
  }
  return { name: 'string', valueOf: (value) => value };
}

/** Reads durations as CEL does. The expression for it is compiled for the first of them. */
export function durationReader(): (text: string) => unknown {
  let durations: ReturnType<Environment['parse']> | undefined;
  return (text) => {
    durations ??= new Environment().registerVariable('text', 'string').parse('duration(text)');
    return durations({ text });
  };
}

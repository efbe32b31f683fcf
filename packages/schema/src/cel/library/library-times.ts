import type { Library } from './library.ts';

const [duration, timestamp] = ['google.protobuf.Duration', 'google.protobuf.Timestamp'];

/** Conversions of times and unsigned numbers that the CEL library lacks. */
export const timeLibrary: Library = {
  functions: {
    'int(uint): int': (given: { valueOf(): bigint }) => signed(given.valueOf()),
    [`string(${duration}): string`]: String,
    [`string(${timestamp}): string`]: (time: Date) => time.toISOString().replace('.000Z', 'Z'),
    [`int(${timestamp}): int`]: (time: Date) => BigInt(Math.floor(time.getTime() / 1000)),
    [`timestamp(${timestamp}): ${timestamp}`]: (time: Date) => time,
    [`duration(${duration}): ${duration}`]: (given: object) => given,
  },
};

function signed(value: bigint): bigint {
  if (BigInt.asIntN(64, value) !== value) throw new Error('integer overflow');
  return value;
}

import { randomSuffix, rfc3339 } from '@isthmus/machinery';
import type { Clock, ObjectMeta, Random } from '@isthmus/machinery';

/** The source of the time and the identity of new objects. */
export interface Origin {
  readonly clock: Clock;
  readonly random: Random;
}

/** Generated names have this many characters, the random ones included. */
const maxGeneratedBase = 58;

/** The metadata of a new object: the server sets the fields that a client may not set. */
export function createdMetadata(given: ObjectMeta, namespace: string | undefined, origin: Origin): ObjectMeta {
  const generateName = given.generateName ?? '';
  const generated = generateName === '' ? '' : generateName.slice(0, maxGeneratedBase) + randomSuffix(origin.random);
  const {
    deletionTimestamp: _deletionTimestamp,
    deletionGracePeriodSeconds: _deletionGracePeriodSeconds,
    resourceVersion: _resourceVersion,
    namespace: _namespace,
    ...kept
  } = given;
  return {
    ...kept,
    name: given.name === undefined || given.name === '' ? generated : given.name,
    ...(namespace !== undefined && { namespace }),
    uid: uid(origin.random),
    creationTimestamp: rfc3339(origin.clock.now()),
  };
}

/** An RFC 9562 version 4 UUID out of `random`. */
export function uid(random: Random): string {
  const word = () => Math.floor(random.next() * 0x1_0000_0000) >>> 0;
  const [a, b, c, d] = [word(), word(), word(), word()];
  const version = 0x40 | ((b >>> 8) & 0x0f);
  const variant = 0x80 | ((c >>> 24) & 0x3f);
  return (
    `${hexOf(a >>> 24)}${hexOf(a >>> 16)}${hexOf(a >>> 8)}${hexOf(a)}-${hexOf(b >>> 24)}${hexOf(b >>> 16)}` +
    `-${hexOf(version)}${hexOf(b)}-${hexOf(variant)}${hexOf(c >>> 16)}` +
    `-${hexOf(c >>> 8)}${hexOf(c)}${hexOf(d >>> 24)}${hexOf(d >>> 16)}${hexOf(d >>> 8)}${hexOf(d)}`
  );
}

/** The lowest byte of a number in hexadecimal. */
function hexOf(value: number): string {
  return bytes[value & 0xff] ?? '';
}

const bytes: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

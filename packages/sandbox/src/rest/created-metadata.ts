import { randomSuffix, rfc3339 } from '@isthmus/machinery';
import type { Clock, ObjectMeta, Random } from '@isthmus/machinery';

/** Where new objects get their time and their identity from. */
export interface Origin {
  readonly clock: Clock;
  readonly random: Random;
}

/** Generated names have this many characters, the random ones included. */
const maxGeneratedBase = 58;

/** The metadata that a new object is stored with: what a client may not say is the server's. */
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
  const word = () =>
    Math.floor(random.next() * 0x1_0000_0000)
      .toString(16)
      .padStart(8, '0');
  const [a, b, c, d] = [word(), word(), word(), word()];
  const variant = '89ab'.charAt(Number.parseInt(c.charAt(0), 16) % 4);
  return `${a}-${b.slice(0, 4)}-4${b.slice(5)}-${variant}${c.slice(1, 4)}-${c.slice(4)}${d}`;
}

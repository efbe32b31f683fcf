import { dns1123LabelErrors, randomSuffix, rfc3339, validateObjectMeta } from '@isthmus/machinery';
import type { Clock, FieldError, KubernetesObject, ObjectMeta, Random } from '@isthmus/machinery';
import { invalidValue } from './refusal.ts';
import { rulesOf } from './served-type.ts';
import type { ServedType } from './served-type.ts';

/** Where new objects get their time and their identity from. */
export interface Origin {
  readonly clock: Clock;
  readonly random: Random;
}

/** The metadata that a new object is stored with. */
export function createdMetadata(
  type: ServedType,
  given: ObjectMeta,
  namespace: string | undefined,
  origin: Origin,
): ObjectMeta {
  const generateName = given.generateName ?? '';
  // The real server cuts the base so that the name stays within 63 bytes.
  const generated = generateName === '' ? '' : generateName.slice(0, 58) + randomSuffix(origin.random);
  return compact({
    ...given,
    name: given.name === undefined || given.name === '' ? generated : given.name,
    namespace,
    uid: uid(origin.random),
    resourceVersion: undefined,
    creationTimestamp: rfc3339(origin.clock.now()),
    deletionTimestamp: undefined,
    deletionGracePeriodSeconds: undefined,
    generation: rulesOf(type).generation === undefined ? undefined : 1,
  });
}

/** The metadata after an update: what belongs to the server stays as it was. */
export function updatedMetadata(before: ObjectMeta, given: ObjectMeta): ObjectMeta {
  return compact({
    ...given,
    name: before.name,
    namespace: before.namespace,
    uid: before.uid,
    resourceVersion: before.resourceVersion,
    creationTimestamp: before.creationTimestamp,
    generation: before.generation,
    deletionTimestamp: before.deletionTimestamp,
    deletionGracePeriodSeconds: before.deletionGracePeriodSeconds,
  });
}

/** What is wrong with the metadata of an object that is created or updated. */
export function metadataErrors(type: ServedType, { metadata }: KubernetesObject): readonly FieldError[] {
  const errors = validateObjectMeta(metadata, type.namespaced);
  if (rulesOf(type).labelName !== true || metadata.name === '') return errors;
  const labelErrors = dns1123LabelErrors(metadata.name).map((why) => invalidValue('metadata.name', metadata.name, why));
  return [...labelErrors, ...errors.filter(({ path }) => path !== 'metadata.name')];
}

/** Without empty lists and maps, which the server does not keep, and without managed fields, which the stand-in does not know. */
function compact(metadata: ObjectMeta): ObjectMeta {
  const entries = Object.entries({ ...metadata, managedFields: undefined }).filter(
    ([, value]) =>
      value !== undefined && value !== null && !(typeof value === 'object' && Object.keys(value).length === 0),
  );
  // Only entries were left out, and never the name: what remains has the shape of the argument.
  return Object.fromEntries(entries) as unknown as ObjectMeta;
}

/** An RFC 9562 version 4 UUID out of `random`. */
function uid(random: Random): string {
  const hex = (digits: number) =>
    Array.from({ length: digits }, () => Math.floor(random.next() * 16).toString(16)).join('');
  return `${hex(8)}-${hex(4)}-4${hex(3)}-${'89ab'.charAt(Math.floor(random.next() * 4))}${hex(3)}-${hex(12)}`;
}

import type { WriteTarget } from '../core/target.ts';
import { isVersion, noVersion } from '../options/list-options.ts';
import { conflict, invalid, invalidValue, modified, unexplained } from '../refusal/refusal.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import type { Stored } from '../store/stored.ts';

/**
 * Checks the uid and resourceVersion of an update. Errors: 409 if they differ from the stored
 * object's; 422 if a required resourceVersion is missing.
 */
export function checkPreconditions(
  { resource, name }: WriteTarget,
  before: Stored,
  given: Stored,
  isPut: boolean,
): void {
  const { uid = '', resourceVersion = '' } = given.metadata;
  if (isPut && uid !== '' && uid !== before.metadata.uid) {
    throw uidMismatch(resource, before, { name, uid, found: before.metadata.uid ?? '' });
  }
  if (resourceVersion !== '' && !isVersion(resourceVersion)) throw unexplained(noVersion(resourceVersion));
  // The value is compared as a number; 0 means absent.
  const wanted = BigInt(resourceVersion);
  if (wanted === 0n && !resource.strategy.unconditionalUpdate) {
    // The real server's message has the plural in the place of the kind.
    throw invalid({ group: resource.group, kind: resource.plural }, name, [
      invalidValue('metadata.resourceVersion', 0, 'must be specified for an update'),
    ]);
  }
  if (wanted !== 0n && wanted !== BigInt(before.metadata.resourceVersion ?? '')) throw modified(resource, name);
}

/** The 409 of the real server for an object with another uid than the request names. */
export function uidMismatch(
  resource: ServedResource,
  object: Stored,
  { name, uid, found }: { readonly name: string; readonly uid: string; readonly found: string },
): Error {
  const mismatch = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${found}`;
  const why = `StorageError: invalid object, Code: 4, Key: ${registryKey(resource, object)}, ResourceVersion: 0, AdditionalErrorMsg: ${mismatch}`;
  return conflict(resource, name, why);
}

/** The key of an object in the real server's etcd, which one of its errors contains. */
export function registryKey({ group, plural, origin }: ServedResource, { metadata }: Stored): string {
  const place = registryPlaces[plural] ?? (origin === 'custom' ? `${group}/${plural}` : plural);
  return ['/registry', place, ...(metadata.namespace === undefined ? [] : [metadata.namespace]), metadata.name].join(
    '/',
  );
}

const registryPlaces: Readonly<Record<string, string>> = {
  services: 'services/specs',
  endpoints: 'services/endpoints',
  nodes: 'minions',
};

import type { Client, PartialObjectMetadata } from '@isthmus/kube';
import { metadataOf, orNotFound } from '@isthmus/kube';
import type { ObjectRef, OwnerReference, ResourceType } from '@isthmus/machinery';
import type { MetadataCaches, Monitored } from './metadata-caches.ts';
import type { OwnerState } from './owner-verdict.ts';
import { Propagation } from './owner-verdict.ts';

export interface OwnerStateOptions {
  readonly client: Client;
  readonly caches: MetadataCaches;
}

/**
 * The state of the owner that a reference of an object in `namespace` names. An owner that is not
 * cached is read from the server. `unknown`: its kind is not served, or is namespaced while the
 * object is not.
 */
export async function ownerStateOf(
  { client, caches }: OwnerStateOptions,
  { namespace, reference }: { readonly namespace: string | undefined; readonly reference: OwnerReference },
  signal: AbortSignal,
): Promise<OwnerState> {
  const { apiVersion, kind, name, uid } = reference;
  const of = [...caches.monitored.values()].find(({ type }) => type.kind === kind && isOfGroup(type, apiVersion));
  if (of === undefined || (of.type.namespaced && namespace === undefined)) return 'unknown';
  const ref = { namespace: of.type.namespaced ? namespace : undefined, name };
  const cached = of.cache.get(ref);
  const owner = cached?.metadata.uid === uid ? cached : await read(client, of, { ref, signal });
  if (owner?.metadata.uid !== uid) return 'absent';
  const { deletionTimestamp, finalizers = [] } = owner.metadata;
  const waits = deletionTimestamp !== undefined && finalizers.includes(Propagation.foreground);
  return waits ? 'waits-for-dependents' : 'there';
}

async function read(
  client: Client,
  { type }: Monitored,
  { ref, signal }: { readonly ref: ObjectRef; readonly signal: AbortSignal },
): Promise<PartialObjectMetadata | undefined> {
  return orNotFound(client.get(metadataOf(type), ref, { signal }));
}

/** A reference may name another version of the group than the one that is watched. */
function isOfGroup(type: ResourceType, apiVersion: string): boolean {
  const slash = apiVersion.indexOf('/');
  return (slash < 0 ? '' : apiVersion.slice(0, slash)) === type.group;
}

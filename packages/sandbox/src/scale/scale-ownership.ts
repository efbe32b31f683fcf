import type { ManagedFieldsEntry } from '../ownership/managers.ts';
import type { Stored } from '../store/stored.ts';

export type Managed = readonly ManagedFieldsEntry[];

/** The managers of the replicas of a built-in object, as managed fields of its `Scale`. */
export function managedOfScale(before: Stored): Managed {
  return managedOf(before)
    .filter(ownsReplicas)
    .map((entry) => ({ ...entry, apiVersion: 'autoscaling/v1', fieldsV1: { 'f:spec': { 'f:replicas': {} } } }));
}

/**
 * The managed fields of the object after its `Scale` was applied: who lost the replicas there loses
 * them here.
 */
export function managedAfterScale(before: Stored, scale: Stored, apiVersion: string): Managed {
  const owners = managedOf(scale);
  const had = managedOf(before);
  const kept = had.flatMap((entry) =>
    !ownsReplicas(entry) || owners.some(isOf(entry)) ? [entry] : withoutReplicas(entry),
  );
  const added = owners.filter((owner) => !had.some(isOf(owner)));
  // An entry of a write through a Scale has no time, and so comes first.
  return [...added.map((entry) => ({ ...entry, apiVersion, time: undefined })), ...kept];
}

function managedOf({ metadata }: Stored): Managed {
  return (metadata.managedFields ?? []) as Managed;
}

function isOf(one: ManagedFieldsEntry): (other: ManagedFieldsEntry) => boolean {
  return ({ manager, operation, subresource }) =>
    manager === one.manager && operation === one.operation && subresource === one.subresource;
}

interface Fields {
  readonly 'f:spec'?: Readonly<Record<string, unknown>> | undefined;
}

function ownsReplicas({ fieldsV1 }: ManagedFieldsEntry): boolean {
  return (fieldsV1 as Fields | undefined)?.['f:spec']?.['f:replicas'] !== undefined;
}

/** The rest of an entry whose manager lost the replicas; empty if it owned nothing else. */
export function withoutReplicas(entry: ManagedFieldsEntry): Managed {
  const { 'f:spec': spec = {}, ...others } = entry.fieldsV1 as unknown as Fields;
  const { 'f:replicas': _, ...rest } = spec;
  const fields = { ...others, ...(Object.keys(rest).length > 0 && { 'f:spec': rest }) };
  return Object.keys(fields).length === 0 ? [] : [{ ...entry, fieldsV1: fields as ManagedFieldsEntry['fieldsV1'] }];
}

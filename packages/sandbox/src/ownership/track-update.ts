import { equal } from '@isthmus/machinery';
import type { FieldFilter } from './field-set.ts';
import { equalFieldSets, isEmptyFieldSet, unionOfFieldSets } from './field-set.ts';
import type { FieldSets } from './field-sets.ts';
import type { ManagedFieldsEntry, Manager, Managers } from './managers.ts';
import { managerId, parseManagedFields, printManagedFields, secondsOf } from './managers.ts';
import type { OwnershipRules, ServedVersions } from './ownership.ts';
import { changeOwnership, reconcileManagers, singleVersion, sortedById, withoutServerFields } from './ownership.ts';
import type { JsonObject } from './shape.ts';
import { asList, asObject, memberOf } from './shape.ts';
import type { TypeNode } from '../typed/type-node.ts';

/** The manager and time of a write, and the types and versions that define its fields. */
export interface TrackOptions {
  /** `fieldManager`, or the default from the user agent; empty counts as `unknown`. */
  readonly manager: string;
  /** RFC 3339, in seconds; undefined for a write through a Scale, whose record has no time. */
  readonly time: string | undefined;
  /** The version of the request, in which both objects are given. */
  readonly apiVersion: string;
  /** `status`, `scale`; absent or empty for the object itself. */
  readonly subresource?: string | undefined;
  readonly type: TypeNode;
  /** Filters a set of fields by the kind's strategy, if that resets some (`exceptFields`). */
  readonly resetFields?: FieldFilter | undefined;
  /**
   * Whether the resource is custom. If so, an empty list of managed fields is ignored, and an entry
   * of a version that is not served makes an update drop all entries, and an apply fail.
   */
  readonly isCustomResource?: boolean | undefined;
  /**
   * The resource's versions. Without it, entries of any other version are dropped, as of one that
   * is no longer served.
   */
  readonly versions?: ServedVersions | undefined;
  /** Parses and prints `fieldsV1`. Default: on each call. */
  readonly fieldSets?: FieldSets | undefined;
}

/**
 * The `managedFields` of `after`, when it replaces `before` (`undefined` for a creation) by a
 * create, an update or a patch other than an apply. The sender owns the fields that it changes, as
 * the manager of an Update entry. Removed fields have no owner.
 *
 * `after` may have `managedFields` of its own, as on the API server, except through a subresource.
 * An empty list (or one empty entry) resets them; an unreadable or absent list means those of
 * `before`. An existing object without them gets none. If there are more than 10 Update entries,
 * the oldest become one, `ancient-changes`. Returns undefined if there are none. An entry whose
 * fields all stay unchanged keeps its time.
 */
export function trackUpdate(
  before: JsonObject | undefined,
  after: JsonObject,
  options: TrackOptions,
): readonly ManagedFieldsEntry[] | undefined {
  const managers = startingManagers(before, after, options);
  const isNew = before === undefined || memberOf(metadataOf(before), 'uid') === undefined;
  if (managers.size === 0 && !isNew) return undefined;
  if (options.isCustomResource === true && unservedVersion(managers, options) !== undefined) return undefined;
  const changed = recordUpdate(managers, [withoutManagedFields(before ?? {}), withoutManagedFields(after)], options);
  // Most objects are never written again: remembering their sets would nearly double their memory.
  return printed(cappedManagers(changed), isNew ? {} : options);
}

/** The managers after an update; without a cap. Both objects come without `managedFields`. */
export function recordUpdate(
  managers: Managers,
  objects: readonly [JsonObject, JsonObject],
  options: TrackOptions,
): Managers {
  const rules = ownershipRules(options);
  const update = changeOwnership(rules, reconcileManagers(rules, managers), objects, { by: '', force: true });
  if (update.kind === 'conflicts') return managers;
  const changed = unionOfFieldSets(update.comparison.modified, update.comparison.added);
  const fields = withoutServerFields(options.resetFields?.(changed) ?? changed);
  if (isEmptyFieldSet(fields)) return update.managers;
  const identity = {
    name: options.manager === '' ? 'unknown' : options.manager,
    operation: 'Update',
    apiVersion: options.apiVersion,
    subresource: options.subresource ?? '',
  } as const;
  const id = managerId(identity);
  const previous = update.managers.get(id);
  const owned = previous === undefined ? fields : unionOfFieldSets(fields, previous.fields);
  const before = managers.get(id)?.fields;
  const own: Manager = {
    ...identity,
    time: options.time,
    // A manager that only changes values of its fields keeps its set, which is then not printed
    // again.
    fields: before !== undefined && equalFieldSets(before, owned) ? before : owned,
  };
  return new Map([...update.managers, [id, own]]);
}

/** The rules of ownership for a request with these options. */
export function ownershipRules(
  options: Pick<TrackOptions, 'apiVersion' | 'type' | 'resetFields' | 'versions'>,
): OwnershipRules {
  return {
    apiVersion: options.apiVersion,
    versions: options.versions ?? singleVersion(options.apiVersion, options.type),
    resetFields: options.resetFields,
  };
}

/** The object without `metadata.managedFields`. */
export function withoutManagedFields(object: JsonObject): JsonObject {
  return withManagedFields(object, undefined);
}

/** The object with these `metadata.managedFields`, or without any. */
export function withManagedFields(
  object: JsonObject,
  managedFields: readonly ManagedFieldsEntry[] | undefined,
): JsonObject {
  const metadata = metadataOf(object);
  if (metadata === undefined) return object;
  const { managedFields: _, ...rest } = metadata;
  const changed =
    managedFields === undefined ? rest : { ...rest, managedFields: managedFields as unknown as JsonObject };
  return { ...object, metadata: changed };
}

/**
 * `managedFields` with the times of `before`, if two versions of an object differ only in these
 * times, so that a write without changes does not count as a change. Otherwise those of `after`.
 */
export function keepTimesOfNoChange(before: JsonObject, after: JsonObject): JsonObject {
  const old = asList(memberOf(metadataOf(before), 'managedFields')) ?? [];
  const next = asList(memberOf(metadataOf(after), 'managedFields')) ?? [];
  if (next.length === 0 || old.length !== next.length) return after;
  const same =
    equal(old.map(withoutTime), next.map(withoutTime)) &&
    equal(withoutManagedFields(before), withoutManagedFields(after));
  return same ? withManagedFields(after, old as unknown as readonly ManagedFieldsEntry[]) : after;
}

/** The managers as `managedFields`, or undefined for none. */
export function printed(
  managers: Managers,
  { fieldSets }: Pick<TrackOptions, 'fieldSets'>,
): readonly ManagedFieldsEntry[] | undefined {
  return managers.size === 0 ? undefined : printManagedFields(managers, fieldSets);
}

export function metadataOf(object: JsonObject): JsonObject | undefined {
  return asObject(memberOf(object, 'metadata'));
}

function startingManagers(before: JsonObject | undefined, after: JsonObject, options: TrackOptions): Managers {
  const live = before === undefined ? undefined : memberOf(metadataOf(before), 'managedFields');
  if (options.subresource) return readable(live, options);
  const given = memberOf(metadataOf(after), 'managedFields');
  if (isReset(given, options)) return new Map();
  // Most clients send the entries that they have read: the comparison recognises these without
  // parsing.
  if (equal(given, live)) return readable(live, options);
  const managers = readable(given, options);
  return managers.size === 0 ? readable(live, options) : managers;
}

function isReset(given: unknown, options: TrackOptions): boolean {
  if (!Array.isArray(given) || given.length > 1) return false;
  return given.length === 0 ? options.isCustomResource !== true : equal(given[0], {});
}

/** The first version of an entry that is not served. */
export function unservedVersion(managers: Managers, options: TrackOptions): string | undefined {
  const { versions } = ownershipRules(options);
  return sortedById(managers)
    .map(([, { apiVersion }]) => apiVersion)
    .find((apiVersion) => versions.typeOf(apiVersion) === undefined);
}

/** The entries; none if one of them cannot be read. */
function readable(managedFields: unknown, { fieldSets }: TrackOptions): Managers {
  try {
    return parseManagedFields(managedFields, fieldSets);
  } catch {
    return new Map();
  }
}

/**
 * The oldest Update entries beyond {@link maxUpdateManagers}, of each version together, under one
 * name.
 */
function cappedManagers(managers: Managers): Managers {
  const updates = [...managers].filter(([, manager]) => manager.operation === 'Update');
  let excess = updates.length - maxUpdateManagers;
  if (excess <= 0) return managers;
  updates.sort(([a, left], [b, right]) => secondsOf(left) - secondsOf(right) || (a < b ? -1 : a > b ? 1 : 0));
  const capped = new Map(managers);
  const firstOfVersion = new Map<string, string>();
  for (const [id, manager] of updates) {
    if (excess <= 0) break;
    const first = firstOfVersion.get(manager.apiVersion);
    if (first === undefined) {
      firstOfVersion.set(manager.apiVersion, id);
      continue;
    }
    const identity = {
      name: 'ancient-changes',
      operation: 'Update',
      apiVersion: manager.apiVersion,
      subresource: '',
    } as const;
    const bucketId = managerId(identity);
    const bucket = capped.get(bucketId) ?? capped.get(first);
    if (!capped.has(bucketId)) capped.delete(first);
    const fields = bucket === undefined ? manager.fields : unionOfFieldSets(manager.fields, bucket.fields);
    capped.delete(id);
    capped.set(bucketId, { ...identity, time: manager.time, fields });
    excess--;
  }
  return capped;
}

function withoutTime(entry: unknown): unknown {
  const { time: _, ...rest } = entry as Readonly<Record<string, unknown>>;
  return rest;
}

const maxUpdateManagers = 10;

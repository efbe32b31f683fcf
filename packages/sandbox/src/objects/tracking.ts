import { apiVersionOf, rfc3339 } from '@isthmus/machinery';
import type { Json } from '@isthmus/schema';
import { keepTimesOfNoChange, trackUpdate, withManagedFields } from '../ownership/track-update.ts';
import type { ManagedFieldsEntry } from '../ownership/managers.ts';
import type { ServedVersions } from '../ownership/ownership.ts';
import type { TrackOptions } from '../ownership/track-update.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import { noOddities } from '../typed/parsed-json.ts';
import type { Core } from '../core/core.ts';
import type { WriteTarget } from '../core/target.ts';
import type { Stored } from '../store/stored.ts';
import { asJson } from './as-json.ts';

type JsonObject = Readonly<Record<string, Json>>;
type Convert = ServedVersions['convert'];

/** The object with the managed fields that an update or a create leaves. */
export function trackedUpdate(core: Core, target: WriteTarget, before: Stored | undefined, next: Stored): Stored {
  return tracked(core, target, { before, next, convert: renamed });
}

interface Change {
  readonly before: Stored | undefined;
  readonly next: Stored;
  readonly convert: Convert;
}

function tracked(core: Core, target: WriteTarget, { before, next, convert }: Change): Stored {
  const options = trackOptions(core, target, convert);
  const managedFields = fitsAll(core, target, next, convert)
    ? trackUpdate(asJson(before ?? emptyOf(target.resource)), asJson(next), options)
    : undefined;
  return withManagedFields(asJson(next), managedFields) as unknown as Stored;
}

/**
 * {@link trackedUpdate} of an update. If managers have written another version, the webhook of the
 * kind converts the object for them.
 */
export async function trackedAcrossVersions(
  core: Core,
  target: WriteTarget,
  before: Stored,
  next: Stored,
): Promise<Stored> {
  const { resource } = target;
  if (core.conversion.isLocal(resource)) return trackedUpdate(core, target, before, next);
  const converted = new Map<string, JsonObject>();
  for (const other of otherVersions(core, resource, before)) {
    const both = [before, next].map(unmanaged);
    const results = await core.conversion.toRequested(other, both);
    results.forEach((result, index) =>
      converted.set(keyOf(asJson(both[index] ?? result), apiVersionOf(other)), asJson(result)),
    );
  }
  const convert: Convert = (object, apiVersion) =>
    converted.get(keyOf(object, apiVersion)) ?? renamed(object, apiVersion);
  return tracked(core, target, { before, next, convert });
}

function keyOf(object: JsonObject, apiVersion: string): string {
  return `${apiVersion} ${JSON.stringify(object)}`;
}

function unmanaged(object: Stored): Stored {
  return withManagedFields(asJson(object), undefined) as unknown as Stored;
}

/** Conversion by name alone. */
function renamed(object: JsonObject, apiVersion: string): JsonObject {
  return { ...object, apiVersion };
}

/** The served versions other than this that managers of the object have written. */
function otherVersions({ registry }: Core, resource: ServedResource, { metadata }: Stored): readonly ServedResource[] {
  const managedFields = (metadata.managedFields ?? []) as readonly ManagedFieldsEntry[];
  const own = apiVersionOf(resource);
  const written = new Set(managedFields.map(({ apiVersion }) => apiVersion).filter((one) => one !== own));
  if (written.size === 0) return [];
  return registry.all().filter((one) => one.storageKey === resource.storageKey && written.has(apiVersionOf(one)));
}

/**
 * An object that another version has no place for, as one of its managers would see it, loses all
 * managed fields on the real server.
 */
function fitsAll(core: Core, { resource }: WriteTarget, next: Stored, convert: Convert): boolean {
  if (resource.origin === 'built-in') return true;
  return otherVersions(core, resource, next).every((one) => {
    const result = one.decode({ value: convert(asJson(unmanaged(next)), apiVersionOf(one)), oddities: noOddities });
    return result.kind === 'decoded' && result.strictErrors.length === 0;
  });
}

/**
 * The object that a new object is compared with. It contains the parts of the empty struct of a
 * built-in kind, so these have no field manager.
 */
function emptyOf({ decode, kind, ...resource }: ServedResource): Stored {
  const empty = decode({ value: {}, oddities: noOddities });
  const parts = empty.kind === 'decoded' && resource.origin === 'built-in' ? empty.object : {};
  return { ...parts, kind, apiVersion: apiVersionOf(resource) } as unknown as Stored;
}

/**
 * A write that changes nothing leaves the times of the managed fields as they were, and so writes
 * nothing.
 */
export function withoutIdleTimes(before: Stored, next: Stored): Stored {
  return keepTimesOfNoChange(asJson(before), asJson(next)) as unknown as Stored;
}

/** The options for the records of field ownership: manager, time, version and type. */
export function trackOptions(core: Core, target: WriteTarget, convert: Convert = renamed): TrackOptions {
  const { resource, fieldManager, subresource, scales = false } = target;
  return {
    manager: fieldManager,
    // A write through a Scale has no time.
    time: scales ? undefined : rfc3339(core.clock.now()),
    apiVersion: apiVersionOf(resource),
    type: resource.type,
    fieldSets: core.fieldSets,
    ...(resource.origin === 'custom'
      ? { isCustomResource: true, versions: versionsOf(core, target, convert) }
      : builtInVersions(core, target)),
    ...(subresource !== undefined && { subresource }),
    ...(scales && { subresource: 'scale' }),
    ...resource.strategy.resetFields?.(subresource),
  };
}

/** The versions of a built-in kind that has several, for the same purpose. */
function builtInVersions({ registry }: Core, { resource, subresource }: WriteTarget): Pick<TrackOptions, 'versions'> {
  // Fields written through another group have no manager, as on the real server.
  const served = registry.builtInVersions(resource.storageKey).filter(({ group }) => group === resource.group);
  if (served.length < 2) return {};
  const find = (apiVersion: string) => served.find((one) => apiVersionOf(one) === apiVersion);
  return {
    versions: {
      typeOf: (apiVersion) => find(apiVersion)?.type,
      convert(object, apiVersion) {
        const given = object as unknown as Stored;
        const stored = resource.converts?.toStored(given) ?? given;
        return asJson(find(apiVersion)?.converts?.toServed(stored) ?? stored);
      },
      resetFieldsOf: (apiVersion) => find(apiVersion)?.strategy.resetFields?.(subresource)?.resetFields,
    },
  };
}

/** The versions of a custom kind, for fields of managers that wrote another one. */
function versionsOf({ registry }: Core, { resource, subresource }: WriteTarget, convert: Convert): ServedVersions {
  const { group, plural } = resource;
  const served = (apiVersion: string) =>
    apiVersion.startsWith(`${group}/`) ? registry.find(group, apiVersion.slice(group.length + 1), plural) : undefined;
  return {
    typeOf: (apiVersion) => served(apiVersion)?.type,
    convert,
    resetFieldsOf: (apiVersion) => served(apiVersion)?.strategy.resetFields?.(subresource)?.resetFields,
  };
}

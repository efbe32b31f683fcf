import { equal, errorMessage } from '@isthmus/machinery';
import type { Failure } from '@isthmus/machinery';
import type { FieldSet } from './field-set.ts';
import {
  differenceOfFieldSets,
  emptyFieldSet,
  intersectionOfFieldSets,
  isEmptyFieldSet,
  unionOfFieldSets,
} from './field-set.ts';
import { fieldSetOf } from './field-set-of.ts';
import { conflictFailure } from './conflict.ts';
import { conflictsNotLastApplied, withLastApplied } from './last-applied.ts';
import type { ManagedFieldsEntry, Manager, Managers } from './managers.ts';
import { managerId, parseManagedFields } from './managers.ts';
import { mergeTyped } from './merge-typed.ts';
import type { OwnershipConflict, OwnershipRules } from './ownership.ts';
import { changeOwnership, reconcileManagers, withoutServerFields } from './ownership.ts';
import { removeFields, withNamedFields } from './remove-fields.ts';
import type { JsonObject } from './shape.ts';
import { memberOf } from './shape.ts';
import type { TrackOptions } from './track-update.ts';
import {
  metadataOf,
  ownershipRules,
  printed,
  recordUpdate,
  unservedVersion,
  withoutManagedFields,
} from './track-update.ts';
import { formatTypedErrors, validateTyped } from './validate-typed.ts';

export interface ApplyOptions extends TrackOptions {
  /** The kind of the resource at `apiVersion`. */
  readonly kind: string;
  /** Takes over fields of other managers, instead of reporting a conflict. */
  readonly force: boolean;
}

export type ApplyResult =
  | {
      readonly kind: 'applied';
      /** The merged object, without `managedFields`, defaults or validation. */
      readonly object: JsonObject;
      readonly managedFields: readonly ManagedFieldsEntry[] | undefined;
    }
  /** 409: another manager's fields would change. */
  | { readonly kind: 'conflicts'; readonly conflicts: readonly OwnershipConflict[]; readonly failure: Failure }
  /**
   * The configuration cannot be applied, whatever the field managers: 400 with reason BadRequest,
   * or 500, whose Status has no reason.
   */
  | { readonly kind: 'refused'; readonly code: 400 | 500; readonly message: string };

/**
 * Server-side apply: merges a configuration into the live object and records the manager's fields.
 * It removes fields that the manager applied before, no longer applies, and shares with no other
 * manager. Changing a value that another manager owns is a conflict unless forced. Applying the
 * same value makes both managers owners.
 *
 * `live` is the stored object in the request's version. For a creation it has only `apiVersion` and
 * `kind`. An apply that changes nothing keeps the time of the manager's entry. Manager `kubectl`
 * takes over the fields of a client-side apply, read from its annotation, without conflict, and
 * updates that annotation. Neither argument is changed.
 */
export function apply(live: JsonObject, configuration: JsonObject, options: ApplyOptions): ApplyResult {
  const refusal = refusalOf(configuration, options);
  if (refusal !== undefined) return refusal;
  const liveObject = withoutManagedFields(live);
  let managers: Managers;
  try {
    managers = parseManagedFields(memberOf(metadataOf(live), 'managedFields'), options.fieldSets);
  } catch (error) {
    return internalError(`failed to decode managed fields: ${errorMessage(error)}`);
  }
  const unserved = options.isCustomResource === true ? unservedVersion(managers, options) : undefined;
  if (unserved !== undefined) return internalError(`request to convert CR to an invalid group/version: ${unserved}`);
  const errors = validateTyped(options.type, liveObject, { allowDuplicates: true });
  if (errors.length > 0) {
    return internalError(`failed to create typed live object (${nameOf(live, options)}): ${formatTypedErrors(errors)}`);
  }
  if (managers.size === 0) managers = managersBeforeFirstApply(liveObject, options);

  const first = applyOnce(managers, liveObject, configuration, options);
  if (first.kind === 'applied' || options.manager !== 'kubectl') return resultOf(first, configuration, options);
  const left = conflictsNotLastApplied(first.conflicts, liveObject, options);
  if (left.length > 0) return resultOf({ kind: 'conflicts', conflicts: left }, configuration, options);
  return resultOf(applyOnce(managers, liveObject, configuration, { ...options, force: true }), configuration, options);
}

type Attempt =
  | { readonly kind: 'applied'; readonly object: JsonObject; readonly managers: Managers }
  | { readonly kind: 'conflicts'; readonly conflicts: readonly OwnershipConflict[] };

function applyOnce(stored: Managers, live: JsonObject, configuration: JsonObject, options: ApplyOptions): Attempt {
  const rules = ownershipRules(options);
  const reconciled = reconcileManagers(rules, stored);
  const identity = {
    name: options.manager,
    operation: 'Apply',
    apiVersion: options.apiVersion,
    subresource: options.subresource ?? '',
  } as const;
  const id = managerId(identity);
  const last = reconciled.get(id);
  const configured = fieldSetOf(options.type, configuration);
  const own: Manager = { ...identity, time: last?.time, fields: options.resetFields?.(configured) ?? configured };
  const managers = new Map([...reconciled, [id, own]]);
  const merged = (mergeTyped(options.type, live, configuration) ?? {}) as JsonObject;
  const object = last === undefined ? merged : withoutAbandoned(rules, merged, managers, [last, own]);
  const update = changeOwnership(rules, managers, [live, object], { by: id, force: options.force });
  if (update.kind === 'conflicts') return update;
  const unchanged = equal(live, object);
  const owned = withoutServerFields(update.managers.get(id)?.fields ?? emptyFieldSet);
  const left = new Map(update.managers);
  left.delete(id);
  if (!isEmptyFieldSet(owned)) left.set(id, { ...own, fields: owned, time: unchanged ? own.time : options.time });
  return { kind: 'applied', object, managers: left };
}

/**
 * Removes fields that the manager applied last time, unless another manager owns them or the
 * manager still applies them. An item of a list or map that the manager did not own stays, with its
 * parents.
 */
function withoutAbandoned(
  rules: OwnershipRules,
  merged: JsonObject,
  managers: Managers,
  [last, own]: readonly [Manager, Manager],
): JsonObject {
  const { versions } = rules;
  const type = versions.typeOf(last.apiVersion);
  if (type === undefined) return merged;
  // Applied fields stay owned. If these are all former fields, there is nothing to remove.
  if (last.apiVersion === rules.apiVersion && isEmptyFieldSet(differenceOfFieldSets(last.fields, own.fields))) {
    return merged;
  }
  const full = inVersion(rules, merged, last.apiVersion);
  const lastFields = withNamedFields(type, last.fields);
  const bare = removeFields(type, full, lastFields) as JsonObject;
  const owned = withOwnedAgain(rules, [full, bare], managers, last.apiVersion);
  const gone = differenceOfFieldSets(
    withNamedFields(type, fieldSetOf(type, full)),
    withNamedFields(type, fieldSetOf(type, inVersion(rules, owned, last.apiVersion))),
  );
  const left = removeFields(type, full, intersectionOfFieldSets(gone, lastFields)) as JsonObject;
  return last.apiVersion === rules.apiVersion ? left : versions.convert(left, rules.apiVersion);
}

/**
 * The bare object with all fields of the full one that any manager owns. These are read version by
 * version: first in that of the two objects, then by name.
 */
function withOwnedAgain(
  rules: OwnershipRules,
  [full, bare]: readonly [JsonObject, JsonObject],
  managers: Managers,
  firstVersion: string,
): JsonObject {
  const ownedAt = new Map<string, FieldSet>();
  for (const { apiVersion, fields } of managers.values()) {
    ownedAt.set(apiVersion, unionOfFieldSets(ownedAt.get(apiVersion) ?? emptyFieldSet, fields));
  }
  const others = [...ownedAt.keys()].filter((apiVersion) => apiVersion !== firstVersion).sort();
  let result = bare;
  for (const apiVersion of [firstVersion, ...others]) {
    const type = rules.versions.typeOf(apiVersion);
    const owned = ownedAt.get(apiVersion);
    if (type === undefined || owned === undefined) continue;
    const whole = inVersion(rules, full, apiVersion);
    const stays = unionOfFieldSets(
      withNamedFields(type, fieldSetOf(type, inVersion(rules, result, apiVersion))),
      withNamedFields(type, owned),
    );
    const goes = differenceOfFieldSets(withNamedFields(type, fieldSetOf(type, whole)), stays);
    result = removeFields(type, whole, goes) as JsonObject;
  }
  return result;
}

function inVersion(rules: OwnershipRules, object: JsonObject, apiVersion: string): JsonObject {
  return memberOf(object, 'apiVersion') === apiVersion ? object : rules.versions.convert(object, apiVersion);
}

/** An existing object without field managers is assigned to one manager, `before-first-apply`. */
function managersBeforeFirstApply(live: JsonObject, options: ApplyOptions): Managers {
  const empty: JsonObject = { apiVersion: options.apiVersion, kind: options.kind };
  return recordUpdate(new Map(), [empty, live], { ...options, manager: 'before-first-apply' });
}

function resultOf(attempt: Attempt, configuration: JsonObject, options: ApplyOptions): ApplyResult {
  if (attempt.kind === 'conflicts') return { ...attempt, failure: conflictFailure(attempt.conflicts) };
  const object = options.manager === 'kubectl' ? withLastApplied(attempt.object, configuration) : attempt.object;
  return { kind: 'applied', object, managedFields: printed(attempt.managers, options) };
}

function refusalOf(configuration: JsonObject, options: ApplyOptions): ApplyResult | undefined {
  const found = kindText(memberOf(configuration, 'apiVersion'), memberOf(configuration, 'kind'));
  if (found !== kindText(options.apiVersion, options.kind)) {
    return { kind: 'refused', code: 400, message: `invalid object type: ${found}` };
  }
  const given = memberOf(metadataOf(configuration), 'managedFields');
  if (Array.isArray(given)) return { kind: 'refused', code: 400, message: 'metadata.managedFields must be nil' };
  const errors = validateTyped(options.type, configuration, { allowDuplicates: false });
  if (errors.length === 0) return undefined;
  const name = nameOf(configuration, options);
  return internalError(`failed to create typed patch object (${name}): ${formatTypedErrors(errors)}`);
}

/** `namespace/name; group/version, Kind=kind`. */
function nameOf(object: JsonObject, options: ApplyOptions): string {
  const text = (key: string): string => {
    const value = memberOf(metadataOf(object), key);
    return typeof value === 'string' ? value : '';
  };
  return `${text('namespace')}/${text('name')}; ${kindText(options.apiVersion, options.kind)}`;
}

function kindText(apiVersion: unknown, kind: unknown): string {
  const version = typeof apiVersion === 'string' ? apiVersion : '';
  return `${version.includes('/') ? version : `/${version}`}, Kind=${typeof kind === 'string' ? kind : ''}`;
}

function internalError(message: string): ApplyResult {
  return { kind: 'refused', code: 500, message };
}

import type { Json } from '@isthmus/schema';
import type { Comparison } from './compare-typed.ts';
import { compareTyped, filterComparison } from './compare-typed.ts';
import type { FieldFilter, FieldSet } from './field-set.ts';
import {
  differenceOfFieldSets,
  emptyFieldSet,
  fieldSetOfPaths,
  intersectionOfFieldSets,
  isEmptyFieldSet,
  pathsOfFieldSet,
  unionOfFieldSets,
} from './field-set.ts';
import type { Manager, Managers } from './managers.ts';
import type { FieldPath } from './path-element.ts';
import { fieldElement } from './path-element.ts';
import { reconcileFieldSet } from './reconcile-fields.ts';
import type { JsonObject } from './shape.ts';
import type { TypeNode } from '../typed/type-node.ts';

/** The versions in which one resource is served, for managers that write another version. */
export interface ServedVersions {
  /**
   * The type of an object in this `apiVersion`; undefined if it is not served. Entries of such a
   * version are dropped.
   */
  readonly typeOf: (apiVersion: string) => TypeNode | undefined;
  /** The object in this `apiVersion`. */
  readonly convert: (object: JsonObject, apiVersion: string) => JsonObject;
  /** The fields that requests of this `apiVersion` may own, if this depends on the version. */
  readonly resetFieldsOf?: ((apiVersion: string) => FieldFilter | undefined) | undefined;
}

/** The versions and types by which ownership is decided. */
export interface OwnershipRules {
  /** The version of the request. */
  readonly apiVersion: string;
  readonly versions: ServedVersions;
  /** The fields that requests of this kind may own; default all. */
  readonly resetFields: FieldFilter | undefined;
}

/** Another manager's field that a request would change. */
export interface OwnershipConflict {
  readonly manager: Manager;
  readonly path: FieldPath;
}

export type OwnershipUpdate =
  | { readonly kind: 'updated'; readonly managers: Managers; readonly comparison: Comparison }
  | { readonly kind: 'conflicts'; readonly conflicts: readonly OwnershipConflict[] };

/** The manager of a change, and whether it takes over fields of others. */
export interface Change {
  readonly by: string;
  readonly force: boolean;
}

/**
 * Removes the fields that differ between `before` and `after`, or are gone, from all managers
 * except `change.by`. Managers without remaining fields are dropped, as are entries of versions
 * that are no longer served. Without `force`, it returns the conflicts with other managers instead.
 */
export function changeOwnership(
  rules: OwnershipRules,
  managers: Managers,
  [before, after]: readonly [JsonObject, JsonObject],
  change: Change,
): OwnershipUpdate {
  const comparisons = new Map<string, Comparison | undefined>();
  const comparisonAt = (apiVersion: string): Comparison | undefined => {
    if (!comparisons.has(apiVersion)) comparisons.set(apiVersion, compareAtVersion(rules, before, after, apiVersion));
    return comparisons.get(apiVersion);
  };
  const left = new Map<string, Manager>();
  const conflicts: OwnershipConflict[] = [];
  for (const [id, manager] of sortedById(managers)) {
    if (id === change.by) {
      if (!isEmptyFieldSet(manager.fields)) left.set(id, manager);
      continue;
    }
    const comparison = comparisonAt(manager.apiVersion);
    if (comparison === undefined) continue;
    const changed = unionOfFieldSets(comparison.modified, comparison.added);
    const taken = intersectionOfFieldSets(manager.fields, changed);
    if (!change.force) conflicts.push(...pathsOfFieldSet(taken).map((path) => ({ manager, path })));
    const fields = differenceOfFieldSets(differenceOfFieldSets(manager.fields, taken), comparison.removed);
    if (!isEmptyFieldSet(fields)) left.set(id, { ...manager, fields });
  }
  if (conflicts.length > 0) return { kind: 'conflicts', conflicts };
  return { kind: 'updated', managers: left, comparison: comparisonAt(rules.apiVersion) ?? noDifference };
}

/**
 * Adapts the entries to types that changed since they were written. If a value became atomic,
 * managers of a part own the whole. If a value became granular, its managers keep their fields.
 */
export function reconcileManagers(rules: OwnershipRules, managers: Managers): Managers {
  const reconciled = new Map<string, Manager>();
  for (const [id, manager] of managers) {
    const type = rules.versions.typeOf(manager.apiVersion);
    if (type !== undefined) reconciled.set(id, { ...manager, fields: reconcileFieldSet(type, manager.fields) });
  }
  return reconciled;
}

/** Only the request's own version is known, and objects need no conversion. */
export function singleVersion(apiVersion: string, type: TypeNode): ServedVersions {
  return { typeOf: (wanted) => (wanted === apiVersion ? type : undefined), convert: (object) => object };
}

/** The managers in the order in which the API server reports their conflicts. */
export function sortedById(managers: Managers): readonly (readonly [string, Manager])[] {
  return [...managers].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}

/**
 * The set without the fields that never have a manager on the API server: identity, and those that
 * the server sets.
 */
export function withoutServerFields(fields: FieldSet): FieldSet {
  return differenceOfFieldSets(fields, serverFields);
}

function compareAtVersion(
  rules: OwnershipRules,
  before: JsonObject,
  after: JsonObject,
  apiVersion: string,
): Comparison | undefined {
  const type = rules.versions.typeOf(apiVersion);
  if (type === undefined) return undefined;
  const at = (object: JsonObject): Json =>
    apiVersion === rules.apiVersion ? object : rules.versions.convert(object, apiVersion);
  const { resetFieldsOf } = rules.versions;
  const resetFields = resetFieldsOf === undefined ? rules.resetFields : resetFieldsOf(apiVersion);
  return filterComparison(compareTyped(type, at(before), at(after)), resetFields);
}

const noDifference: Comparison = { added: emptyFieldSet, modified: emptyFieldSet, removed: emptyFieldSet };

const serverFields: FieldSet = fieldSetOfPaths([
  [fieldElement('apiVersion')],
  [fieldElement('kind')],
  [fieldElement('metadata')],
  ...[
    'name',
    'namespace',
    'creationTimestamp',
    'selfLink',
    'uid',
    'clusterName',
    'generation',
    'managedFields',
    'resourceVersion',
  ].map((name) => [fieldElement('metadata'), fieldElement(name)]),
]);

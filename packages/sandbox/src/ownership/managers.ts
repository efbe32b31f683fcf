import { parseRfc3339 } from '@isthmus/machinery';
import { goJson, goQuote } from '@isthmus/schema';
import type { FieldSet } from './field-set.ts';
import type { FieldsV1 } from './fields-v1.ts';
import type { FieldSets } from './field-sets.ts';
import { plainFieldSets } from './field-sets.ts';

/** One entry of `metadata.managedFields`. */
export interface ManagedFieldsEntry {
  readonly manager?: string | undefined;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  /** RFC 3339, in seconds. */
  readonly time?: string | undefined;
  readonly fieldsType: 'FieldsV1';
  readonly fieldsV1?: FieldsV1 | undefined;
  readonly subresource?: string | undefined;
}

/** An entry with its fields as a set. */
export interface Manager {
  readonly name: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource: string;
  readonly time: string | undefined;
  readonly fields: FieldSet;
}

/** Managers by {@link managerId}. */
export type Managers = ReadonlyMap<string, Manager>;

/**
 * The identity of a manager: name, operation and subresource, and for updates the version too. The
 * text is the API server's own, since conflicts are listed in its order.
 */
export function managerId(manager: Pick<Manager, 'name' | 'operation' | 'apiVersion' | 'subresource'>): string {
  const parts: readonly (readonly [string, string])[] = [
    ['manager', manager.name],
    ['operation', manager.operation],
    ['apiVersion', manager.operation === 'Apply' ? '' : manager.apiVersion],
    ['subresource', manager.subresource],
  ];
  const present = parts.filter(([, value]) => value !== '');
  return `{${present.map(([key, value]) => `${goJson(key)}:${goJson(value)}`).join(',')}}`;
}

/**
 * A manager as conflict messages name it: `"kubectl-edit" with subresource "status" using v1`; no
 * version for who applies.
 */
export function printManager(manager: Manager): string {
  const subresource = manager.subresource === '' ? '' : ` with subresource ${goQuote(manager.subresource)}`;
  const version = manager.operation === 'Update' ? ` using ${manager.apiVersion}` : '';
  return `${goQuote(manager.name)}${subresource}${version}`;
}

/**
 * Reads `metadata.managedFields`. Of two entries with one id the later counts.
 *
 * Errors, in the API server's words: an operation other than the two, no `apiVersion`, another
 * `fieldsType`; in ours: `fieldsV1` that cannot be read.
 */
export function parseManagedFields(entries: unknown, fieldSets: FieldSets = plainFieldSets): Managers {
  const managers = new Map<string, Manager>();
  if (!Array.isArray(entries)) return managers;
  for (const [i, entry] of entries.entries()) {
    const manager = parseEntry(i, entry as Readonly<Record<string, unknown>>, fieldSets);
    managers.set(managerId(manager), manager);
  }
  return managers;
}

/**
 * Writes `metadata.managedFields` in the API server's order: by operation, time, manager, version,
 * subresource.
 */
export function printManagedFields(
  managers: Managers,
  fieldSets: FieldSets = plainFieldSets,
): readonly ManagedFieldsEntry[] {
  return [...managers.values()].sort(compareManagers).map((manager) => ({
    ...(manager.name === '' ? {} : { manager: manager.name }),
    operation: manager.operation,
    apiVersion: manager.apiVersion,
    ...(manager.time === undefined ? {} : { time: manager.time }),
    fieldsType: 'FieldsV1',
    fieldsV1: fieldSets.print(manager.fields),
    ...(manager.subresource === '' ? {} : { subresource: manager.subresource }),
  }));
}

/** Seconds since 1970; 0 for no time, as the API server sorts it. */
export function secondsOf(manager: Manager): number {
  const ms = manager.time === undefined ? undefined : parseRfc3339(manager.time);
  return ms === undefined ? 0 : Math.floor(ms / 1000);
}

function compareManagers(a: Manager, b: Manager): number {
  return (
    compareText(a.operation, b.operation) ||
    secondsOf(a) - secondsOf(b) ||
    compareText(a.name, b.name) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
  );
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function parseEntry(index: number, entry: Readonly<Record<string, unknown>>, fieldSets: FieldSets): Manager {
  const { operation, apiVersion, fieldsType } = {
    operation: textOf(entry, 'operation'),
    apiVersion: textOf(entry, 'apiVersion'),
    fieldsType: textOf(entry, 'fieldsType'),
  };
  if (operation !== 'Apply' && operation !== 'Update') throw new Error('operation must be `Apply` or `Update`');
  if (apiVersion === '') throw new Error('apiVersion must not be empty');
  if (fieldsType === '') throw new Error(`missing fieldsType in managed fields entry ${index}`);
  if (fieldsType !== 'FieldsV1') {
    throw new Error(`invalid fieldsType ${goQuote(fieldsType)} in managed fields entry ${index}`);
  }
  const time = textOf(entry, 'time');
  return {
    name: textOf(entry, 'manager'),
    operation,
    apiVersion,
    subresource: textOf(entry, 'subresource'),
    time: time === '' ? undefined : time,
    fields: fieldSets.parse(entry['fieldsV1']),
  };
}

function textOf(entry: Readonly<Record<string, unknown>>, key: string): string {
  const value = entry[key];
  return typeof value === 'string' ? value : '';
}

/**
 * The common rules of built-in kinds, with the texts of a real 1.36. Each returns its errors; none
 * for a valid value.
 */
import {
  dns1123LabelErrors,
  dns1123SubdomainErrors,
  equal,
  labelValueErrors,
  portNameErrors,
  portNumberErrors,
  qualifiedNameErrors,
} from '@isthmus/machinery';
import { validateObjectMeta } from '@isthmus/schema';
import type { FieldError } from '@isthmus/schema';
import { invalidValue } from '../refusal/refusal.ts';
import type { Stored } from '../store/stored.ts';

export function invalid(path: string, value: unknown, detail: string): FieldError {
  return { path, type: 'Invalid', value, detail };
}

export function required(path: string, detail = ''): FieldError {
  return { path, type: 'Required', value: '', detail };
}

export function forbidden(path: string, detail: string): FieldError {
  return { path, type: 'Forbidden', value: '', detail };
}

export function duplicate(path: string, value: unknown): FieldError {
  return { path, type: 'Duplicate', value, detail: '' };
}

/** `supported` in the order in which the text names them. */
export function notSupported(path: string, value: unknown, supported: readonly string[]): FieldError {
  const named = supported.map((one) => JSON.stringify(one)).join(', ');
  return { path, type: 'NotSupported', value, detail: `supported values: ${named}` };
}

export function tooLong(path: string, limit: number): FieldError {
  return { path, type: 'TooLong', value: '', detail: `may not be more than ${limit} bytes` };
}

export function tooMany(path: string, count: number, limit: number): FieldError {
  return { path, type: 'TooMany', value: count, detail: `must have at most ${limit} items` };
}

export function immutable(path: string, next: unknown, before: unknown): readonly FieldError[] {
  return equal(next ?? null, before ?? null) ? [] : [invalid(path, next, 'field is immutable')];
}

export function oneOf(path: string, value: string, supported: readonly string[]): readonly FieldError[] {
  return supported.includes(value) ? [] : [notSupported(path, value, supported)];
}

export const dnsLabel = ruleOf((text) => dns1123LabelErrors(text).map(inCharacters));
export const dnsSubdomain = ruleOf((text) => dns1123SubdomainErrors(text).map(inCharacters));
export const qualifiedName = ruleOf(qualifiedNameErrors);
export const labelValue = ruleOf(labelValueErrors);
export const portName = ruleOf(portNameErrors);

export function portNumber(path: string, value: number): readonly FieldError[] {
  return portNumberErrors(value).map((why) => invalid(path, value, why));
}

/** Labels, or a selector of the old kind. */
export function labelsRule(path: string, labels: Readonly<Record<string, string>>): readonly FieldError[] {
  return Object.entries(labels).flatMap(([key, value]) => [
    ...qualifiedNameErrors(key).map((why) => invalid(path, key, why)),
    ...labelValueErrors(value).map((why) => invalid(path, value, why)),
  ]);
}

/** Keys of ConfigMaps and Secrets. */
export function configKeyErrors(key: string): readonly string[] {
  const errors: string[] = [];
  if (key.length > 253) errors.push('must be no more than 253 characters');
  if (!/^[-._a-zA-Z0-9]+$/.test(key)) {
    errors.push(
      "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
    );
  }
  if (key === '.') errors.push("must not be '.'");
  else if (key === '..') errors.push("must not be '..'");
  else if (key.startsWith('..')) errors.push("must not start with '..'");
  return errors;
}

/**
 * The errors of the metadata of an object, without regard to its former state. The rules for names
 * depend on the kind and are checked elsewhere.
 */
export function metadataForm({ metadata }: Stored, namespaced = true): readonly FieldError[] {
  return validateObjectMeta(metadata, namespaced).flatMap((error) => {
    const { path, value, detail } = error;
    if (path === 'metadata.name' || path === 'metadata.generateName') return [];
    return path === 'metadata.ownerReferences' ? [invalidValue(path, value, detail)] : [error];
  });
}

/** Some kinds look at the whole metadata once more when they are updated. */
export function metadataAgain(object: Stored): readonly FieldError[] {
  return [...metadataForm(object), ...finalizerNames(object)];
}

const standardFinalizers: ReadonlySet<string> = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

/** Finalizers of most built-in kinds are standard ones or have a domain. */
export function finalizerNames({ metadata: { finalizers = [] } }: Stored): readonly FieldError[] {
  const detail = 'name is neither a standard finalizer name nor is it fully qualified';
  return finalizers.flatMap((finalizer, index) =>
    finalizer.includes('/') || standardFinalizers.has(finalizer)
      ? []
      : [invalid(`metadata.finalizers[${index}]`, finalizer, detail)],
  );
}

/** An object without the fields that are undefined. */
export function compact<T extends object>(object: T): T {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T;
}

/** Older rules of the real server count characters, newer ones bytes. */
function inCharacters(text: string): string {
  return text.replace(/^(must be no more than \d+) bytes$/, '$1 characters');
}

function ruleOf(errors: (text: string) => readonly string[]): (path: string, value: string) => readonly FieldError[] {
  return (path, value) => errors(value).map((why) => invalid(path, value, why));
}

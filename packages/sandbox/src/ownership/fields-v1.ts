import type { FieldSet, FieldSetEntry } from './field-set.ts';
import { emptyFieldSet, sortedEntries } from './field-set.ts';
import { parsePathElement } from './path-element.ts';

/**
 * A set of fields in the form of `managedFields[].fieldsV1`: steps contain steps, and `.` marks the
 * path so far as a member.
 */
export interface FieldsV1 {
  readonly [element: string]: FieldsV1;
}

/**
 * Reads `fieldsV1`. Steps of unknown kinds are ignored with everything below them, as on the API
 * server.
 *
 * Errors: a value that is not an object; a step that cannot be read.
 */
export function parseFieldsV1(fields: unknown): FieldSet {
  if (fields === undefined || fields === null) return emptyFieldSet;
  return readLevel(fields, '').children;
}

/**
 * Writes `fieldsV1`: `.` first, then the steps in the API server's order (fields, keys, values;
 * numbers by size). Of custom resources, the API server sorts the keys of all objects by their text
 * when it encodes them: that is for the encoder.
 */
export function printFieldsV1(set: FieldSet): FieldsV1 {
  return Object.fromEntries(sortedEntries(set).map((entry) => [entry.element.text, printEntry(entry)]));
}

function printEntry(entry: FieldSetEntry): FieldsV1 {
  const below = printFieldsV1(entry.children);
  return entry.member && entry.children.entries.size > 0 ? { '.': {}, ...below } : below;
}

function readLevel(fields: unknown, at: string): { readonly member: boolean; readonly children: FieldSet } {
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) {
    throw new Error(`reading managed fields at ${JSON.stringify(at)}: an object is expected`);
  }
  let member = false;
  const entries = new Map<string, FieldSetEntry>();
  for (const [text, below] of Object.entries(fields)) {
    if (text === '.') {
      member = true;
      continue;
    }
    const element = parsePathElement(text);
    if (element === undefined) continue;
    const inner = readLevel(below, `${at}/${text}`);
    // A step without anything known below it is a member.
    const isMember = inner.member || inner.children.entries.size === 0;
    entries.set(element.text, { element, member: isMember, children: inner.children });
  }
  return { member, children: entries.size === 0 ? emptyFieldSet : { entries } };
}

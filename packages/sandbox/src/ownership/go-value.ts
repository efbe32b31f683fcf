import { goNumber, goQuote } from '@isthmus/schema';
import type { Json } from '@isthmus/schema';
import { asObject, keysOf, memberOf } from './shape.ts';

/** A decoded JSON value as Go's %v writes it: `map[a:1 b:[x y]]`. */
export function goText(value: Json): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return goNumber(value);
  if (value === null) return '<nil>';
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`;
  return `map[${membersOf(value, (key, member) => `${key}:${goText(member)}`).join(' ')}]`;
}

/** A decoded JSON value as Go's %#v writes it. */
export function goSyntax(value: Json): string {
  if (typeof value === 'string') return goQuote(value);
  if (typeof value === 'number') return goNumber(value);
  if (value === null) return 'interface {}(nil)';
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  return `map[string]interface {}{${membersOf(value, (key, member) => `${goQuote(key)}:${goSyntax(member)}`).join(', ')}}`;
}

/** Sorted by key, as Go prints maps. */
function membersOf(value: Json, print: (key: string, member: Json) => string): readonly string[] {
  const object = asObject(value);
  return keysOf(object)
    .toSorted()
    .map((key) => print(key, memberOf(object, key) ?? null));
}

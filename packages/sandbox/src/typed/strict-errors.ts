import { goQuote } from '@isthmus/schema';
import type { Entry, Oddities } from './parsed-json.ts';

/** Further errors are not reported. */
const maxStrictErrors = 100;

const maxDepth = 1000;

/** The errors of the strict decoder, in its order: each error once, at most 100. */
export interface StrictErrors {
  add(what: 'unknown field' | 'duplicate field', path: string): void;
  /** `unknown field "spec.foo"`. */
  readonly list: readonly string[];
}

export function createStrictErrors(): StrictErrors {
  const found = new Set<string>();
  return {
    add(what, path) {
      if (found.size < maxStrictErrors) found.add(`${what} ${goQuote(path)}`);
    },
    get list() {
      return [...found];
    },
  };
}

/** `path` and a key below it. */
export const below = (path: string, key: string) => (path === '' ? key : `${path}.${key}`);

/** The entries of an object as they were written, those of repeated keys included. */
export function entriesOf(object: object, oddities: Oddities): readonly Entry[] {
  const written = oddities.entries.get(object);
  if (written !== undefined) return written;
  const literals = oddities.literals.get(object);
  return Object.entries(object).map(([key, value]) => ({ key, value: value as unknown, literal: literals?.get(key) }));
}

/**
 * The errors for repeated keys anywhere in a value, in the form of the strict decoder for custom
 * resources: `duplicate field "spec.list[0].a"`. Levels deeper than 1,000 are not checked, since
 * the stack is limited.
 */
export function duplicateFields(value: unknown, oddities: Oddities): readonly string[] {
  if (oddities.entries.size === 0) return [];
  const strict = createStrictErrors();
  walk(value, '', 0);
  return strict.list;

  function walk(one: unknown, path: string, depth: number): void {
    if (typeof one !== 'object' || one === null || depth > maxDepth) return;
    if (Array.isArray(one)) return one.forEach((item, index) => walk(item, `${path}[${index}]`, depth + 1));
    const seen = new Set<string>();
    for (const { key, value: item } of entriesOf(one, oddities)) {
      if (seen.has(key)) strict.add('duplicate field', below(path, key));
      seen.add(key);
      walk(item, below(path, key), depth + 1);
    }
    return undefined;
  }
}

import fc from 'fast-check';
import type { JsonObject } from './frame.ts';

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export interface MutationOptions {
  /** Texts and numbers at the limits of this kind, besides the general ones. */
  readonly borders?: readonly (string | number)[] | undefined;
  /** Paths of fields whose parts are left as they are: `metadata`, `spec.clusterIP`. */
  readonly keep?: readonly string[] | undefined;
}

/**
 * Objects as they are, and as often objects with one to three mistakes: fields gone, of a wrong
 * type, unknown, at a border, twice.
 */
export function mutated(objects: fc.Arbitrary<JsonObject>, options: MutationOptions = {}): fc.Arbitrary<JsonObject> {
  const values = fc.constantFrom<Json>(...borders, ...(options.borders ?? []));
  const change = fc.oneof(
    { weight: 3, arbitrary: fc.constant<Change>({ kind: 'drop' }) },
    { weight: 6, arbitrary: values.map((value): Change => ({ kind: 'replace', value })) },
    { weight: 1, arbitrary: fc.constant<Change>({ kind: 'add' }) },
    { weight: 2, arbitrary: fc.constant<Change>({ kind: 'repeat' }) },
    { weight: 2, arbitrary: fc.constant<Change>({ kind: 'spoil' }) },
  );
  const mistake = fc.record({ at: fc.nat({ max: 10_000 }), change });
  const mistakes = fc.oneof(fc.array(mistake, { maxLength: 0 }), fc.array(mistake, { minLength: 1, maxLength: 3 }));
  return fc
    .record({ object: objects, mistakes })
    .map(({ object, mistakes: all }) =>
      all.reduce<JsonObject>((now, one) => applied(now, one, options.keep ?? []), object),
    );
}

type Change =
  | { readonly kind: 'drop' }
  | { readonly kind: 'replace'; readonly value: Json }
  /** An unknown field beside it. */
  | { readonly kind: 'add' }
  /** The item of a list occurs twice in it. */
  | { readonly kind: 'repeat' }
  /** A text with a character that few fields allow. */
  | { readonly kind: 'spoil' };

const borders: readonly Json[] = [
  null,
  true,
  0,
  -1,
  1.5,
  65_535,
  65_536,
  2 ** 31,
  2 ** 53,
  '',
  'a',
  'Upper.Case',
  '-a-',
  'a_b',
  'a/b',
  'x'.repeat(64),
  [],
  {},
  ['a'],
  { a: 'b' },
];

/** The way to a value: names of fields and indexes of items. */
type Path = readonly (string | number)[];

function applied(
  object: JsonObject,
  { at, change }: { readonly at: number; readonly change: Change },
  keep: readonly string[],
): JsonObject {
  const paths = pathsOf(object as Json, [], new Set(keep));
  const path = paths[at % paths.length];
  return path === undefined ? object : (changed(object as Json, path, change) as JsonObject);
}

/** All paths below the root, except those to `apiVersion` and `kind` and those in `keep`. */
function pathsOf(value: Json, to: Path, keep: ReadonlySet<string>): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    const path = [...to, Array.isArray(value) ? Number(key) : key];
    if (keep.has(path.join('.')) || (to.length === 0 && (key === 'apiVersion' || key === 'kind'))) return [];
    return [path, ...pathsOf(member, path, keep)];
  });
}

function changed(value: Json, [key, ...rest]: Path, change: Change): Json {
  if (key === undefined || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const index = Number(key);
    return value.flatMap((item: Json, at) => {
      if (at !== index) return [item];
      if (rest.length > 0) return [changed(item, rest, change)];
      if (change.kind === 'repeat') return [item, item];
      return replaced(item, change).flatMap(([, one]) => [one]);
    });
  }
  const entries = Object.entries(value as { readonly [name: string]: Json });
  return Object.fromEntries(
    entries.flatMap(([name, member]) => {
      if (name !== key) return [[name, member] as const];
      if (rest.length > 0) return [[name, changed(member, rest, change)] as const];
      return replaced(member, change).map(([suffix, one]) => [`${name}${suffix}`, one] as const);
    }),
  );
}

/** The replacements of a value: the suffixes of the names, and the values. */
function replaced(value: Json, change: Change): readonly (readonly [suffix: string, value: Json])[] {
  switch (change.kind) {
    case 'drop':
      return [];
    case 'replace':
      return [['', change.value]];
    case 'add':
      return [
        ['', value],
        ['X', value],
      ];
    case 'repeat':
      return [['', value]];
    case 'spoil':
      return [['', typeof value === 'string' ? `${value}_!` : [value]]];
  }
}

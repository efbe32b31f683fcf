/** Lists and maps as they are merged, defaults, validation rules, and alternatives. */
import { canonicalJson } from '@isthmus/machinery';
import { rulesOf } from '@isthmus/schema';
import type { JsonSchema, ValidationRule } from '@isthmus/schema';
import { changeAt, same, text } from './schema-change.ts';
import type { Compare, Pair, SchemaChange } from './schema-change.ts';
import { named } from './compare-values.ts';

/** `x-kubernetes-list-type` (F26, F28). */
export const compareListTypes: Compare = (pair) => {
  const key = 'x-kubernetes-list-type';
  const [had, has] = [pair.old[key] ?? 'atomic', pair.next[key] ?? 'atomic'];
  if (had === has) return [];
  const message = `the list ${named(pair)} changes from ${had} to ${has}`;
  if (has === 'atomic') {
    return [
      changeAt(pair, key, {
        rule: 'F28',
        message,
        hint: 'Inform the owners of manifests: their apply now owns the whole list.',
      }),
    ];
  }
  const hint =
    'Remove duplicates from stored objects and from Git first: plain updates of them pass as long as they have some, server-side apply and new objects with duplicates do not.';
  return [changeAt(pair, key, { rule: 'F26', message, hint })];
};

/** `x-kubernetes-list-map-keys` (F27). */
export const compareListKeys: Compare = (pair) => {
  const key = 'x-kubernetes-list-map-keys';
  const sorted = (schema: JsonSchema) => (schema[key] ?? []).toSorted();
  // Unless both are lists of type map, the change of the type already reports it.
  const areMaps = [pair.old, pair.next].every((one) => one['x-kubernetes-list-type'] === 'map');
  if (!areMaps || same(sorted(pair.old), sorted(pair.next))) return [];
  const message = `items of ${named(pair)} are the same by ${text(pair.next[key])}, no longer by ${text(pair.old[key])}`;
  return [
    changeAt(pair, key, { rule: 'F27', message, hint: 'Check the stored objects for items that become duplicates.' }),
  ];
};

/** `x-kubernetes-map-type` (F28). */
export const compareMapTypes: Compare = (pair) => {
  const key = 'x-kubernetes-map-type';
  const [had, has] = [pair.old[key] ?? 'granular', pair.next[key] ?? 'granular'];
  if (had === has) return [];
  const message = `the map ${named(pair)} changes from ${had} to ${has}`;
  return [
    changeAt(pair, key, {
      rule: 'F28',
      message,
      hint: 'Inform the owners of manifests: field ownership of the map changes.',
    }),
  ];
};

/**
 * `default` (F19). A default that a required field loses is F05, which is reported at `required`.
 */
export const compareDefaults: Compare = (pair) => {
  const message = `the default of ${named(pair)} changes from ${text(pair.old.default)} to ${text(pair.next.default)}`;
  const hint = 'Objects that leave the field out change their meaning when they are read: check that this is wanted.';
  return [changeAt(pair, 'default', { rule: 'F19', message, hint })];
};

/**
 * `x-kubernetes-validations` (F30, F31, F32): rules are the same if their text and
 * `optionalOldSelf` are.
 */
export const compareRules: Compare = (pair) => {
  const key = 'x-kubernetes-validations';
  const textOf = ({ rule, optionalOldSelf = false }: ValidationRule) => canonicalJson([rule.trim(), optionalOldSelf]);
  const texts = (schema: JsonSchema) => new Set(rulesOf(schema).map(textOf));
  const [had, has] = [texts(pair.old), texts(pair.next)];
  const say = (rule: ValidationRule, what: Pick<SchemaChange, 'rule' | 'message' | 'hint'>): SchemaChange => ({
    ...what,
    pointer: `${pair.pointer}/${key}`,
    field: pair.field,
    ...(what.rule === 'F32' ? { old: rule.rule } : { new: rule.rule }),
  });
  const added = rulesOf(pair.next).filter((rule) => !had.has(textOf(rule)));
  const removed = rulesOf(pair.old).filter((rule) => !has.has(textOf(rule)));
  return [
    ...added.map((rule) =>
      isTransition(rule)
        ? say(rule, {
            rule: 'F31',
            message: `updates of ${named(pair)} must meet a new rule: ${text(rule.rule)}`,
            hint: 'Check which clients change the field; some changes are rejected now.',
          })
        : say(rule, {
            rule: 'F30',
            message: `${named(pair)} must meet a new rule: ${text(rule.rule)}`,
            hint: 'Check the stored objects: `isthmus upgrade check objects` evaluates the rule on them.',
          }),
    ),
    ...removed.map((rule) =>
      say(rule, { rule: 'F32', message: `${named(pair)} no longer has the rule: ${text(rule.rule)}`, hint: '' }),
    ),
  ];
};

/**
 * Whether a rule compares with what was before: texts in quotes, comments and a field of that name
 * do not count.
 */
function isTransition({ rule }: ValidationRule): boolean {
  return /(?<!\.\??\s*)\boldSelf\b/.test(rule.replaceAll(textsAndComments, ' '));
}

/**
 * Matches texts and comments of CEL: raw texts, which have no escapes, texts in three quotes and in
 * one, and comments.
 */
const textsAndComments = new RegExp(
  [
    String.raw`\b[bB]?[rR](?:"{3}[^]*?"{3}|'{3}[^]*?'{3}|"[^"\n]*"|'[^'\n]*')`,
    String.raw`"{3}(?:[^\\]|\\[^])*?"{3}|'{3}(?:[^\\]|\\[^])*?'{3}`,
    String.raw`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'`,
    String.raw`//[^\n]*`,
  ].join('|'),
  'g',
);

type Alternatives = 'oneOf' | 'anyOf' | 'allOf' | 'not';

/**
 * `oneOf`, `anyOf`, `allOf`, `not` (F34, F08, F15): their meaning is not compared; only the
 * requirements in `allOf` are reported.
 */
export function compareAlternatives(key: Alternatives): Compare {
  return (pair) => {
    if (pair.next[key] === undefined || same(pair.next[key], [])) {
      return [changeAt(pair, key, { rule: 'F15', message: `${named(pair)} no longer has ${key}`, hint: '' })];
    }
    const required = key === 'allOf' ? newlyRequired(pair) : [];
    const message = `${key} of ${named(pair)} changes`;
    const hint = 'Check the stored objects: `isthmus upgrade check objects` lists the objects that break it.';
    const rest = changeAt(pair, key, { rule: 'F34', message, hint });
    return [...required, rest];
  };
}

/** The fields that `allOf` newly requires. */
function newlyRequired({ old, next, pointer, field }: Pair): readonly SchemaChange[] {
  const asked = (schema: JsonSchema) => new Set((schema.allOf ?? []).flatMap(({ required = [] }) => required));
  const before = new Set([...asked(old), ...(old.required ?? [])]);
  return [...asked(next)]
    .filter((name) => !before.has(name) && next.properties?.[name]?.default === undefined)
    .toSorted()
    .map((name) => {
      const at = field === '' ? name : `${field}.${name}`;
      const hint = `Give ${at} a default, or set it in all stored objects first.`;
      return {
        rule: 'F08',
        pointer: `${pointer}/allOf`,
        field: at,
        message: `${at} is required by allOf and has no default`,
        hint,
      };
    });
}

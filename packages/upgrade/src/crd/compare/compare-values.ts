/**
 * Compares the constraints of one value: type, format, null, enum, limits, pattern.
 */
import { isKnownStringFormat } from '@isthmus/schema';
import type { Json, JsonSchema } from '@isthmus/schema';
import { changeAt, same, text } from './schema-change.ts';
import type { Compare, Pair, SchemaChange } from './schema-change.ts';

const otherVersion = 'Keep the old form in this version and add a new version with the new one.';
const rewrite = 'Bring the stored objects into the new form first, or keep the old rule.';

/** `type` and `x-kubernetes-int-or-string` (F03, F04, F24). */
export const compareTypes: Compare = (pair) => {
  const { old, next } = pair;
  const had = typeOf(old);
  const has = typeOf(next);
  if (had === has) return [];
  const say = (rule: 'F03' | 'F04' | 'F24', hint: string): readonly SchemaChange[] => [
    {
      ...changeAt(pair, undefined, { rule, message: `the type of ${named(pair)} changes from ${had} to ${has}`, hint }),
      old: had,
      new: has,
    },
  ];
  if (isWider(had, has, next)) return say('F04', 'Check that clients with generated types can read both.');
  if (had === 'int-or-string' && (has === 'integer' || has === 'string')) return say('F24', rewrite);
  return say('F03', otherVersion);
};

/**
 * Whether values can be judged by the rules below at all: not after a change of type that replaces
 * them.
 */
export function keepsType({ old, next }: Pair): boolean {
  const had = typeOf(old);
  const has = typeOf(next);
  return had === has || isWider(had, has, next) || (had === 'int-or-string' && has !== 'array' && has !== 'object');
}

function typeOf(schema: JsonSchema): string {
  if (schema['x-kubernetes-int-or-string'] === true) return 'int-or-string';
  return schema.type ?? 'any';
}

function isWider(had: string, has: string, next: JsonSchema): boolean {
  if (has === 'int-or-string') return had === 'integer' || had === 'string';
  if (has === 'any') return had !== 'object' || next['x-kubernetes-preserve-unknown-fields'] === true;
  return had === 'integer' && has === 'number';
}

/** `format` (F16, F15). */
export const compareFormats: Compare = (pair) => {
  const { old, next } = pair;
  const bare = (format: string | undefined) => format?.replaceAll('-', '');
  const change = `the format of ${named(pair)} changes from ${text(old.format)} to ${text(next.format)}`;
  if (isFormatChecked(next)) {
    if (bare(old.format) === bare(next.format)) return [];
    return [changeAt(pair, 'format', { rule: 'F16', message: change, hint: rewrite })];
  }
  const isLoosened = isFormatChecked(old);
  const message = isLoosened ? change : `${change}, which the API server does not check`;
  return [changeAt(pair, 'format', { rule: isLoosened ? 'F15' : 'F16', severity: 'I', message, hint: '' })];
};

/**
 * Whether a format keeps values out: of integers and numbers those do that are narrower than the
 * type (`int64` and `double` are not).
 */
function isFormatChecked({ type, format }: JsonSchema): boolean {
  if (format === undefined) return false;
  if (type === 'integer') return format === 'int32';
  if (type === 'number') return format === 'float';
  return isKnownStringFormat(format);
}

/** `nullable` (F17, F18). */
export const compareNullable: Compare = (pair) => {
  const was = pair.old.nullable === true;
  const is = pair.next.nullable === true;
  if (was === is) return [];
  if (is) {
    const message = `${named(pair)} may be null`;
    return [changeAt(pair, 'nullable', { rule: 'F18', message, hint: 'Check that clients can read null there.' })];
  }
  return [changeAt(pair, 'nullable', { rule: 'F17', message: `${named(pair)} may no longer be null`, hint: rewrite })];
};

/** `enum` (F09, F10, F15). */
export const compareEnums: Compare = (pair) => {
  const { old, next } = pair;
  if (next.enum === undefined) {
    return [changeAt(pair, 'enum', { rule: 'F15', message: `${named(pair)} may have any value`, hint: '' })];
  }
  if (old.enum === undefined) {
    const message = `${named(pair)} may only be one of ${text(next.enum)}`;
    return [changeAt(pair, 'enum', { rule: 'F09', message, hint: rewrite })];
  }
  const missing = (from: readonly Json[], among: readonly Json[]) =>
    from.filter((one) => !among.some((other) => same(one, other)));
  const removed = missing(old.enum, next.enum);
  const added = missing(next.enum, old.enum);
  const found: SchemaChange[] = [];
  if (removed.length > 0) {
    const message = `${named(pair)} may no longer be ${removed.map(text).join(', ')}`;
    found.push(changeAt(pair, 'enum', { rule: 'F09', message, hint: rewrite }));
  }
  if (added.length > 0) {
    const message = `${named(pair)} may now be ${added.map(text).join(', ')}`;
    found.push(
      changeAt(pair, 'enum', { rule: 'F10', message, hint: 'Upgrade the readers before any client writes it.' }),
    );
  }
  return found;
};

const lower = ['minimum', 'minLength', 'minItems', 'minProperties'] as const;
const upper = ['maximum', 'maxLength', 'maxItems', 'maxProperties'] as const;
export const limits = [...lower, ...upper] as const;

/** Limits (F11, F12, F15). */
export function compareLimit(key: (typeof limits)[number]): Compare {
  const isLower = lower.some((one) => one === key);
  return (pair) => {
    const [old, next] = [pair.old[key], pair.next[key]];
    // A limit that every value meets does not count as a limit.
    const none = (limit: number | undefined) => limit === undefined || (isLower && key !== 'minimum' && limit === 0);
    if (old === next || (none(old) && none(next))) return [];
    const isTighter =
      next !== undefined && !none(next) && (none(old) || (isLower ? next > (old ?? 0) : next < (old ?? 0)));
    const message = `${key} of ${named(pair)} changes from ${text(old)} to ${text(next)}`;
    if (!isTighter) return [changeAt(pair, key, { rule: 'F15', message, hint: '' })];
    return [changeAt(pair, key, { rule: isLower ? 'F11' : 'F12', message, hint: rewrite })];
  };
}

/** `exclusiveMinimum` and `exclusiveMaximum` (F13, F15). */
export function compareExclusive(key: 'exclusiveMinimum' | 'exclusiveMaximum'): Compare {
  const limit = key === 'exclusiveMinimum' ? 'minimum' : 'maximum';
  return (pair) => {
    const was = pair.old[key] === true;
    const is = pair.next[key] === true && pair.next[limit] !== undefined;
    if (was === is) return [];
    const message = `the ${limit} of ${named(pair)} is ${is ? 'no longer' : 'now'} an allowed value`;
    return [changeAt(pair, key, { rule: is ? 'F13' : 'F15', message, hint: is ? rewrite : '' })];
  };
}

/** `multipleOf` (F13, F15). */
export const compareMultiples: Compare = (pair) => {
  const { multipleOf: old } = pair.old;
  const { multipleOf: next } = pair.next;
  const message = `multipleOf of ${named(pair)} changes from ${text(old)} to ${text(next)}`;
  const isLooser = next === undefined || (old !== undefined && old % next === 0);
  return [changeAt(pair, 'multipleOf', { rule: isLooser ? 'F15' : 'F13', message, hint: isLooser ? '' : rewrite })];
};

/**
 * `pattern` (F14, F15). Whether one language includes another is not decided; only patterns that
 * are obviously equal are recognized.
 */
export const comparePatterns: Compare = (pair) => {
  const { pattern: old } = pair.old;
  const { pattern: next } = pair.next;
  const message = `the pattern of ${named(pair)} changes from ${text(old)} to ${text(next)}`;
  if (next === undefined || (old !== undefined && plainPattern(old) === plainPattern(next))) {
    return [changeAt(pair, 'pattern', { rule: 'F15', message, hint: '' })];
  }
  const hint = 'Check the stored objects: `isthmus upgrade check objects` lists the objects that do not match.';
  return [changeAt(pair, 'pattern', { rule: 'F14', message, hint })];
};

/** The pattern with its anchors written one way, and without a group around the whole. */
function plainPattern(pattern: string): string {
  const anchored = pattern.replace(/^\\A/, '^').replace(/(?<!\\)\\z$/, '$');
  return anchored.replace(/^\^\((?:\?:)?([^()|\\[\]]*)\)\$$/, '^$1$');
}

/** The field for a sentence. */
export function named({ field }: Pair): string {
  return field === '' ? 'the object' : field;
}

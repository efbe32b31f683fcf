/**
 * Compares the fields that a schema has, the required ones, and whether unknown fields are kept.
 */
import type { JsonSchema } from '@isthmus/schema';
import { changeAt, pointerToken, same, text } from './schema-change.ts';
import type { Compare, Pair, SchemaChange } from './schema-change.ts';
import { named } from './compare-values.ts';

const migrate =
  'Keep it, deprecated, until no stored object holds it; or add a new version without it and a conversion.';

/** The pair of a property that both have. */
export function propertyOf(pair: Pair, name: string): Pair | undefined {
  const [old, next] = [own(pair.old, name), own(pair.next, name)];
  if (old === undefined || next === undefined) return undefined;
  return { ...below(pair, name), inRepeated: pair.inRepeated, old, next };
}

function below({ pointer, field }: Pair, name: string) {
  return {
    pointer: `${pointer}/properties/${pointerToken(name)}`,
    field: field === '' ? name : `${field}.${name}`,
  };
}

function own(schema: JsonSchema, name: string): JsonSchema | undefined {
  const { properties = {} } = schema;
  return Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/** Properties that are gone (F01, F02) or new (F37, F07): one finding for each, at its top. */
export const compareProperties: Compare = (pair) => {
  const { old, next } = pair;
  const removed = namesOf(old).filter((name) => own(next, name) === undefined);
  const added = namesOf(next).filter((name) => own(old, name) === undefined);
  const successors = new Map(
    removed.flatMap((name) => {
      const successor = added.find((other) => isRename(name, own(old, name), other, own(next, other)));
      return successor === undefined ? [] : [[name, successor] as const];
    }),
  );
  const renamed = new Set(successors.values());
  return [
    ...removed.map((name) => removal(pair, name, successors.get(name))),
    // The new name of a renamed property is reported with its old name.
    ...added.filter((name) => !renamed.has(name)).flatMap((name) => addition(pair, name)),
  ];
};

function namesOf({ properties = {} }: JsonSchema): readonly string[] {
  return Object.keys(properties).toSorted();
}

function isRename(name: string, had: JsonSchema | undefined, other: string, has: JsonSchema | undefined): boolean {
  const bare = (one: string) => one.replaceAll(/[-_]/g, '').toLowerCase();
  return bare(name) === bare(other) && had?.type === has?.type;
}

function removal(pair: Pair, name: string, successor: string | undefined): SchemaChange {
  const at = below(pair, name);
  const { next } = pair;
  const place = { ...at, old: summary(own(pair.old, name)) };
  if (successor !== undefined) {
    const message = `${at.field} is now called ${successor}: stored values under the old name are pruned`;
    return { ...place, rule: 'F02', message, hint: migrate };
  }
  const more = next.additionalProperties;
  if (next['x-kubernetes-preserve-unknown-fields'] === true || (more !== undefined && more !== false)) {
    const message = `${at.field} is no longer listed; its values are kept, as all unknown fields there`;
    return {
      ...place,
      rule: 'F01',
      severity: 'R',
      message,
      hint: 'Check that no client relies on its rules or defaults.',
    };
  }
  const message = `${at.field} is removed: stored values are pruned on the next write`;
  return { ...place, rule: 'F01', message, hint: migrate };
}

function addition(pair: Pair, name: string): readonly SchemaChange[] {
  const at = below(pair, name);
  const place = { ...at, new: summary(own(pair.next, name)) };
  const preserved =
    pair.old['x-kubernetes-preserve-unknown-fields'] === true || pair.old.additionalProperties !== undefined;
  const found: SchemaChange[] = [
    preserved
      ? {
          ...place,
          rule: 'F37',
          severity: 'R',
          message: `${at.field} gets a schema; stored objects may contain any value there, which is pruned or invalid from now on`,
          hint: 'Check the stored objects: `isthmus upgrade check objects`.',
        }
      : { ...place, rule: 'F37', ...ofNew(pair, at.field, own(pair.next, name)) },
  ];
  const inner = requiredInside(own(pair.next, name), at.field, at.pointer);
  if (!preserved && inner !== undefined) found.push(inner);
  return found;
}

/**
 * A default is filled in before an object is validated, so it counts where fields are counted, or
 * exclude each other.
 */
function ofNew(
  pair: Pair,
  field: string,
  schema: JsonSchema | undefined,
): Pick<SchemaChange, 'severity' | 'message' | 'hint'> {
  const about = (['maxProperties', 'oneOf', 'anyOf', 'allOf', 'not'] as const).filter(
    (key) => pair.next[key] !== undefined,
  );
  if (schema?.default === undefined || about.length === 0) return { message: `${field} is new`, hint: '' };
  const message = `${field} is new with a default, which every object has from now on: ${about.join(' and ')} of ${named(pair)} may then reject it`;
  return { severity: 'R', message, hint: 'Check the stored objects: `isthmus upgrade check objects`.' };
}

/** The fields that a new property requires inside (F07): reported once, at the property. */
function requiredInside(schema: JsonSchema | undefined, field: string, pointer: string): SchemaChange | undefined {
  const required = schema?.required ?? schema?.items?.required;
  if (required === undefined || required.length === 0) return undefined;
  const message = `the new ${field} requires ${required.join(', ')}; no stored object has ${field}`;
  return {
    rule: 'F07',
    pointer: `${pointer}${schema?.required === undefined ? '/items' : ''}/required`,
    field,
    new: required,
    message,
    hint: '',
  };
}

/** A schema as a value in a finding: a summary, not its whole content. */
function summary(schema: JsonSchema | undefined): Readonly<Record<string, string>> {
  if (schema?.['x-kubernetes-int-or-string'] === true) return { type: 'int-or-string' };
  return {
    type: schema?.type ?? 'any',
    ...(schema?.format !== undefined && { format: schema.format }),
    ...(schema?.default !== undefined && { default: text(schema.default) }),
  };
}

/** `required` (F05, F06, F08, F15), and defaults that required fields lived by (F05). */
export const compareRequired: Compare = (pair) => {
  const { old, next, pointer } = pair;
  const had = new Set(old.required ?? []);
  const has = new Set(next.required ?? []);
  const found: SchemaChange[] = [];
  for (const name of [...has].toSorted()) {
    const { field } = below(pair, name);
    const property = own(next, name);
    const isNew = !had.has(name);
    const lostDefault = own(old, name)?.default !== undefined && property?.default === undefined;
    // A null that is not allowed is dropped, and then the required field is missing: API servers do
    // not forgive that.
    const lostNull =
      own(old, name)?.nullable === true && property?.nullable !== true && property?.default === undefined;
    if (!isNew && !lostDefault && !lostNull) continue;
    const place = { pointer: `${pointer}/required`, field };
    if (property?.default !== undefined) {
      const message = `${field} is required, and has the default ${text(property.default)}`;
      found.push({ ...place, rule: 'F06', message, hint: '' });
      continue;
    }
    const message = isNew
      ? `${field} is required and has no default`
      : lostDefault
        ? `${field} is required and loses its default ${text(own(old, name)?.default)}`
        : `${field} is required and may no longer be null: a stored null counts as missing`;
    const hint = `Give ${field} a default, or set it in all stored objects first.`;
    found.push({ ...place, rule: pair.inRepeated ? 'F08' : 'F05', message, hint });
  }
  for (const name of [...had].toSorted()) {
    if (has.has(name)) continue;
    const { field } = below(pair, name);
    found.push({
      rule: 'F15',
      pointer: `${pointer}/required`,
      field,
      message: `${field} is no longer required`,
      hint: '',
    });
  }
  return found;
};

/** `additionalProperties`, as far as it is not a schema in both (F21, F22, F15). */
export const compareFreeKeys: Compare = (pair) => {
  const { old, next } = pair;
  const [had, has] = [old.additionalProperties, next.additionalProperties];
  const isOpen = (more: typeof had) => more !== undefined && more !== false;
  const say = (what: Parameters<typeof changeAt>[2]) => [changeAt(pair, 'additionalProperties', what)];
  if (isOpen(had) && !isOpen(has)) {
    if (next['x-kubernetes-preserve-unknown-fields'] === true) {
      return say({ rule: 'F15', message: `the keys of ${named(pair)} are kept without a schema`, hint: '' });
    }
    return say({ rule: 'F21', message: `${named(pair)} no longer accepts any key`, hint: migrate });
  }
  const acceptedAny = had === true || old['x-kubernetes-preserve-unknown-fields'] === true;
  if (acceptedAny && typeof has === 'object') {
    if (had === true && same(has, {})) return [];
    return say({
      rule: 'F22',
      message: `the values of ${named(pair)} get a schema, under every key`,
      hint: 'Check the stored objects first.',
    });
  }
  if (isOpen(has)) return say({ rule: 'F15', message: `${named(pair)} accepts any key`, hint: '' });
  return [];
};

/** `x-kubernetes-preserve-unknown-fields` (F23, F15). */
export const comparePreserving: Compare = (pair) => {
  const key = 'x-kubernetes-preserve-unknown-fields';
  const [was, is] = [pair.old[key] === true, pair.next[key] === true];
  if (was === is) return [];
  if (is)
    return [
      changeAt(pair, key, { rule: 'F15', message: `${named(pair)} keeps fields that it does not list`, hint: '' }),
    ];
  const message = `${named(pair)} no longer keeps fields that it does not list`;
  return [changeAt(pair, key, { rule: 'F23', message, hint: 'List all fields of stored objects, or keep it.' })];
};

/** `x-kubernetes-embedded-resource` (F25, F36). */
export const compareEmbedding: Compare = (pair) => {
  const key = 'x-kubernetes-embedded-resource';
  const [was, is] = [pair.old[key] === true, pair.next[key] === true];
  if (was === is) return [];
  if (is) {
    const message = `${named(pair)} must be a whole object, with apiVersion, kind and metadata`;
    return [changeAt(pair, key, { rule: 'F25', message, hint: 'Check the stored objects first.' })];
  }
  const message = `${named(pair)} is no longer a whole object: apiVersion, kind and metadata are pruned unless it lists them`;
  return [changeAt(pair, key, { rule: 'F36', message, hint: 'List apiVersion, kind and metadata as its properties.' })];
};

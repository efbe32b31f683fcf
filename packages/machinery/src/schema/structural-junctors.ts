import { equal } from '../equality.ts';
import { forbidden, required } from './field-error.ts';
import type { FieldError } from './field-error.ts';
import type { JsonSchema } from './json-schema.ts';

/**
 * Below allOf, anyOf, oneOf and not, a structural schema only validates values: it defines no types, no defaults and no fields that are not
 * defined outside too.
 */
export function checkJunctors(schema: JsonSchema, path: string, errors: FieldError[]): void {
  checkBelow(schema, schema, path, path, errors);
  for (const [at, node] of children(schema, path)) checkJunctors(node, at, errors);
}

type Placed = readonly [path: string, schema: JsonSchema];

/** The parts of a schema that define structure. */
function children(schema: JsonSchema, path: string): readonly Placed[] {
  const fields = Object.entries(schema.properties ?? {}).map(([name, field]): Placed => [`${path}.properties[${name}]`, field]);
  const more = schema.additionalProperties;
  return [
    ...fields,
    ...(schema.items === undefined ? [] : [[`${path}.items`, schema.items] as const]),
    ...(typeof more === 'object' ? [[`${path}.additionalProperties`, more] as const] : []),
  ];
}

/** The alternatives directly below a schema. */
function alternatives(schema: JsonSchema, path: string): readonly Placed[] {
  const listed = (['allOf', 'anyOf', 'oneOf'] as const).flatMap((junctor) =>
    (schema[junctor] ?? []).map((one, index): Placed => [`${path}.${junctor}[${index}]`, one]),
  );
  return schema.not === undefined ? listed : [...listed, [`${path}.not`, schema.not]];
}

/** `outside` is the schema that defines the structure which `schema` validates; `outsidePath` where it stands. */
function checkBelow(schema: JsonSchema, outside: JsonSchema, path: string, outsidePath: string, errors: FieldError[]): void {
  for (const [at, alternative] of alternatives(schema, path)) {
    if (isIntOrStringPattern(schema, at, alternative)) continue;
    checkAlternative(alternative, outside, at, outsidePath, errors);
  }
}

function checkAlternative(schema: JsonSchema, outside: JsonSchema, path: string, outsidePath: string, errors: FieldError[]): void {
  checkNoStructure(schema, path, errors);
  checkBelow(schema, outside, path, outsidePath, errors);
  const missing = (where: string, at: string) => errors.push(required(where, `because it is defined in ${at}`));
  if (schema.items !== undefined) {
    const at = `${path}.items`;
    const where = `${outsidePath}.items`;
    if (outside.items === undefined) missing(where, at);
    else checkAlternative(schema.items, outside.items, at, where, errors);
  }
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const at = `${path}.properties[${name}]`;
    const where = `${outsidePath}.properties[${name}]`;
    if (name === 'metadata') errors.push(forbidden(at, 'must not be specified in a nested context'));
    const defined = Object.hasOwn(outside.properties ?? {}, name) ? outside.properties?.[name] : undefined;
    if (defined === undefined) missing(where, at);
    else checkAlternative(field, defined, at, where, errors);
  }
}

const emptyKeys = ['type', 'title', 'description', 'x-kubernetes-list-map-keys', 'x-kubernetes-validations'] as const;
const undefinedKeys = ['additionalProperties', 'default', 'x-kubernetes-list-type', 'x-kubernetes-map-type'] as const;
const falseKeys = [
  'nullable',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-int-or-string',
] as const;

function checkNoStructure(schema: JsonSchema, path: string, errors: FieldError[]): void {
  const say = (key: string, what: string) => errors.push(forbidden(`${path}.${key}`, `must be ${what} to be structural`));
  for (const key of emptyKeys) if (schema[key] !== undefined && schema[key].length > 0) say(key, 'empty');
  for (const key of undefinedKeys) if (schema[key] !== undefined) say(key, 'undefined');
  for (const key of falseKeys) if (schema[key] === true) say(key, 'false');
}

const intOrString: readonly JsonSchema[] = [{ type: 'integer' }, { type: 'string' }];

/** `anyOf: [{type: integer}, {type: string}]` may name types: it is how int-or-string is said to older readers. */
function isIntOrStringPattern(schema: JsonSchema, path: string, alternative: JsonSchema): boolean {
  if (/\.anyOf\[\d+\]$/.test(path)) return equal(schema.anyOf, intOrString);
  return path.endsWith('.allOf[0]') && equal(alternative, { anyOf: intOrString });
}

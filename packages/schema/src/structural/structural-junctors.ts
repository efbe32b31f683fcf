import { equal } from '@isthmus/machinery';
import { forbidden, required } from '../field-error.ts';
import type { FieldError } from '../field-error.ts';
import type { JsonSchema } from '../json-schema.ts';

/** A schema and its path. */
interface Placed {
  readonly path: string;
  readonly schema: JsonSchema;
}

/**
 * Below allOf, anyOf, oneOf and not, a structural schema only validates values: it defines no types
 * and no defaults.
 */
export function checkJunctors(node: Placed, errors: FieldError[]): void {
  for (const alternative of alternatives(node)) {
    if (!isIntOrStringPattern(node.schema, alternative)) checkAlternative(alternative, errors);
  }
  eachChild(node, (child) => {
    checkJunctors(child, errors);
  });
}

function checkAlternative(node: Placed, errors: FieldError[]): void {
  const { schema, path } = node;
  checkNoStructure(schema, path, errors);
  if (Object.hasOwn(schema.properties ?? {}, 'metadata')) {
    errors.push(forbidden(`${path}.properties[metadata]`, 'must not be specified in a nested context'));
  }
  for (const alternative of alternatives(node)) {
    if (!isIntOrStringPattern(schema, alternative)) checkAlternative(alternative, errors);
  }
  eachChild(node, (child) => {
    if (child.path !== `${path}.additionalProperties`) checkAlternative(child, errors);
  });
}

/**
 * Parts that the alternatives of the root validate must be defined outside of them. The API server
 * checks only the alternatives of the root, and so does this.
 */
export function checkCompleteness(root: Placed, errors: FieldError[]): void {
  for (const alternative of alternatives(root)) checkDefined(alternative, root, errors);
}

/** `outside` defines the structure of what `node` validates. */
function checkDefined(node: Placed, outside: Placed, errors: FieldError[]): void {
  const { schema, path } = node;
  for (const alternative of alternatives(node)) checkDefined(alternative, outside, errors);
  const below = (inside: JsonSchema, defined: JsonSchema | undefined, at: string) => {
    if (defined === undefined) errors.push(required(`${outside.path}.${at}`, `because it is defined in ${path}.${at}`));
    else
      checkDefined(
        { schema: inside, path: `${path}.${at}` },
        { schema: defined, path: `${outside.path}.${at}` },
        errors,
      );
  };
  if (schema.items !== undefined) below(schema.items, outside.schema.items, 'items');
  const fields = outside.schema.properties ?? {};
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    below(field, Object.hasOwn(fields, name) ? fields[name] : undefined, `properties[${name}]`);
  }
}

/** The parts of a schema that define structure. */
function eachChild({ schema, path }: Placed, look: (child: Placed) => void): void {
  const { properties = {}, items, additionalProperties: more } = schema;
  for (const name of Object.keys(properties)) {
    const field = properties[name];
    if (field !== undefined) look({ path: `${path}.properties[${name}]`, schema: field });
  }
  if (items !== undefined) look({ path: `${path}.items`, schema: items });
  if (typeof more === 'object') look({ path: `${path}.additionalProperties`, schema: more });
}

const none: readonly Placed[] = [];

/** The alternatives directly below a schema. */
function alternatives({ schema, path }: Placed): readonly Placed[] {
  const { allOf, anyOf, oneOf, not } = schema;
  if (allOf === undefined && anyOf === undefined && oneOf === undefined && not === undefined) return none;
  const listed = (['allOf', 'anyOf', 'oneOf'] as const).flatMap((junctor) =>
    (schema[junctor] ?? []).map((one, index) => ({ path: `${path}.${junctor}[${index}]`, schema: one })),
  );
  return schema.not === undefined ? listed : [...listed, { path: `${path}.not`, schema: schema.not }];
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
  const say = (key: string, what: string) =>
    errors.push(forbidden(`${path}.${key}`, `must be ${what} to be structural`));
  for (const key of emptyKeys) if (schema[key] !== undefined && schema[key].length > 0) say(key, 'empty');
  for (const key of undefinedKeys) if (schema[key] !== undefined) say(key, 'undefined');
  for (const key of falseKeys) if (schema[key] === true) say(key, 'false');
}

const intOrString: readonly JsonSchema[] = [{ type: 'integer' }, { type: 'string' }];

/**
 * Whether `anyOf: [{type: integer}, {type: string}]` may contain types: older readers know
 * int-or-string in this form.
 */
function isIntOrStringPattern(schema: JsonSchema, alternative: Placed): boolean {
  if (/\.anyOf\[\d+\]$/.test(alternative.path)) return equal(schema.anyOf, intOrString);
  return alternative.path.endsWith('.allOf[0]') && equal(alternative.schema, { anyOf: intOrString });
}

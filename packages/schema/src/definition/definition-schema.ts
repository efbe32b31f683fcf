import { equal } from '@isthmus/machinery';
import { compileSchema } from '../validation/compile.ts';
import { forbidden, invalid, notSupported, required } from '../field-error.ts';
import type { FieldError } from '../field-error.ts';
import type { JsonSchema } from '../json-schema.ts';
import { checkStructural } from '../structural/structural.ts';
import { somePart } from './definition.ts';
import { shownSchema } from './go-form.ts';

/**
 * Returns the errors in the CEL rules of a schema at `path`, with the API server's texts.
 * `definition/` does not depend on CEL: callers that have CEL pass this function.
 */
export type RuleErrors = (schema: JsonSchema, path: string, known: KnownOfRules) => readonly FieldError[];

/** Known facts about a schema when its rules are judged. */
export interface KnownOfRules {
  /**
   * Whether nothing is wrong with the schema at a path, nor below it; where something is,
   * expressions are not looked at.
   */
  readonly isSound: (path: string) => boolean;
  /** The schema is as the server has it: what a single expression may cost was judged then. */
  readonly isAsItWas: boolean;
}

/** How a schema is judged. */
export interface SchemaJudgement {
  /** Whether the version has the status subresource: then the root may hold less. */
  readonly hasStatus: boolean;
  readonly ruleErrors: RuleErrors;
  /** The schema that the version had before. */
  readonly before: JsonSchema | undefined;
}

/** Returns the errors in the schema of a version, which is at `path`. */
export function schemaErrors(
  schema: JsonSchema,
  path: string,
  { hasStatus, ruleErrors, before }: SchemaJudgement,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  const odd = hasStatus ? Object.keys(schema).find((key) => notAtRoot.includes(key)) : undefined;
  if (odd !== undefined) {
    const detail = `only [${rootFields.join(' ')}] fields are allowed at the root of the schema if the status subresource is enabled`;
    errors.push({ path, type: 'Invalid', value: schema, shown: shownSchema(schema), detail });
  }
  if (schema.nullable === true) errors.push(forbidden(`${path}.nullable`, 'nullable cannot be true at the root'));
  if (Object.keys(schema).length === 0) return [...errors, required(`${path}.type`, 'must not be empty at the root')];
  const general: FieldError[] = [];
  checkGeneral(schema, path, { isRoot: true, noDefaults: undefined }, general);
  const found = checkStructural(schema, path);
  general.unshift(...found.filter(isGeneral));
  if (hasUnsupported(schema)) return [...errors, ...general];
  const structural = structuralErrors(schema, path, found);
  const owners = general.map(ownerOf);
  const known: KnownOfRules = {
    isSound: (at) => !owners.some((owner) => owner.startsWith(at)),
    isAsItWas: before !== undefined && equal(schema, before),
  };
  return [...errors, ...structural, ...general, ...(structural.length > 0 ? [] : ruleErrors(schema, path, known))];
}

/**
 * The path of the schema that an error belongs to: an error of a list's items as items is an error
 * of the list.
 */
function ownerOf({ path, detail }: FieldError): string {
  const isOfList = /as item of a list|parent array's|x-kubernetes-list-map-keys, so|cannot be nullable when/.test(
    detail,
  );
  return isOfList ? path.slice(0, path.lastIndexOf('.items')) : path;
}

const rootFields = [
  'Description',
  'Type',
  'Format',
  'Title',
  'Maximum',
  'ExclusiveMaximum',
  'Minimum',
  'ExclusiveMinimum',
  'MaxLength',
  'MinLength',
  'Pattern',
  'MaxItems',
  'MinItems',
  'UniqueItems',
  'MultipleOf',
  'Required',
  'Items',
  'Properties',
  'ExternalDocs',
  'Example',
  'XPreserveUnknownFields',
  'XValidations',
];
const notAtRoot = [
  'enum',
  'maxProperties',
  'minProperties',
  'allOf',
  'oneOf',
  'anyOf',
  'not',
  'additionalProperties',
  'default',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-int-or-string',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
];

const unsupportedKeys = ['id', 'additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref'];

interface Place {
  readonly isRoot: boolean;
  /** Why defaults are forbidden here. */
  readonly noDefaults: string | undefined;
}

/**
 * The rules of structure, and, where they are kept, those of defaults. Values of maps are not
 * looked at.
 */
function structuralErrors(schema: JsonSchema, path: string, found: readonly FieldError[]): readonly FieldError[] {
  const structural = found.filter((error) => !isGeneral(error) && !isDefault(error));
  if (structural.length > 0) return structural;
  const defaults = found.filter((error) => isDefault(error) && !/\.additionalProperties\b/.test(error.path));
  if (defaults.length === 0) checkDefaults(schema, path, defaults);
  return defaults;
}

function isDefault(error: FieldError): boolean {
  return error.path.endsWith('.default') && !isGeneral(error);
}

/** Whether an error is reported in addition to those of structure. */
function isGeneral({ path, type, detail }: FieldError): boolean {
  return (
    type === 'NotSupported' ||
    path.endsWith('.uniqueItems') ||
    detail === 'must be true or undefined' ||
    detail === 'additionalProperties and properties are mutual exclusive' ||
    /x-kubernetes-(list-type|list-map-keys|map-type)/.test(path + detail)
  );
}

/** Whether a schema has fields that are not supported in a structural schema. */
function hasUnsupported(schema: JsonSchema): boolean {
  return somePart(
    schema,
    (part) => part['x-kubernetes-preserve-unknown-fields'] === false || unsupportedKeys.some((key) => key in part),
  );
}

/**
 * Checks for fields of JSON Schema that definitions do not support, and for types in alternatives.
 */
function checkGeneral(schema: JsonSchema, path: string, place: Place, errors: FieldError[]): void {
  if (schema.default !== undefined && place.noDefaults !== undefined) {
    errors.push(forbidden(`${path}.default`, `must not be set ${place.noDefaults}`));
  }
  for (const key of unsupportedKeys)
    if (key in schema) errors.push(forbidden(`${path}.${key}`, `${key} is not supported`));
  const { items, additionalProperties: more, properties = {} } = schema;
  const inside = { ...place, isRoot: false };
  if (typeof more === 'object') checkGeneral(more, `${path}.additionalProperties`, inside, errors);
  for (const [name, field] of Object.entries(properties)) {
    const isMeta = place.isRoot && ['metadata', 'kind', 'apiVersion'].includes(name);
    const below = isMeta ? { isRoot: false, noDefaults: `in top-level ${name}` } : inside;
    checkGeneral(field, `${path}.properties[${name}]`, below, errors);
  }
  if (items !== undefined) checkGeneral(items, `${path}.items`, inside, errors);
  for (const key of ['allOf', 'anyOf', 'oneOf'] as const) {
    schema[key]?.forEach(({ type }, index) => {
      if (type !== undefined && !types.includes(type))
        errors.push(notSupported(`${path}.${key}[${index}].type`, type, types));
    });
  }
}

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

/** A default must survive the pruning of its own schema. */
function checkDefaults(schema: JsonSchema, path: string, errors: FieldError[]): void {
  if (schema.default !== undefined) {
    const { unknownFields } = compileSchema(schema).prune(schema.default);
    if (unknownFields.length > 0) {
      errors.push(invalid(`${path}.default`, schema.default, 'must not have unknown fields'));
    }
  }
  const { items, properties = {} } = schema;
  for (const [name, field] of Object.entries(properties)) checkDefaults(field, `${path}.properties[${name}]`, errors);
  if (items !== undefined) checkDefaults(items, `${path}.items`, errors);
}

import { compileValidation } from '../validation/compiled-validation.ts';
import { errorsUnder, forbidden, invalid, notSupported, required } from '../field-error.ts';
import type { FieldError } from '../field-error.ts';
import type { JsonSchema } from '../json-schema.ts';
import { checkListMarks } from './structural-lists.ts';
import { checkCompleteness, checkJunctors } from './structural-junctors.ts';
import { compilePattern, isPatternTooLarge, patternProblem } from '../pattern/pattern.ts';
import { isTooDeep, maxSchemaDepth } from '../schema-depth.ts';

/** The place of a schema. It decides what the schema must declare about its type. */
type Place = 'root' | 'item' | 'field';

/**
 * Why a schema is not structural (KEP-1693), and the other errors of apiextensions.k8s.io/v1 about
 * it, with the API server's texts if it has them. {@link compileSchema} accepts a schema without
 * errors. Not checked: CEL rules and their cost, and whether a default survives the pruning of its
 * own schema.
 */
export function checkStructural(schema: JsonSchema, path = 'openAPIV3Schema'): readonly FieldError[] {
  if (isTooDeep(schema)) return [forbidden(path, `must not be nested deeper than ${maxSchemaDepth} levels`)];
  const errors: FieldError[] = [];
  // Schemas repeat few patterns many times, and reading one takes as long as the rest of a part.
  const read = new Map<string, string | undefined>();
  checkNode(schema, 'root', path, { errors, read });
  checkJunctors({ schema, path }, errors);
  checkCompleteness({ schema, path }, errors);
  return errors.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

interface Found {
  readonly errors: FieldError[];
  /** The errors of the patterns that were read. */
  readonly read: Map<string, string | undefined>;
}

function checkNode(schema: JsonSchema, place: Place, path: string, found: Found): void {
  const { errors } = found;
  checkType(schema, place, path, errors);
  checkForbidden(schema, path, errors);
  checkListMarks(schema, path, errors);
  checkResource(schema, place, path, errors);
  checkValues(schema, path, found);
  if (schema.type === 'array' && schema.items === undefined) {
    errors.push(required(`${path}.items`, 'must be specified'));
  }
  if (schema.items !== undefined) checkNode(schema.items, 'item', `${path}.items`, found);
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    checkNode(field, 'field', `${path}.properties[${name}]`, found);
  }
  const more = schema.additionalProperties;
  if (more !== undefined && place === 'root') {
    errors.push(forbidden(`${path}.additionalProperties`, 'must not be used at the root'));
  }
  if (typeof more === 'object') checkNode(more, 'field', `${path}.additionalProperties`, found);
}

const placeTexts: Readonly<Record<Place, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

function checkType(schema: JsonSchema, place: Place, path: string, errors: FieldError[]): void {
  const { type } = schema;
  if (schema['x-kubernetes-embedded-resource'] === true && type !== 'object') {
    const text = 'must be object if x-kubernetes-embedded-resource is true';
    errors.push(type === undefined ? required(`${path}.type`, text) : invalid(`${path}.type`, type, text));
  } else if (type === undefined) {
    const typeless =
      schema['x-kubernetes-int-or-string'] === true || schema['x-kubernetes-preserve-unknown-fields'] === true;
    if (!typeless) errors.push(required(`${path}.type`, placeTexts[place]));
  } else if (!types.includes(type)) {
    errors.push(notSupported(`${path}.type`, type, types));
  }
  if (place === 'root' && type !== undefined && type !== 'object') {
    errors.push(invalid(`${path}.type`, type, 'must be object at the root'));
  }
}

function checkForbidden(schema: JsonSchema, path: string, errors: FieldError[]): void {
  if (schema.uniqueItems === true) {
    const text = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic';
    errors.push(forbidden(`${path}.uniqueItems`, text));
  }
  const more = schema.additionalProperties;
  if (more !== undefined && more !== true && Object.keys(schema.properties ?? {}).length > 0) {
    errors.push(forbidden(`${path}.additionalProperties`, 'additionalProperties and properties are mutual exclusive'));
  }
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    errors.push(invalid(`${path}.x-kubernetes-preserve-unknown-fields`, false, 'must be true or undefined'));
  }
  if (schema['x-kubernetes-int-or-string'] !== true) return;
  for (const key of ['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource'] as const) {
    if (schema[key] === true)
      errors.push(invalid(`${path}.${key}`, true, 'must be false if x-kubernetes-int-or-string is true'));
  }
}

/** Rules for schemas that describe a whole resource: the root, and embedded ones. */
function checkResource(schema: JsonSchema, place: Place, path: string, errors: FieldError[]): void {
  const embedded = schema['x-kubernetes-embedded-resource'] === true;
  if (place !== 'root' && !embedded) return;
  const fields = schema.properties ?? {};
  for (const name of ['apiVersion', 'kind'] as const) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (field !== undefined && field.type !== 'string') {
      errors.push(invalid(`${path}.properties[${name}].type`, field.type ?? '', 'must be string'));
    }
  }
  const metadata = Object.hasOwn(fields, 'metadata') ? fields['metadata'] : undefined;
  if (metadata !== undefined && metadata.type !== 'object') {
    errors.push(invalid(`${path}.properties[metadata].type`, metadata.type ?? '', 'must be object'));
  }
  if (place === 'root' && metadata !== undefined && saysMoreThanNames(metadata)) {
    const text = 'must not specify anything other than name and generateName, but metadata is implicitly specified';
    errors.push(forbidden(`${path}.properties[metadata]`, text));
  }
  if (!embedded) return;
  if (schema.additionalProperties !== undefined) {
    errors.push(forbidden(`${path}.additionalProperties`, 'must not be used if x-kubernetes-embedded-resource is set'));
  }
  if (schema['x-kubernetes-preserve-unknown-fields'] !== true && Object.keys(fields).length === 0) {
    const text =
      'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields';
    errors.push(required(`${path}.properties`, text));
  }
}

function saysMoreThanNames(metadata: JsonSchema): boolean {
  const { type: _type, properties = {}, description: _description, ...rest } = metadata;
  const names = Object.keys(properties);
  return (
    Object.values(rest).some((value) => value !== undefined) ||
    names.some((name) => name !== 'name' && name !== 'generateName')
  );
}

/** Patterns must be readable and defaults must be valid. */
function checkValues(schema: JsonSchema, path: string, { errors, read }: Found): void {
  if (schema.pattern !== undefined) {
    if (!read.has(schema.pattern)) read.set(schema.pattern, patternProblem(schema.pattern));
    const problem = read.get(schema.pattern);
    if (problem !== undefined) {
      const detail = `must be a valid regular expression, but isn't: ${problem}`;
      const doubt = isPatternTooLarge(schema.pattern) ? ({ isNotJudged: true } as const) : {};
      errors.push({ ...invalid(`${path}.pattern`, schema.pattern, detail), ...doubt });
      return;
    }
  }
  if (schema.default === undefined) return;
  try {
    const ofDefault: FieldError[] = [];
    compileValidation(schema, compilePattern)(schema.default, '', ofDefault);
    errors.push(...errorsUnder(`${path}.default`, ofDefault));
  } catch {
    // The schema inside cannot be compiled; its own error is reported there.
  }
}

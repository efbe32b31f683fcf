import { compileEnum, compileNumber, compileString } from './compiled-scalars.ts';
import type { ReadPattern } from './compiled-scalars.ts';
import { compileType } from './compiled-type.ts';
import { invalid, required, tooMany } from '../field-error.ts';
import type { FieldError } from '../field-error.ts';
import { goQuote } from '../go-text.ts';
import type { JsonSchema } from '../json-schema.ts';

/** Adds to `errors` everything that is wrong with `value`. */
export type Check = (value: unknown, path: string, errors: FieldError[]) => void;

/**
 * The value validation of a schema as one function. The depth of its recursion is the schema's,
 * never the value's.
 *
 * Errors: throws where a pattern cannot be used.
 */
export function compileValidation(schema: JsonSchema, readPattern: ReadPattern): Check {
  const checkType = compileType(schema);
  const checkJunctors = compileJunctors(schema, readPattern);
  const checkString = compileString(schema, readPattern);
  const checkNumber = compileNumber(schema);
  const checkItems = compileItems(schema, readPattern);
  const checkEnum = compileEnum(schema);
  const checkFields = compileFields(schema, readPattern);

  return function check(value, path, errors) {
    const wrong = checkType?.(value, path);
    if (wrong !== undefined) errors.push(wrong);
    if (value === null) return checkEnum?.(value, path, errors);
    checkJunctors?.(value, path, errors);
    if (typeof value === 'string') checkString?.(value, path, errors);
    else if (typeof value === 'number') checkNumber?.(value, path, errors);
    else if (Array.isArray(value)) checkItems?.(value, path, errors);
    else if (typeof value === 'object') checkFields?.(value as Readonly<Record<string, unknown>>, path, errors);
    checkEnum?.(value, path, errors);
  };
}

type CheckList = (value: readonly unknown[], path: string, errors: FieldError[]) => void;

function compileItems(schema: JsonSchema, readPattern: ReadPattern): CheckList | undefined {
  const { minItems, maxItems } = schema;
  const checkItem = schema.items === undefined ? undefined : compileValidation(schema.items, readPattern);
  if (checkItem === undefined && minItems === undefined && maxItems === undefined) return undefined;
  return function checkItems(value, path, errors) {
    if (checkItem !== undefined) value.forEach((item, index) => checkItem(item ?? null, `${path}[${index}]`, errors));
    if (minItems !== undefined && value.length < minItems) {
      errors.push(invalid(path, value.length, `${path} in body should have at least ${minItems} items`));
    }
    if (maxItems !== undefined && value.length > maxItems) errors.push(tooMany(path, value.length, maxItems));
  };
}

type CheckFields = (value: Readonly<Record<string, unknown>>, path: string, errors: FieldError[]) => void;

function compileFields(schema: JsonSchema, readPattern: ReadPattern): CheckFields | undefined {
  const fields = new Map(
    Object.entries(schema.properties ?? {}).map(([name, field]) => [name, compileValidation(field, readPattern)]),
  );
  const { additionalProperties: more, minProperties, maxProperties } = schema;
  const checkMore = typeof more === 'object' ? compileValidation(more, readPattern) : undefined;
  const names = schema.required ?? [];
  const counted = minProperties !== undefined || maxProperties !== undefined;

  return function checkFields(value, path, errors) {
    const below = path === '' ? '' : `${path}.`;
    let count = 0;
    for (const name of Object.keys(value)) {
      const member = value[name];
      if (member === undefined) continue;
      count++;
      const checkField = fields.get(name);
      if (checkField !== undefined) checkField(member, below + name, errors);
      else if (checkMore !== undefined) checkMore(member, `${path}.${name}`, errors);
      else if (more === false) errors.push(invalid(path, name, `${path}.${name} in body is a forbidden property`));
    }
    for (const name of names) {
      if (!Object.hasOwn(value, name) || value[name] === undefined) errors.push(required(below + name));
    }
    if (!counted) return;
    if (minProperties !== undefined && count < minProperties) {
      errors.push(invalid(path, count, `${path} in body should have at least ${minProperties} properties`));
    }
    if (maxProperties !== undefined && count > maxProperties) errors.push(tooMany(path, count, maxProperties));
  };
}

/**
 * allOf, anyOf, oneOf and not. Where no alternative holds, the errors of the alternative with the
 * fewest are reported beside the verdict; the API server chooses by a count of its own, so that the
 * alternative explained may be another one.
 */
function compileJunctors(schema: JsonSchema, readPattern: ReadPattern): Check | undefined {
  const { allOf = [], anyOf = [], oneOf = [], not } = schema;
  if (allOf.length + anyOf.length + oneOf.length === 0 && not === undefined) return undefined;
  const compileEach = (schemas: readonly JsonSchema[]) => schemas.map((one) => compileValidation(one, readPattern));
  const all = compileEach(allOf);
  const any = compileEach(anyOf);
  const one = compileEach(oneOf);
  const no = not === undefined ? undefined : compileValidation(not, readPattern);

  return function checkJunctors(value, path, errors) {
    const run = (check: Check) => errorsOf(check, value, path);
    // The API server names no field for these verdicts.
    const say = (text: string) => errors.push(invalid('<nil>', '', `${goQuote(path)} ${text}`));
    if (any.length > 0) {
      const found = any.map(run);
      if (found.every((each) => each.length > 0)) {
        say('must validate at least one schema (anyOf)');
        errors.push(...fewest(found));
      }
    }
    if (one.length > 0) {
      const found = one.map(run);
      const holding = found.filter((each) => each.length === 0).length;
      if (holding !== 1) {
        const why = holding === 0 ? 'Found none valid' : `Found ${holding} valid alternatives`;
        say(`must validate one and only one schema (oneOf). ${why}`);
        if (holding === 0) errors.push(...fewest(found));
      }
    }
    if (all.length > 0) {
      const found = all.map(run);
      const failing = found.filter((each) => each.length > 0);
      errors.push(...failing.flat());
      if (failing.length > 0) {
        say(`must validate all the schemas (allOf)${failing.length === all.length ? '. None validated' : ''}`);
      }
    }
    if (no !== undefined && run(no).length === 0) say('must not validate the schema (not)');
  };
}

function errorsOf(check: Check, value: unknown, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  check(value, path, errors);
  return errors;
}

function fewest(found: readonly (readonly FieldError[])[]): readonly FieldError[] {
  return found.reduce((best, each) => (each.length < best.length ? each : best));
}

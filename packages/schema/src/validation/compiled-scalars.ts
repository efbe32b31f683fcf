import { equal } from '@isthmus/machinery';
import { admittedTypes, effectiveFormat, wrongType } from './compiled-type.ts';
import { invalid, notSupported, tooLong } from '../field-error.ts';
import type { FieldError } from '../field-error.ts';
import { formatCheck } from '../formats.ts';
import { goFloat, goNumber, isInt64 } from '../go-text.ts';
import type { JsonSchema } from '../json-schema.ts';
import type { Pattern } from '../pattern/pattern.ts';

/** Adds the errors of a value of the check's own type to `errors`. */
type Check<T> = (value: T, path: string, errors: FieldError[]) => void;

/** Makes a pattern of a schema ready for use. Errors: throws where it cannot be used. */
export type ReadPattern = (pattern: string) => Pick<Pattern, 'test'>;

/**
 * Length, pattern and format of strings; of the first three only the first failure is reported, as
 * by the API server.
 */
export function compileString(schema: JsonSchema, readPattern: ReadPattern): Check<string> | undefined {
  const { maxLength, minLength, pattern } = schema;
  const expression = pattern === undefined || pattern === '' ? undefined : readPattern(pattern);
  const format = effectiveFormat(schema);
  const fits = format === undefined ? undefined : formatCheck(format);
  if (maxLength === undefined && minLength === undefined && expression === undefined && fits === undefined)
    return undefined;

  return function checkString(value, path, errors) {
    if (maxLength !== undefined && longerThan(value, maxLength)) errors.push(tooLong(path, maxLength));
    else if (minLength !== undefined && !longerThan(value, minLength - 1)) {
      errors.push(invalid(path, value, `${path} in body should be at least ${minLength} chars long`));
    } else if (expression !== undefined && !expression.test(value)) {
      errors.push(invalid(path, value, `${path} in body should match '${pattern}'`));
    }
    if (format !== undefined && fits !== undefined && !fits(value)) errors.push(wrongType(path, format, value));
  };
}

/** Range of the type, multiple, minimum and maximum of numbers. */
export function compileNumber(schema: JsonSchema): Check<number> | undefined {
  const range = rangeOf(schema);
  const { multipleOf, minimum, maximum, exclusiveMinimum = false, exclusiveMaximum = false } = schema;
  const limits: readonly (Check<number> | undefined)[] = [
    multipleOf === undefined
      ? undefined
      : compileLimit({ name: 'MultipleOf', number: multipleOf, range, rule: 'a multiple of', holds: isMultiple }),
    minimum === undefined
      ? undefined
      : compileLimit({
          name: 'Minimum boundary',
          number: minimum,
          range,
          rule: exclusiveMinimum ? 'greater than' : 'greater than or equal to',
          holds: exclusiveMinimum ? (value, least) => value > least : (value, least) => value >= least,
        }),
    maximum === undefined
      ? undefined
      : compileLimit({
          name: 'Maximum boundary',
          number: maximum,
          range,
          rule: exclusiveMaximum ? 'less than' : 'less than or equal to',
          holds: exclusiveMaximum ? (value, most) => value < most : (value, most) => value <= most,
        }),
  ];
  const checks = limits.filter((limit) => limit !== undefined);
  if (range === undefined && checks.length === 0) return undefined;

  return function checkNumber(value, path, errors) {
    if (range !== undefined && !range.holds(value)) errors.push(outOfRange('Checked', range, path));
    for (const check of checks) check(value, path, errors);
  };
}

interface Limit {
  /** The name in the API server's texts. */
  readonly name: string;
  readonly number: number;
  readonly range: Range | undefined;
  readonly rule: string;
  holds(value: number, limit: number): boolean;
}

function compileLimit({ name, number, range, rule, holds }: Limit): Check<number> {
  const misfit = range !== undefined && !range.holds(number) ? range : undefined;
  // The API server compares integers with integers. If the limit is not a value of the type, it
  // reports this and compares the numbers as they are.
  const cut = Math.trunc(number);
  return function checkLimit(value, path, errors) {
    if (misfit !== undefined) errors.push(outOfRange(name, misfit, path));
    const asInteger = misfit === undefined && isInt64(value);
    if (holds(value, asInteger ? cut : number)) return;
    const shown = asInteger ? goNumber(cut) : goFloat(number);
    errors.push(invalid(path, value, `${path} in body should be ${rule} ${shown}`));
  };
}

/** The API server names no field for this one. */
function outOfRange(what: string, range: Range, path: string): FieldError {
  return invalid('<nil>', '', `${what} value must be of type ${range.name} in ${path}`);
}

/** The values that a field may have, of whatever type. */
export function compileEnum(schema: JsonSchema): Check<unknown> | undefined {
  const allowed = schema.enum;
  if (allowed === undefined || allowed.length === 0) return undefined;
  const texts = new Set(allowed.filter((one) => typeof one === 'string'));
  return function checkEnum(value, path, errors) {
    // null is never among them, listed or not: so the API server does it.
    const found =
      typeof value === 'string' ? texts.has(value) : value !== null && allowed.some((one) => equal(one, value));
    if (!found) errors.push(notSupported(path, value, allowed));
  };
}

/** In Unicode code points. A string has at most as many as UTF-16 units, and at least half. */
function longerThan(text: string, limit: number): boolean {
  if (text.length <= limit) return false;
  if (text.length > limit * 2) return true;
  let count = 0;
  for (const _ of text) if (++count > limit) return true;
  return false;
}

interface Range {
  readonly name: string;
  holds(value: number): boolean;
}

function rangeOf(schema: JsonSchema): Range | undefined {
  const types = admittedTypes(schema);
  if (types.length !== 1) return undefined;
  const format = effectiveFormat(schema);
  const named = format === undefined ? `${types[0]} (default format)` : `${types[0]} with format ${format}`;
  if (types[0] === 'integer') {
    const [least, most] = format === 'int32' ? [-(2 ** 31), 2 ** 31 - 1] : [-(2 ** 63), 2 ** 63];
    return { name: named, holds: (value) => Number.isInteger(value) && value >= least && value <= most };
  }
  if (types[0] === 'number' && format === 'float') {
    return { name: named, holds: (value) => Number.isFinite(Math.fround(value)) };
  }
  return undefined;
}

function isMultiple(value: number, factor: number): boolean {
  if (Number.isInteger(value) && Number.isInteger(factor)) return value % factor === 0;
  return Number.isInteger(factor < 1 ? (1 / factor) * value : value / factor);
}

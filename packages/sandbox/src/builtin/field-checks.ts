/**
 * Rules that only workloads need. Each returns its errors in the order of the real server.
 */
import { labelValueErrors, qualifiedNameErrors } from '@isthmus/machinery';
import type { FieldError } from '@isthmus/schema';
import type { LabelSelectorObject } from '@isthmus/machinery';
import { forbidden, invalid, labelsRule, notSupported, required, tooLong } from './field-rules.ts';

export type Errors = readonly FieldError[];

export function when(condition: boolean, ...errors: readonly FieldError[]): Errors {
  return condition ? errors : [];
}

/** One of the values, or absent. */
export function optionalOneOf(path: string, value: string | undefined, supported: readonly string[]): Errors {
  return when(value !== undefined && !supported.includes(value), notSupported(path, value, supported));
}

export function nonNegative(path: string, value: number | undefined): Errors {
  return when((value ?? 0) < 0, invalid(path, value, 'must be greater than or equal to 0'));
}

export function inRange(path: string, value: number | undefined, [low, high]: readonly [number, number]): Errors {
  const outside = value !== undefined && (value < low || value > high);
  return when(outside, invalid(path, value, `must be between ${low} and ${high}, inclusive`));
}

/** Each detail as an error of the same value. */
export function problems(path: string, value: unknown, details: readonly string[]): Errors {
  return details.map((detail) => invalid(path, value, detail));
}

/** The errors of a required text; `rule` checks it. */
export function requiredText(
  path: string,
  value: string | undefined,
  rule: (path: string, value: string) => Errors = () => [],
): Errors {
  return value === undefined || value === '' ? [required(path)] : rule(path, value);
}

/** The errors of an optional text; `rule` checks it. */
export function optionalText(
  path: string,
  value: string | undefined,
  rule: (path: string, value: string) => Errors,
): Errors {
  return value === undefined || value === '' ? [] : rule(path, value);
}

const maxAnnotationBytes = 256 * 1024;

export function annotations(path: string, given: Readonly<Record<string, string>> | undefined): Errors {
  const entries = Object.entries(given ?? {});
  const bytes = entries.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
  return [
    ...entries.flatMap(([key]) => problems(path, key, qualifiedNameErrors(key.toLowerCase()))),
    ...when(bytes > maxAnnotationBytes, tooLong(path, maxAnnotationBytes)),
  ];
}

/** `metav1.LabelSelector`. */
export function labelSelector(path: string, selector: LabelSelectorObject | undefined): Errors {
  return [
    ...labelsRule(`${path}.matchLabels`, selector?.matchLabels ?? {}),
    ...(selector?.matchExpressions ?? []).flatMap(({ key, operator, values: given }, index) => {
      const at = `${path}.matchExpressions[${index}]`;
      const values = given ?? [];
      const setBased = operator === 'In' || operator === 'NotIn';
      const existence = operator === 'Exists' || operator === 'DoesNotExist';
      return [
        ...when(
          setBased && values.length === 0,
          required(`${at}.values`, "must be specified when `operator` is 'In' or 'NotIn'"),
        ),
        ...when(
          existence && values.length > 0,
          forbidden(`${at}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"),
        ),
        ...when(!setBased && !existence, invalid(`${at}.operator`, operator, 'not a valid selector operator')),
        ...problems(`${at}.key`, key, qualifiedNameErrors(key)),
        ...values.flatMap((value, one) => problems(`${at}.values[${one}]`, value, labelValueErrors(value))),
      ];
    }),
  ];
}

/** A number of things, or a share of them: `3`, `25%`. */
export type IntOrPercent = number | string;

export function nonNegativeIntOrPercent(path: string, value: IntOrPercent): Errors {
  if (typeof value === 'number') return nonNegative(path, value);
  const rule = "a valid percent string must be a numeric string followed by an ending '%'";
  const detail = `${rule} (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')`;
  return when(!percent.test(value), invalid(path, value, detail));
}

/** The number, or the number before the percent sign; 0 for any other value. */
export function amountOf(value: IntOrPercent): number {
  if (typeof value === 'number') return value;
  const digits = percent.test(value) ? value.slice(0, -1) : value;
  return /^[-+]?\d+$/.test(digits) ? Number(digits) : 0;
}

export function notMoreThanAll(path: string, value: IntOrPercent): Errors {
  const over = typeof value === 'string' && percent.test(value) && amountOf(value) > 100;
  return when(over, invalid(path, value, 'must not be greater than 100%'));
}

const percent = /^[0-9]+%$/;

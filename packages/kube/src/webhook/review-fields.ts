import { isRecord } from '@isthmus/machinery';
/**
 * A review that is not what an API server sends. The message names the field and never repeats its
 * value.
 */
export class MalformedReview extends Error {
  override readonly name = 'MalformedReview';
}

/** A JSON object whose members are not known yet, with its place for messages. */
export interface Fields {
  readonly path: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/**
 * The body of a review: JSON, of this apiVersion and kind. Throws {@link MalformedReview}, without
 * the text that V8 would quote.
 */
export function readReview(body: string, apiVersion: string, kind: string): Fields {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    throw new MalformedReview(`the body of ${body.length} characters is not JSON`);
  }
  const review = { path: '', values: recordOf(value, 'the body') };
  if (review.values['apiVersion'] !== apiVersion || review.values['kind'] !== kind)
    throw new MalformedReview(`the body is not a ${kind} of ${apiVersion}`);
  return review;
}

/** A text that must be there and not be empty. */
export function requiredText(fields: Fields, name: string): string {
  const value = optionalText(fields, name);
  if (value === undefined || value === '') throw new MalformedReview(`${placeOf(fields, name)} is missing`);
  return value;
}

/** A text, or undefined where it is absent or null. */
export function optionalText(fields: Fields, name: string): string | undefined {
  return optional(fields, name, 'a string', (value): value is string => typeof value === 'string');
}

/** True only where the field is. */
export function flag(fields: Fields, name: string): boolean {
  return optional(fields, name, 'a boolean', (value): value is boolean => typeof value === 'boolean') ?? false;
}

/** A list of texts, or undefined where it is absent or null. */
export function optionalTexts(fields: Fields, name: string): readonly string[] | undefined {
  return optional(fields, name, 'a list of strings', isTextList);
}

/** A map of lists of texts, or undefined where it is absent or null. */
export function optionalTextLists(
  fields: Fields,
  name: string,
): Readonly<Record<string, readonly string[]>> | undefined {
  return optional(
    fields,
    name,
    'a map of lists of strings',
    (value): value is Readonly<Record<string, readonly string[]>> =>
      isRecord(value) && Object.values(value).every(isTextList),
  );
}

/** A list, which must be there. */
export function requiredList(fields: Fields, name: string): readonly unknown[] {
  const value = optional(fields, name, 'a list', (value): value is readonly unknown[] => Array.isArray(value));
  if (value === undefined) throw new MalformedReview(`${placeOf(fields, name)} is missing`);
  return value;
}

/** An object, which must be there. */
export function requiredFields(fields: Fields, name: string): Fields {
  const found = optionalFields(fields, name);
  if (found === undefined) throw new MalformedReview(`${placeOf(fields, name)} is missing`);
  return found;
}

/** An object, or undefined where it is absent or null. */
export function optionalFields(fields: Fields, name: string): Fields | undefined {
  const values = optional(fields, name, 'an object', isRecord);
  return values === undefined ? undefined : { path: placeOf(fields, name), values };
}

/** A value that must be an object. */
export function recordOf(value: unknown, path: string): Readonly<Record<string, unknown>> {
  if (!isRecord(value)) throw new MalformedReview(`${path} is not an object`);
  return value;
}

function optional<T>(
  fields: Fields,
  name: string,
  expected: string,
  isOne: (value: unknown) => value is T,
): T | undefined {
  const value = Object.hasOwn(fields.values, name) ? fields.values[name] : undefined;
  if (value === undefined || value === null) return undefined;
  if (!isOne(value)) throw new MalformedReview(`${placeOf(fields, name)} is not ${expected}`);
  return value;
}

function placeOf({ path }: Fields, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

import type { StatusCause } from '@isthmus/machinery';
import { goJson, goNumber, goQuote, goStruct } from './go-text.ts';

/** The type of an error: those of Kubernetes' field.Error that validation uses. */
export type FieldErrorType =
  | 'Required'
  | 'Invalid'
  | 'TypeInvalid'
  | 'NotSupported'
  | 'Duplicate'
  | 'NotFound'
  | 'Forbidden'
  | 'TooLong'
  | 'TooMany';

/** One reason why a value is refused. The text is made by {@link formatFieldError}. */
export interface FieldError {
  /**
   * From the root of the object: `spec.ports[0].port`. `<nil>` where the API server names no field
   * either.
   */
  readonly path: string;
  readonly type: FieldErrorType;
  /** The value that was found; shown for the types that contain a value. */
  readonly value: unknown;
  /**
   * The value as the message shows it, where that is not plain: a Go struct shows its fields in
   * their order, JSON its keys sorted. Empty: not at all.
   */
  readonly shown?: string | undefined;
  /** The expected value; may be empty. */
  readonly detail: string;
  /** The API server may accept the value: it cannot be judged here. */
  readonly isNotJudged?: true | undefined;
}

export function required(path: string, detail = ''): FieldError {
  return { path, type: 'Required', value: '', detail };
}

export function invalid(path: string, value: unknown, detail: string): FieldError {
  return { path, type: 'Invalid', value, detail };
}

/** As {@link invalid}; a Go struct is shown as it was decoded, with its fields in their order. */
export function invalidStruct(path: string, value: unknown, detail: string): FieldError {
  const shown = typeof value === 'object' && value !== null ? { shown: goStruct(value) } : {};
  return { path, type: 'Invalid', value, detail, ...shown };
}

export function typeInvalid(path: string, value: unknown, detail: string): FieldError {
  return { path, type: 'TypeInvalid', value, detail };
}

export function forbidden(path: string, detail: string): FieldError {
  return { path, type: 'Forbidden', value: '', detail };
}

export function duplicate(path: string, value: unknown): FieldError {
  return { path, type: 'Duplicate', value, detail: '' };
}

/** `supported` in the order in which the message names them. */
export function notSupported(path: string, value: unknown, supported: readonly unknown[]): FieldError {
  const named = supported.map((one) => goQuote(typeof one === 'string' ? one : goJson(one)));
  return {
    path,
    type: 'NotSupported',
    value,
    detail: named.length === 0 ? '' : `supported values: ${named.join(', ')}`,
  };
}

export function tooLong(path: string, limit: number): FieldError {
  return {
    path,
    type: 'TooLong',
    value: '',
    detail: `may not be more than ${limit} ${limit === 1 ? 'byte' : 'bytes'}`,
  };
}

export function tooMany(path: string, count: number, limit: number): FieldError {
  return {
    path,
    type: 'TooMany',
    value: count,
    detail: `must have at most ${limit} ${limit === 1 ? 'item' : 'items'}`,
  };
}

/**
 * Converts the errors of a part to errors of the whole, which contains the part at `path`. The
 * details keep the path within the part, as the API server's do.
 */
export function errorsUnder(path: string, errors: readonly FieldError[]): readonly FieldError[] {
  return errors.map((error) => ({
    ...error,
    path: error.path === '' || error.path === '<nil>' ? path : `${path}.${error.path}`,
  }));
}

const titles: Readonly<Record<FieldErrorType, string>> = {
  Required: 'Required value',
  Invalid: 'Invalid value',
  TypeInvalid: 'Invalid value',
  NotSupported: 'Unsupported value',
  Duplicate: 'Duplicate value',
  NotFound: 'Not found',
  Forbidden: 'Forbidden',
  TooLong: 'Too long',
  TooMany: 'Too many',
};

/** The error as kube-apiserver words it: `spec.ports[0].port: Invalid value: 70000: …`. */
export function formatFieldError(error: FieldError): string {
  return `${error.path}: ${fieldErrorBody(error)}`;
}

/** The error without its path: the message of a Status cause. */
export function fieldErrorBody(error: FieldError): string {
  const title = titles[error.type];
  const showsValue =
    error.type !== 'Required' && error.type !== 'Forbidden' && error.type !== 'TooLong' && error.shown !== '';
  const shown = showsValue ? `${title}: ${error.shown ?? shownValue(error.value)}` : title;
  return error.detail === '' ? shown : `${shown}: ${error.detail}`;
}

/**
 * Several errors as the message of an Invalid Status holds them: one alone, more in brackets, equal
 * ones once.
 */
export function formatFieldErrors(errors: readonly FieldError[]): string {
  const texts = [...new Set(errors.map(formatFieldError))];
  return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
}

/** The entry of `details.causes` that the API server makes of an error. */
export function causeOfFieldError(error: FieldError): StatusCause {
  return { reason: `FieldValue${error.type}`, message: fieldErrorBody(error), field: error.path };
}

function shownValue(value: unknown): string {
  if (typeof value === 'string') return goQuote(value);
  if (typeof value === 'number') return goNumber(value);
  return goJson(value);
}

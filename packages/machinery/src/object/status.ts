import { isRecord } from './is-record.ts';
/** One reason why a request failed, e.g. one field of an invalid object (metav1.StatusCause). */
export interface StatusCause {
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  /** Path of the field, as `spec.ports[0].port`. */
  readonly field?: string | undefined;
}

/** The details of a {@link Status} (metav1.StatusDetails). */
export interface StatusDetails {
  readonly name?: string | undefined;
  readonly group?: string | undefined;
  /** In errors of the API server the plural name of the resource, despite the field's name. */
  readonly kind?: string | undefined;
  readonly uid?: string | undefined;
  readonly causes?: readonly StatusCause[] | undefined;
  readonly retryAfterSeconds?: number | undefined;
}

/** The answer of an API server that is not an object: metav1.Status. */
export interface Status {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly status: 'Success' | 'Failure';
  readonly message?: string | undefined;
  /** One word for programs; an open set, of which {@link statusReasons} are the known ones. */
  readonly reason?: string | undefined;
  /** The HTTP code. */
  readonly code?: number | undefined;
  readonly details?: StatusDetails | undefined;
}

/**
 * The reasons that the API machinery defines, with the HTTP code that each travels with
 * (metav1.StatusReason).
 */
export const statusReasons = {
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  AlreadyExists: 409,
  Conflict: 409,
  Gone: 410,
  Expired: 410,
  RequestEntityTooLarge: 413,
  UnsupportedMediaType: 415,
  Invalid: 422,
  TooManyRequests: 429,
  InternalError: 500,
  ServerTimeout: 500,
  StorageReadError: 500,
  ServiceUnavailable: 503,
  Timeout: 504,
} as const satisfies Readonly<Record<string, number>>;

/** One of {@link statusReasons}. */
export type StatusReason = keyof typeof statusReasons;

/** The content of {@link failureStatus}. */
export interface Failure {
  readonly reason: StatusReason;
  readonly message: string;
  readonly details?: StatusDetails | undefined;
  /** Default: the code that belongs to the reason. */
  readonly code?: number | undefined;
}

/** The Status of a refused request. */
export function failureStatus(failure: Failure): Status {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    message: failure.message,
    reason: failure.reason,
    ...(failure.details === undefined ? {} : { details: failure.details }),
    code: failure.code ?? statusReasons[failure.reason],
  };
}

/**
 * Reads a Status out of decoded JSON, or returns undefined if it is not a Status. Fields of a wrong
 * type are left out, so the result always has the declared shape.
 */
export function parseStatus(value: unknown): Status | undefined {
  if (!isRecord(value) || value['kind'] !== 'Status') return undefined;
  const status = value['status'];
  return {
    kind: 'Status',
    apiVersion: 'v1',
    status: status === 'Success' ? 'Success' : 'Failure',
    ...text(value, 'message'),
    ...text(value, 'reason'),
    ...integer(value, 'code'),
    ...(isRecord(value['details']) ? { details: parseDetails(value['details']) } : {}),
  };
}

/**
 * Whether a Status has `reason`. An unknown reason is judged by its code, as the Go client does: a
 * newer server may use a more specific reason. AlreadyExists and Conflict share a code but never
 * match each other.
 */
export function hasReason(status: Status, reason: StatusReason): boolean {
  if (status.reason === reason) return true;
  const known = status.reason !== undefined && Object.hasOwn(statusReasons, status.reason);
  return !known && status.code === statusReasons[reason] && codeNamesOneReason(reason);
}

/** Whether the details contain a cause with this reason. */
export function hasCause(status: Status, reason: string): boolean {
  return status.details?.causes?.some((cause) => cause.reason === reason) ?? false;
}

/** Whether only one reason has the code. Several share 409, 410 and 500. */
function codeNamesOneReason(reason: StatusReason): boolean {
  const code = statusReasons[reason];
  return Object.values(statusReasons).filter((other) => other === code).length === 1;
}

function parseDetails(details: Readonly<Record<string, unknown>>): StatusDetails {
  const causes = details['causes'];
  return {
    ...text(details, 'name'),
    ...text(details, 'group'),
    ...text(details, 'kind'),
    ...text(details, 'uid'),
    ...integer(details, 'retryAfterSeconds'),
    ...(Array.isArray(causes)
      ? {
          causes: causes
            .filter(isRecord)
            .map((cause) => ({ ...text(cause, 'reason'), ...text(cause, 'message'), ...text(cause, 'field') })),
        }
      : {}),
  };
}

function text<K extends string>(record: Readonly<Record<string, unknown>>, key: K): { readonly [P in K]?: string } {
  const value = record[key];
  return (typeof value === 'string' && value !== '' ? { [key]: value } : {}) as { readonly [P in K]?: string };
}

function integer<K extends string>(record: Readonly<Record<string, unknown>>, key: K): { readonly [P in K]?: number } {
  const value = record[key];
  return (Number.isSafeInteger(value) ? { [key]: value } : {}) as { readonly [P in K]?: number };
}

import { hasCause, hasReason } from '@isthmus/machinery';
import type { ObjectRef, Status, StatusReason } from '@isthmus/machinery';
import { OutsideError } from '../log/outside-error.ts';
import { describeCall } from './call.ts';
import type { Call } from './call.ts';
import { printable } from './printable.ts';

/**
 * The API server answered, and refused. The message names the verb, the resource, the object and
 * the server's own words.
 */
export class ApiError extends OutsideError {
  override readonly name = 'ApiError';
  readonly status: Status;
  /** The HTTP code; in a watch, the code of the Status that ended it. */
  readonly code: number;
  /** The Status' reason, `Unknown` where the server gave none. */
  readonly reason: string;
  readonly verb: string;
  readonly resource: string;
  readonly ref: Partial<ObjectRef> | undefined;
  /** How long the server asks callers to wait before they try again. */
  readonly retryAfterMs: number | undefined;

  constructor(call: Call, status: Status, retryAfterMs?: number) {
    const code = status.code ?? 0;
    const reason = status.reason ?? 'Unknown';
    const words = printable(status.message ?? 'the server gave no reason', maxMessage);
    super(`${describeCall(call)}: ${words} (${code} ${printable(reason, 100)})${advice(code)}`);
    this.status = status;
    this.code = code;
    this.reason = reason;
    this.verb = call.verb;
    this.resource = call.resource;
    this.ref = call.ref;
    this.retryAfterMs = retryAfterMs;
  }
}

/**
 * Why there was no usable answer. `protocol`: something answered, but not as an API server does (no
 * HTTP, no JSON, a redirect, an answer beyond all bounds). `closed`: this side has closed the
 * transport.
 */
export type ConnectionFailure =
  | 'timeout'
  | 'refused'
  | 'unreachable'
  | 'dns'
  | 'tls'
  | 'reset'
  | 'protocol'
  | 'credentials'
  | 'closed'
  | 'other';

/**
 * There was no usable answer. The message names the call and the server; the error of the transport
 * is the `cause`.
 */
export class ConnectionError extends OutsideError {
  override readonly name = 'ConnectionError';
  readonly kind: ConnectionFailure;
  readonly verb: string;
  readonly resource: string;
  readonly ref: Partial<ObjectRef> | undefined;

  constructor(call: Call, kind: ConnectionFailure, why: string, options?: ErrorOptions) {
    super(`${describeCall(call)}: ${why}`, options);
    this.kind = kind;
    this.verb = call.verb;
    this.resource = call.resource;
    this.ref = call.ref;
  }
}

/**
 * The server reports that this object does not exist. False for a 404 about anything else, see
 * {@link isNotServed}: a proxy that lost its backend answers 404 to everything, and that is no
 * reason to clean up.
 */
export function isNotFound(error: unknown): boolean {
  return is(error, 'NotFound') && !isNotServed(error);
}

/**
 * Returns the result of a request for an object, or undefined if the object does not exist ({@link
 * isNotFound}). Other errors stay errors.
 */
export async function orNotFound<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/**
 * A 404 that is not about an object: the server does not serve this resource (its CRD is missing),
 * or what answered is no API server.
 */
export function isNotServed(error: unknown): boolean {
  return error instanceof ApiError && error.code === 404 && error.status.details?.name === undefined;
}

/** Another client wrote the object in between: read it again and decide again. */
export function isConflict(error: unknown): boolean {
  return is(error, 'Conflict');
}

export function isAlreadyExists(error: unknown): boolean {
  return is(error, 'AlreadyExists');
}

/** RBAC or an admission rule forbids it; {@link isNamespaceTerminating} is one of its cases. */
export function isForbidden(error: unknown): boolean {
  return is(error, 'Forbidden');
}

/** The credentials were not accepted. */
export function isUnauthorized(error: unknown): boolean {
  return is(error, 'Unauthorized');
}

/** 410, whatever its reason: what was asked for was there once. */
export function isGone(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 410 || error.reason === 'Gone');
}

/**
 * The resourceVersion or continue token is too old: list again. Servers use the reasons Expired and
 * Gone for it, so both count.
 */
export function isExpired(error: unknown): boolean {
  return isGone(error) || is(error, 'Expired');
}

/** The object breaks a rule of its schema or of admission; the causes name the fields. */
export function isInvalid(error: unknown): boolean {
  return is(error, 'Invalid');
}

export function isTooManyRequests(error: unknown): boolean {
  return is(error, 'TooManyRequests');
}

/** The server gave up in time, and the request may or may not have taken effect. */
export function isServerTimeout(error: unknown): boolean {
  return is(error, 'ServerTimeout') || is(error, 'Timeout');
}

/** A create was refused because the Namespace is being deleted. */
export function isNamespaceTerminating(error: unknown): boolean {
  return error instanceof ApiError && hasCause(error.status, 'NamespaceTerminating');
}

/** No answer came, or none that an API server would give. */
export function isConnectionError(error: unknown): error is ConnectionError {
  return error instanceof ConnectionError;
}

function is(error: unknown, reason: StatusReason): boolean {
  return error instanceof ApiError && hasReason(error.status, reason);
}

function advice(code: number): string {
  return code === 401
    ? '; check that the token or client certificate is valid for this server and has not expired'
    : '';
}

/** Characters of the server's message that are repeated; an Invalid can name hundreds of fields. */
const maxMessage = 2000;

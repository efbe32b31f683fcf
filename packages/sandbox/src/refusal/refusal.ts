import { causeOfFieldError, formatFieldErrors } from '@isthmus/schema';
import { failureStatus, resourceNameOf } from '@isthmus/machinery';
import type { FieldError } from '@isthmus/schema';
import type { ResourceType, Status, StatusCause, StatusReason } from '@isthmus/machinery';

export { invalidStruct as invalidValue } from '@isthmus/schema';

/**
 * A request that the server rejects, with the Status of the answer. Reasons and texts are those of
 * a real 1.36.
 */
export class Refusal extends Error {
  readonly status: Status;
  /** Texts for `Warning` headers, besides the error. */
  readonly warnings: readonly string[];

  constructor(status: Status, warnings: readonly string[] = []) {
    super(status.message ?? status.reason ?? 'refused');
    this.status = status;
    this.warnings = warnings;
  }
}

/** The error to throw in place of another: a rejection is sent with these warnings, too. */
export function withWarningsSent(error: unknown, warnings: readonly string[]): unknown {
  return error instanceof Refusal && warnings.length > 0 ? new Refusal(error.status, warnings) : error;
}

type Resource = Pick<ResourceType, 'group' | 'plural'>;

/** The Status that is the body of a rejection. */
export function statusBody({ status }: Refusal): object {
  const { kind, apiVersion, ...rest } = status;
  return { kind, apiVersion, metadata: {}, ...rest };
}

export function notFound(type: Resource, name: string): Refusal {
  return about(type, name, { reason: 'NotFound', message: `${resourceNameOf(type)} "${name}" not found` });
}

export function alreadyExists(type: Resource, name: string): Refusal {
  return about(type, name, { reason: 'AlreadyExists', message: `${resourceNameOf(type)} "${name}" already exists` });
}

export function conflict(type: Resource, name: string, why: string): Refusal {
  const message = `Operation cannot be fulfilled on ${resourceNameOf(type)} "${name}": ${why}`;
  return about(type, name, { reason: 'Conflict', message });
}

/** The object was changed since the resourceVersion that the request names. */
export function modified(type: Resource, name: string): Refusal {
  return conflict(
    type,
    name,
    'the object has been modified; please apply your changes to the latest version and try again',
  );
}

/** A rejection that is not about an object. */
export function refusalOf(reason: StatusReason, message: string): Refusal {
  return new Refusal(failureStatus({ reason, message }));
}

export function badRequest(message: string): Refusal {
  return new Refusal(failureStatus({ reason: 'BadRequest', message }));
}

/** The path does not have this verb. */
export function methodNotAllowed(): Refusal {
  const message = 'the server does not allow this method on the requested resource';
  return new Refusal(failureStatus({ reason: 'MethodNotAllowed', message, details: {} }));
}

/** The real server answers some mistakes of the caller with 500 and no reason. */
export function unexplained(message: string): Refusal {
  return new Refusal({ kind: 'Status', apiVersion: 'v1', status: 'Failure', message, code: 500 });
}

/** The server could not, for a reason of its own. */
export function internalError(why: string): Refusal {
  const message = `Internal error occurred: ${why}`;
  return new Refusal(failureStatus({ reason: 'InternalError', message, details: { causes: [{ message: why }] } }));
}

export function expired(message: string): Refusal {
  return new Refusal(failureStatus({ reason: 'Expired', message }));
}

/** The object breaks rules: one cause per field. */
export function invalid(
  type: Pick<ResourceType, 'group' | 'kind'>,
  name: string,
  errors: readonly FieldError[],
): Refusal {
  const kind = type.group === '' ? type.kind : `${type.kind}.${type.group}`;
  const causes = errors.map(causeOfFieldError);
  const details = {
    ...(name !== '' && { name }),
    ...(type.group !== '' && { group: type.group }),
    ...(type.kind !== '' && { kind: type.kind }),
    causes,
  };
  return new Refusal(
    failureStatus({
      reason: 'Invalid',
      message: `${kind} "${name}" is invalid: ${formatFieldErrors(errors)}`,
      details,
    }),
  );
}

export function requiredValue(path: string, detail = ''): FieldError {
  return { path, type: 'Required', value: '', detail };
}

/** The reason of a rejection. */
export interface Complaint {
  readonly reason: StatusReason;
  readonly message: string;
  readonly causes?: readonly StatusCause[] | undefined;
  readonly retryAfterSeconds?: number | undefined;
}

/** A Status about one object, or about a resource if `name` is empty. */
export function about(type: Resource, name: string, what: Complaint): Refusal {
  const { reason, message, causes, retryAfterSeconds } = what;
  const details = {
    ...(name !== '' && { name }),
    ...(type.group !== '' && { group: type.group }),
    kind: type.plural,
    ...(causes !== undefined && { causes }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
  return new Refusal(failureStatus({ reason, message, details }));
}

/**
 * Admission forbids a request about an object; the message gives why. Another reason than Forbidden
 * does not change the message.
 */
export function forbiddenObject(type: Resource, name: string, what: Complaint): Refusal {
  const message = `${resourceNameOf(type)} ${JSON.stringify(name)} is forbidden: ${what.message}`;
  return about(type, name, { ...what, message });
}

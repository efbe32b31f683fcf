import type { KubernetesObject, StatusCause, StatusReason } from '@isthmus/machinery';
import { statusReasons } from '@isthmus/machinery';
import { jsonPatch } from './json-patch.ts';
import type { Fields } from './review-fields.ts';
import {
  MalformedReview,
  flag,
  optionalFields,
  optionalText,
  optionalTextLists,
  optionalTexts,
  readReview,
  requiredFields,
  requiredText,
} from './review-fields.ts';

const admissionReviewVersion = 'admission.k8s.io/v1';

/** A kind, as the API server names it in a review. */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** A resource, as the API server names it in a review. */
export interface GroupVersionResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** The user who made a request. */
export interface AdmissionUser {
  readonly username: string;
  readonly uid?: string | undefined;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** The fields of every request, for all operations (admission.k8s.io/v1 AdmissionRequest). */
export interface AdmittedRequest {
  readonly uid: string;
  /**
   * The kind of the object in this request; `requestKind` is the kind that the client used, if the
   * server converted it.
   */
  readonly kind: GroupVersionKind;
  readonly resource: GroupVersionResource;
  readonly subResource?: string | undefined;
  readonly requestKind?: GroupVersionKind | undefined;
  readonly requestResource?: GroupVersionResource | undefined;
  readonly requestSubResource?: string | undefined;
  /** Empty where the server is yet to make it (`generateName`), and for a collection. */
  readonly name: string;
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  readonly userInfo: AdmissionUser;
  /** Nothing will be stored: a webhook with side effects must leave them out. */
  readonly dryRun: boolean;
  /** The options of the request, as `CreateOptions`. */
  readonly options?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * A request that asks for admission, with the objects that its operation has. `metadata.name` of a
 * new object is absent where the server is yet to make it. Their `metadata` is an object;
 * everything else in them is unchecked: what a client sends is hostile until the schema of its kind
 * has been applied, which the API server does after mutation.
 */
export type AdmissionRequest<T extends KubernetesObject = KubernetesObject> = AdmittedRequest &
  (
    | { readonly operation: 'CREATE'; readonly object: T }
    | { readonly operation: 'UPDATE'; readonly object: T; readonly oldObject: T }
    | { readonly operation: 'DELETE'; readonly oldObject: T }
    /** A request to a subresource such as `exec`: `object` holds its options. */
    | { readonly operation: 'CONNECT'; readonly object: Readonly<Record<string, unknown>> }
  );

export type AdmissionOperation = AdmissionRequest['operation'];

/** The additions that a webhook may make to any verdict. */
export interface VerdictNotes {
  /**
   * Shown to the client. At most 120 characters each, without control characters; the server drops
   * them beyond 4,096 in all.
   */
  readonly warnings?: readonly string[] | undefined;
  /** Added to the audit event under `<name of the webhook>/<key>`. */
  readonly auditAnnotations?: Readonly<Record<string, string>> | undefined;
}

export interface Allowed extends VerdictNotes {
  readonly allowed: true;
}

/** Allowed, with the object as it is to be; the API server gets the difference as a JSON patch. */
export interface Mutated<T extends KubernetesObject> extends Allowed {
  readonly object: T;
}

export interface Denied extends VerdictNotes {
  readonly allowed: false;
  readonly message: string;
  readonly reason: StatusReason;
  readonly causes: readonly StatusCause[];
}

/** The decision of a validating webhook. */
export type Verdict = Allowed | Denied;

/** The decision of a mutating webhook; {@link Allowed} changes nothing. */
export type Mutation<T extends KubernetesObject = KubernetesObject> = Verdict | Mutated<T>;

/** Lets the request pass. */
export function allow(notes: VerdictNotes = {}): Allowed {
  return { allowed: true, ...notes };
}

/**
 * Lets the request pass with the object changed to `object`: build it from the one that was sent.
 */
export function mutate<T extends KubernetesObject>(object: T, notes: VerdictNotes = {}): Mutated<T> {
  return { allowed: true, object, ...notes };
}

/**
 * Rejects the request: the client sees `admission webhook "<name>" denied the request: <message>`,
 * with the HTTP code of `reason` (default Forbidden, 403) and one cause per wrong field.
 */
export function deny(
  message: string,
  details: VerdictNotes & {
    readonly reason?: StatusReason | undefined;
    readonly causes?: readonly StatusCause[] | undefined;
  } = {},
): Denied {
  const { reason = 'Forbidden', causes = [], ...notes } = details;
  return { allowed: false, message, reason, causes, ...notes };
}

/**
 * Reads an AdmissionReview of the API server. Unknown fields are ignored, null is absent.
 * Errors: {@link MalformedReview} where a field that it needs is missing or has another type.
 */
export function readAdmissionReview(body: string): AdmissionRequest {
  const request = requiredFields(readReview(body, admissionReviewVersion, 'AdmissionReview'), 'request');
  const userInfo = requiredFields(request, 'userInfo');
  const common: AdmittedRequest = {
    uid: requiredText(request, 'uid'),
    kind: kindOf(requiredFields(request, 'kind')),
    resource: resourceOf(requiredFields(request, 'resource')),
    subResource: optionalText(request, 'subResource'),
    requestKind: ifPresent(optionalFields(request, 'requestKind'), kindOf),
    requestResource: ifPresent(optionalFields(request, 'requestResource'), resourceOf),
    requestSubResource: optionalText(request, 'requestSubResource'),
    name: optionalText(request, 'name') ?? '',
    namespace: optionalText(request, 'namespace') ?? '',
    userInfo: {
      username: optionalText(userInfo, 'username') ?? '',
      uid: optionalText(userInfo, 'uid'),
      groups: optionalTexts(userInfo, 'groups') ?? [],
      extra: optionalTextLists(userInfo, 'extra') ?? {},
    },
    dryRun: flag(request, 'dryRun'),
    options: optionalFields(request, 'options')?.values,
  };
  const operation = requiredText(request, 'operation');
  switch (operation) {
    case 'CREATE':
      return { ...common, operation, object: objectOf(request, 'object') };
    case 'UPDATE':
      return { ...common, operation, object: objectOf(request, 'object'), oldObject: objectOf(request, 'oldObject') };
    case 'DELETE':
      return { ...common, operation, oldObject: objectOf(request, 'oldObject') };
    case 'CONNECT':
      return { ...common, operation, object: requiredFields(request, 'object').values };
    default:
      throw new MalformedReview('request.operation is unknown');
  }
}

/** The AdmissionReview that answers `request`, as JSON. */
export function admissionAnswer(request: AdmissionRequest, verdict: Mutation): string {
  const { uid, kind, resource } = request;
  const response = {
    uid,
    allowed: verdict.allowed,
    ...notesOf(verdict),
    ...('object' in verdict && 'object' in request && patchOf(request.object, verdict.object)),
    ...(!verdict.allowed && {
      status: {
        status: 'Failure',
        message: verdict.message,
        reason: verdict.reason,
        code: statusReasons[verdict.reason],
        details: {
          ...(request.name !== '' && { name: request.name }),
          group: kind.group,
          kind: resource.resource,
          ...(verdict.causes.length > 0 && { causes: verdict.causes }),
        },
      },
    }),
  };
  return JSON.stringify({ apiVersion: admissionReviewVersion, kind: 'AdmissionReview', response });
}

function patchOf(before: unknown, after: unknown): { readonly patchType?: 'JSONPatch'; readonly patch?: string } {
  const operations = jsonPatch(before, after);
  if (operations.length === 0) return {};
  return { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(operations)).toString('base64') };
}

function notesOf({ warnings = [], auditAnnotations }: VerdictNotes): object {
  // The API server drops all warnings of an answer in which one has a control character.
  const shown = warnings.map((warning) => warning.replace(/\p{Cc}+/gu, ' ').trim()).filter((warning) => warning !== '');
  return { ...(shown.length > 0 && { warnings: shown }), ...(auditAnnotations !== undefined && { auditAnnotations }) };
}

function kindOf(fields: Fields): GroupVersionKind {
  return {
    group: optionalText(fields, 'group') ?? '',
    version: requiredText(fields, 'version'),
    kind: requiredText(fields, 'kind'),
  };
}

function resourceOf(fields: Fields): GroupVersionResource {
  return {
    group: optionalText(fields, 'group') ?? '',
    version: requiredText(fields, 'version'),
    resource: requiredText(fields, 'resource'),
  };
}

function objectOf(request: Fields, name: string): KubernetesObject {
  const object = requiredFields(request, name);
  requiredFields(object, 'metadata');
  return object.values as unknown as KubernetesObject;
}

function ifPresent<F, T>(value: F | undefined, read: (value: F) => T): T | undefined {
  return value === undefined ? undefined : read(value);
}

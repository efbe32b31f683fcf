import type { ServedResource } from '../registry/served-resource.ts';
import { unregisteredKind } from '../typed/body-errors.ts';
import { parseJson } from '../typed/parse-json.ts';
import { parseYamlBody } from '../typed/parse-yaml-body.ts';
import { malformedMessage, typeMetaOf } from '../typed/type-meta.ts';
import type { AdmissionRequest } from '../core/core.ts';

/**
 * The `request` of an AdmissionReview (admission.k8s.io/v1). `as`: the version of the resource that
 * the webhook's rule names.
 */
export function reviewRequest(
  { operation, target, options, body }: AdmissionRequest,
  as: ServedResource,
  { uid, object, oldObject }: { readonly uid: string; readonly object: unknown; readonly oldObject: unknown },
): object {
  const { resource, subresource, namespace, name, user, dryRun, ofCollection = false } = target;
  const kindOf = ({ group, version, kind }: ServedResource) => ({ group, version, kind });
  const resourceOf = ({ group, version, plural }: ServedResource) => ({ group, version, resource: plural });
  const objectName = name === '' ? (object as { metadata?: { name?: string } } | null)?.metadata?.name : name;
  return {
    uid,
    kind: kindOf(body ?? as),
    resource: resourceOf(as),
    ...(subresource !== undefined && { subResource: subresource }),
    requestKind: kindOf(body ?? resource),
    requestResource: resourceOf(resource),
    ...(subresource !== undefined && { requestSubResource: subresource }),
    ...(objectName !== undefined && objectName !== '' && !ofCollection && { name: objectName }),
    ...(namespace !== undefined && { namespace }),
    operation,
    userInfo: user,
    object: unnamed(object) ?? null,
    oldObject: oldObject ?? null,
    dryRun,
    options,
  };
}

/** Leaves out a name that is not generated yet. */
function unnamed(object: unknown): unknown {
  const { metadata, ...rest } = (object ?? {}) as { readonly metadata?: { readonly name?: string } };
  if (metadata?.name !== '') return object;
  const { name: _, ...others } = metadata;
  return { ...rest, metadata: others };
}

/** The whole review that is sent. */
export function reviewBody(request: object): string {
  return JSON.stringify({ kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1', request });
}

/** The `response` of an AdmissionReview, as a webhook sends it. */
export interface ReviewResponse {
  readonly uid: string;
  readonly allowed: boolean;
  readonly status?:
    | { readonly code?: number; readonly message?: string; readonly reason?: string; readonly details?: object }
    | undefined;
  readonly patch?: string | undefined;
  readonly patchType?: string | undefined;
  readonly warnings?: readonly string[] | undefined;
}

/**
 * Reads the AdmissionReview that a webhook returned. A string is the error, in the words of Go's
 * client.
 */
export function readReview(text: string, uid: string): ReviewResponse | string {
  const json = parseJson(text);
  // Text that is not JSON may be YAML.
  const read = json.kind === 'parsed' ? json : parseYamlBody(text);
  if (read.kind === 'malformed') return `failed to call webhook: ${malformedMessage(read.message)}`;
  const meta = typeMetaOf(read.json);
  if (meta.kind === 'refused') return `failed to call webhook: ${meta.message}`;
  const { apiVersion, kind } = meta.typeMeta;
  const isReview = (apiVersion === '' || versions.includes(apiVersion)) && (kind === '' || kind === 'AdmissionReview');
  if (!isReview) {
    const unknown = unregisteredKind(kind || 'AdmissionReview', apiVersion || admissionV1);
    return `failed to call webhook: ${unknown}`;
  }
  const { response } = (read.json.value ?? {}) as { readonly response?: ReviewResponse | null | undefined };
  const invalid = (why: string) => `received invalid webhook response: ${why}`;
  if (response === undefined || response === null) return invalid('webhook response was absent');
  if (response.uid !== uid)
    return invalid(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response.uid ?? '')}`);
  if (apiVersion !== admissionV1 || kind === '') {
    const got = `${apiVersion === '' ? '/' : apiVersion}, Kind=${kind}`;
    return invalid(`expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got ${got}`);
  }
  return response;
}

const admissionV1 = 'admission.k8s.io/v1';
const versions = [admissionV1, 'admission.k8s.io/v1beta1'];

/** The error for an invalid patch in the response; undefined if it is valid. */
export function patchProblem({ patch = '', patchType }: ReviewResponse, mutates: boolean): string | undefined {
  const why = mutates ? mutatingProblem(patch, patchType) : validatingProblem(patch, patchType);
  return why === undefined ? undefined : `received invalid webhook response: ${why}`;
}

function mutatingProblem(patch: string, patchType: string | undefined): string | undefined {
  if (patch !== '' && patchType === undefined) return 'webhook returned response.patch but not response.patchType';
  if (patch === '' && patchType !== undefined) return 'webhook returned response.patchType but not response.patch';
  return patchType === '' ? 'webhook returned invalid response.patchType of ""' : undefined;
}

function validatingProblem(patch: string, patchType: string | undefined): string | undefined {
  if (patch !== '') return 'validating webhook may not return response.patch';
  return patchType === undefined ? undefined : 'validating webhook may not return response.patchType';
}

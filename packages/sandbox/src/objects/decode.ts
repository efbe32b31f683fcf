import { apiVersionOf } from '@isthmus/machinery';
import type { ApiRequest } from '@isthmus/kube';
import type { ServedResource } from '../registry/served-resource.ts';
import type { WriteTarget } from '../core/target.ts';
import { badRequest, invalid, invalidValue } from '../refusal/refusal.ts';
import type { Stored } from '../store/stored.ts';
import { jsonFailure } from '../typed/json-failure.ts';
import { noOddities } from '../typed/parsed-json.ts';
import type { ParsedJson } from '../typed/parsed-json.ts';
import { repeatedKeysError } from '../typed/parse-yaml-body.ts';
import { typeMetaOf } from '../typed/type-meta.ts';
import { strictDecodingError, unhandledBody, unrecognizedBody, unregisteredKind } from '../typed/body-errors.ts';
import { readBody } from './body.ts';
import { builtInType, hasBuiltInType } from '../builtin/types/load.ts';
import { decodeTyped } from '../typed/decode.ts';
import type { Mismatch } from '../typed/decode.ts';
import { deleteOptionsOf } from '../options/delete-options.ts';
import type { DeleteOptions } from '../options/delete-options.ts';

/**
 * The object of a request, in the version of the request, with the version's defaults. Unknown and
 * repeated fields cause warnings or a rejection.
 */
export function decodeObject(target: WriteTarget, request: ApiRequest): Stored {
  const { resource } = target;
  const unrecognized = (why: string) =>
    badRequest(unrecognizedBody(resource.kind, why, Buffer.from(request.body ?? '')));
  const body = readBody(request);
  if (body.kind === 'malformed') throw unrecognized(body.message);
  const meta = typeMetaOf(body.json);
  if (meta.kind === 'refused') throw unrecognized(meta.message);
  const { apiVersion, kind } = meta.typeMeta;
  if (kind === '' && resource.origin === 'custom') {
    throw unrecognized(`Object 'Kind' is missing in '${request.body ?? ''}'`);
  }
  checkType(resource, { apiVersion, kind }, body.json.value);
  const cannot = (why: string) => {
    const version = apiVersion === '' ? resource.version : (apiVersion.split('/').at(-1) ?? '');
    return badRequest(unhandledBody({ kind: kind === '' ? resource.kind : kind, version }, resource.kind, why));
  };
  const { object, strictErrors } = decoded(resource, body.json, cannot);
  const { repeatedKeys = [] } = body.json;
  const told =
    target.fieldValidation === 'Strict' && repeatedKeys.length > 0 ? [repeatedKeysError(repeatedKeys)] : repeatedKeys;
  reportStrictErrors(target, [...told, ...strictErrors], cannot);
  return object;
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  for (const part of Object.values(value)) if (isDeeper(part, levels - 1)) return true;
  return false;
}

/**
 * An object that is plain JSON already, in the version of the resource. Unknown fields go without a
 * word.
 */
export function typed(resource: ServedResource, value: unknown): Stored {
  return decoded(resource, { value, oddities: noOddities }, badRequest).object;
}

/**
 * Decodes and fills in defaults. `refuse` makes the error of a value that does not fit; it
 * gets that value and its type where they are known.
 */
export function decoded(
  resource: ServedResource,
  json: ParsedJson,
  refuse: (why: string, mismatch?: Mismatch) => Error,
): { readonly object: Stored; readonly strictErrors: readonly string[] } {
  // Patches can make of two objects a deeper one.
  if (isDeeper(json.value, jsonFailure.maxDepth)) throw refuse('exceeded max depth');
  const result = resource.decode(json);
  if (result.kind === 'refused') throw refuse(result.message, result.mismatch);
  const { metadata, ...rest } = result.object as Partial<Stored>;
  const object: Stored = {
    ...rest,
    kind: resource.kind,
    apiVersion: apiVersionOf(resource),
    // Validation reports a missing name.
    metadata: { ...metadata, name: metadata?.name ?? '' },
  };
  return { object: resource.strategy.defaults?.(object) ?? object, strictErrors: result.strictErrors };
}

/**
 * Warns of unknown and repeated fields, or rejects them with the error of `refuse`, as the
 * request's `fieldValidation` requires.
 */
export function reportStrictErrors(
  { fieldValidation, warnings }: WriteTarget,
  strictErrors: readonly string[],
  refuse: (why: string) => Error,
): void {
  if (strictErrors.length === 0 || fieldValidation === 'Ignore' || fieldValidation === undefined) return;
  if (fieldValidation === 'Strict') throw refuse(strictDecodingError(strictErrors));
  warnings.push(...strictErrors);
}

/** Rejects a body of another type. The message differs between built-in and custom kinds. */
function checkType(
  resource: ServedResource,
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
  value: unknown,
): void {
  const expected = apiVersionOf(resource);
  if (resource.origin === 'custom') {
    checkCustomType(resource, { apiVersion, kind }, value);
    return;
  }
  if ((apiVersion === '' || apiVersion === expected) && (kind === '' || kind === resource.kind)) return;
  const version = (apiVersion === '' ? resource.version : apiVersion).split('/').at(-1) ?? '';
  const why =
    (apiVersion === '' || apiVersion === expected) && hasBuiltInType(expected, kind)
      ? `converting (${version}.${kind}) to (${resource.group === '' ? 'core' : resource.group.split('.')[0]}.${resource.kind}): unknown conversion`
      : unregisteredKind(kind === '' ? resource.kind : kind, apiVersion === '' ? expected : apiVersion);
  throw badRequest(unhandledBody({ kind: kind === '' ? resource.kind : kind, version }, resource.kind, why));
}

function checkCustomType(
  resource: ServedResource,
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
  value: unknown,
): void {
  const expected = apiVersionOf(resource);
  if (kind !== resource.kind) {
    const { metadata } = (value ?? {}) as { readonly metadata?: { readonly name?: string } };
    throw invalid({ group: resource.group, kind }, metadata?.name ?? '', [
      invalidValue('kind', kind, `must be ${resource.kind}`),
    ]);
  }
  if (apiVersion !== expected) {
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${expected})`,
    );
  }
}

/** The options of a DELETE, from its body or its query. */
export function decodeDeleteOptions(request: ApiRequest): DeleteOptions {
  const { body = '', query = {} } = request;
  return deleteOptionsOf(body === '' ? undefined : deleteOptionsIn(request), query);
}

/** Any group has DeleteOptions, in any version. */
function deleteOptionsIn(request: ApiRequest): DeleteOptions {
  const body = readBody(request);
  if (body.kind === 'malformed') throw badRequest(body.message);
  const meta = typeMetaOf(body.json);
  if (meta.kind === 'refused') throw badRequest(meta.message);
  const { apiVersion, kind } = meta.typeMeta;
  if (kind !== '' && kind !== 'DeleteOptions') {
    throw badRequest(unregisteredKind(kind, apiVersion === '' ? 'meta.k8s.io/v1' : apiVersion));
  }
  const read = decodeTyped(builtInType('v1', 'DeleteOptions'), body.json.value, body.json.oddities);
  if (read.kind === 'refused') throw badRequest(read.message);
  return Object.fromEntries(Object.entries(read.object).filter(([, value]) => value !== null));
}

import type { ApiRequest } from '@isthmus/kube';
import { apiVersionOf, applyMergePatch, failureStatus } from '@isthmus/machinery';
import type { Json } from '@isthmus/schema';
import { applyJsonPatch } from '../patch/json-patch.ts';
import { applyStrategicMergePatch } from '../patch/strategic-merge-patch.ts';
import { jsonPatchUnknownFields } from '../patch/json-patch-operations.ts';
import { PatchError } from '../patch/patch-error.ts';
import type { Core } from '../core/core.ts';
import type { WriteTarget } from '../core/target.ts';
import { badRequest, invalid, invalidValue, Refusal, refusalOf, unexplained } from '../refusal/refusal.ts';
import type { Stored } from '../store/stored.ts';
import { unregisteredKind } from '../typed/body-errors.ts';
import { duplicateFields } from '../typed/strict-errors.ts';
import type { Mismatch } from '../typed/decode.ts';
import { parseJson } from '../typed/parse-json.ts';
import { noOddities } from '../typed/parsed-json.ts';
import type { ParsedJson } from '../typed/parsed-json.ts';
import { typeMetaOf } from '../typed/type-meta.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import { asJson } from '../objects/as-json.ts';
import { decoded, reportStrictErrors, typed } from '../objects/decode.ts';
import { applyPatch, isApply } from './apply.ts';
import { updateObject } from './update.ts';
import { addressed } from './write.ts';
import type { Change, Written } from './update.ts';

/** Applies a patch: JSON, merge, strategic merge, or server-side apply. */
export async function patchObject(core: Core, target: WriteTarget, request: ApiRequest): Promise<Written> {
  const type = (request.headers?.['content-type'] ?? '').split(';')[0]?.trim() ?? '';
  refuseForce(type, request.query ?? {});
  if (isApply(request)) return applyPatch(core, target, request);
  return updateObject(core, target, changeOfPatch(target, request), { options: 'PatchOptions' });
}

/** The change of an object by any patch other than server-side apply. */
export function changeOfPatch(target: WriteTarget, request: ApiRequest): Change {
  const type = (request.headers?.['content-type'] ?? '').split(';')[0]?.trim() ?? '';
  const body = request.body ?? '';
  switch (type) {
    case 'application/json-patch+json':
      return jsonPatch(target, body);
    case 'application/merge-patch+json':
      return mergePatch(target, body);
    case 'application/strategic-merge-patch+json':
      if (target.resource.origin === 'custom') throw unknownFormat(target);
      return strategicMergePatch(target, body);
    default:
      throw new Refusal(
        failureStatus({ reason: 'UnsupportedMediaType', message: '415: Unsupported Media Type', details: {} }),
      );
  }
}

/** The patches that never cause conflicts with field managers. */
const patchTypes: ReadonlySet<string> = new Set([
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
]);

/**
 * The error of the real server for a value of a strategic merge patch, which it converts instead of
 * decoding it; undefined where the two are the same. Source: measured on 1.36.
 */
function conversionProblem({ value, type }: Mismatch): string | undefined {
  const from = goKind(value);
  if (type.kind === 'map') return `cannot restore map from ${from}`;
  if (type.kind === 'list') return `cannot restore slice from ${from}`;
  if (type.kind === 'struct') return `cannot restore struct from: ${from}`;
  if (type.kind !== 'scalar') return undefined;
  if (type.scalar === 'bytes') return from === 'slice' ? undefined : `cannot restore slice from ${from}`;
  const to = type.scalar === 'boolean' ? 'bool' : type.scalar;
  // The real server cuts an integer that is too large.
  if (from === 'int64' && to !== 'string' && to !== 'bool') return undefined;
  const isConvertible = from === 'int64' ? to === 'string' : from === 'float64' && to.startsWith('int');
  return isConvertible ? `cannot convert ${from} to ${type.goType ?? to}` : `unrecognized type: ${to}`;
}

/** What Go calls a value of JSON. */
function goKind(value: unknown): string {
  if (Array.isArray(value)) return 'slice';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'object' ? 'map' : typeof value === 'boolean' ? 'bool' : typeof value;
}

function refuseForce(type: string, query: Readonly<Record<string, string>>): void {
  if (query['force'] === undefined || !patchTypes.has(type)) return;
  throw invalid({ group: 'meta.k8s.io', kind: 'PatchOptions' }, '', [
    { path: 'force', type: 'Forbidden', value: '', detail: 'may not be specified for non-apply patch' },
  ]);
}

function jsonPatch(target: WriteTarget, body: string): Change {
  const ignoresFields = target.fieldValidation === 'Ignore';
  return (before) => {
    const patch = parsed(body);
    const unknown = jsonPatchUnknownFields(patch);
    reportStrictErrors(target, unknown, (why) => badRequest(`error decoding patch: ${why}`));
    return redecoded(target, before, (object) =>
      patching(() => applyJsonPatch(asJson(object), patch, { ignoresFields })),
    );
  };
}

function mergePatch(target: WriteTarget, body: string): Change {
  return (before) => {
    const parsedBody = parseJson(body);
    if (parsedBody.kind === 'malformed') throw badRequest(`error decoding patch: ${parsedBody.message}`);
    const { value, oddities } = parsedBody.json;
    if (value === null) throw badRequest('Invalid JSON Patch');
    if (typeof value !== 'object' || Array.isArray(value)) {
      throw badRequest(
        `error decoding patch: json: cannot unmarshal ${goWord(value)} into Go value of type map[string]interface {}`,
      );
    }
    const duplicates = duplicateFields(value, oddities);
    reportStrictErrors(target, duplicates, (why) => badRequest(`error decoding patch: ${why}`));
    return redecoded(target, before, (object) => applyMergePatch(object, value));
  };
}

/**
 * A strategic merge patch is merged into the Go struct, not into its JSON, so errors show the
 * patch.
 */
function strategicMergePatch(target: WriteTarget, body: string): Change {
  return (before) => {
    const parsedBody = parseJson(body);
    if (parsedBody.kind === 'malformed') throw badRequest(parsedBody.message);
    const { value } = parsedBody.json;
    if (value === null) return before;
    if (typeof value !== 'object' || Array.isArray(value)) {
      throw badRequest(`json: cannot unmarshal ${goWord(value)} into Go value of type map[string]interface {}`);
    }
    const patched = patching(() => applyStrategicMergePatch(target.resource.type, asJson(before), value as Json));
    const refuse = (why: string, mismatch?: Mismatch) =>
      invalidPatch(goMap(value), (mismatch && conversionProblem(mismatch)) ?? why);
    const { object, strictErrors } = decoded(target.resource, { value: patched, oddities: noOddities }, refuse);
    reportStrictErrors(target, strictErrors, refuse);
    return addressed(target, object);
  };
}

/** The patched object as the server reads it again. Errors show the whole of it. */
function redecoded(target: WriteTarget, before: Stored, patched: (object: Stored) => unknown): Stored {
  const { resource } = target;
  const refuse = (why: string) => invalidPatch(topSorted(patched(typed(resource, before))), why);
  const json = { value: patched(before), oddities: noOddities };
  if (resource.origin === 'built-in') checkKind(resource, json, refuse);
  const { object, strictErrors } = decoded(resource, json, refuse);
  reportStrictErrors(target, strictErrors, refuse);
  return addressed(target, object);
}

/** A patch may remove the kind, but not change it. */
function checkKind(resource: ServedResource, json: ParsedJson, refuse: (why: string) => Error): void {
  const meta = typeMetaOf(json);
  if (meta.kind === 'refused') throw refuse(meta.message);
  const { apiVersion, kind } = {
    apiVersion: meta.typeMeta.apiVersion || apiVersionOf(resource),
    kind: meta.typeMeta.kind || resource.kind,
  };
  if (apiVersion === apiVersionOf(resource) && kind === resource.kind) return;
  throw refuse(unregisteredKind(kind, apiVersion));
}

/** The error of a patch that leaves no object of the kind: it names nothing. */
function invalidPatch(shown: string, why: string): Error {
  return invalid({ group: '', kind: '' }, '', [invalidValue('patch', shown, why)]);
}

/** JSON with the keys of the outermost object sorted, as a Go map writes them. */
function topSorted(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return JSON.stringify(Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))));
}

function patching<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    const { failure } = error;
    if (failure.reason === undefined) throw unexplained(failure.message);
    throw new Refusal(failureStatus(failure));
  }
}

function parsed(body: string): unknown {
  const result = parseJson(body);
  if (result.kind === 'malformed') throw badRequest(`error decoding patch: ${result.message}`);
  return result.json.value;
}

function goWord(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/** The rejection of a patch type that custom kinds do not support. */
export function unknownFormat({ resource }: WriteTarget): Error {
  const types = [
    'application/json-patch+json',
    'application/merge-patch+json',
    ...(resource.origin === 'built-in' ? ['application/strategic-merge-patch+json'] : []),
    'application/apply-patch+yaml',
  ];
  return refusalOf(
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${types.join(', ')}`,
  );
}

/** A value as Go's %v prints it: `map[spec:map[ports:[map[port:80]]]]`, keys sorted. */
function goMap(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(goMap).join(' ')}]`;
  if (typeof value === 'string') return value;
  if (typeof value !== 'object') return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `map[${members.map(([key, member]) => `${key}:${goMap(member)}`).join(' ')}]`;
}

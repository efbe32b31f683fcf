import { apiVersionOf, keyOf, refOfObject, resourceNameOf } from '@isthmus/machinery';
import type { KubernetesObject, ObjectRef, ResourceType } from '@isthmus/machinery';
import type { ApiRequest } from '../transport/transport.ts';
import type { DeleteOptions, ListOptions, Patch, WatchOptions, WriteOptions } from './client.ts';
import { isMetadataType } from './metadata-type.ts';
import { printable } from './printable.ts';

// Requests as data: nothing here sends one. Every function throws an Error that names the resource
// and the object if its arguments are not valid in a request.

/** The parts of a path after the resource. */
export interface PathParts {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

/**
 * The path of a collection, an object or a subresource. Every part is percent-encoded, and a name
 * that the API server would not accept as one path segment (empty, `.`, `..`, with `/` or `%`;
 * apimachinery's rule for path segment names) is refused: no name can lead to another path.
 */
export function pathOf(type: ResourceType, parts: PathParts): string {
  const root = type.group === '' ? '/api' : `/apis/${segment(type, 'group', type.group)}`;
  let path = `${root}/${segment(type, 'version', type.version)}`;
  if (parts.namespace !== undefined && parts.namespace !== '') {
    if (!type.namespaced) {
      throw new Error(
        `${resourceNameOf(type)} are cluster-scoped: leave out the Namespace ${printable(parts.namespace, 100)}`,
      );
    }
    path += `/namespaces/${segment(type, 'Namespace', parts.namespace)}`;
  }
  path += `/${segment(type, 'plural', type.plural)}`;
  if (parts.name !== undefined) path += `/${segment(type, 'name', parts.name)}`;
  if (parts.subresource !== undefined) path += `/${segment(type, 'subresource', parts.subresource)}`;
  return path;
}

export function getRequest(type: ResourceType, ref: ObjectRef): ApiRequest {
  return { method: 'GET', path: objectPath(type, ref), headers: accepting(type) };
}

/** One page of a list; `continueToken` is `metadata.continue` of the page before. */
export function listRequest(
  type: ResourceType,
  options: Omit<ListOptions, 'signal'> & { readonly continueToken?: string | undefined },
): ApiRequest {
  return {
    method: 'GET',
    path: pathOf(type, { namespace: options.namespace }),
    query: query({
      labelSelector: options.labelSelector,
      fieldSelector: options.fieldSelector,
      limit: options.limit === undefined || options.limit === 0 ? undefined : String(options.limit),
      continue: options.continueToken,
    }),
    headers: accepting(type, 'PartialObjectMetadataList'),
  };
}

/** A watch that asks for bookmarks. */
export function watchRequest(type: ResourceType, options: Omit<WatchOptions, 'signal' | 'idleMs'>): ApiRequest {
  return {
    method: 'GET',
    path: pathOf(type, { namespace: options.namespace }),
    query: query({
      watch: 'true',
      allowWatchBookmarks: 'true',
      labelSelector: options.labelSelector,
      fieldSelector: options.fieldSelector,
      resourceVersion: options.resourceVersion,
      timeoutSeconds: String(Math.ceil(options.timeoutSeconds)),
    }),
    headers: accepting(type),
  };
}

/**
 * Creates `object`; where its name is empty, `generateName` must be set and the server makes up the
 * name.
 */
export function createRequest(type: ResourceType, object: KubernetesObject, options: WriteOptions): ApiRequest {
  const { name, generateName } = object.metadata;
  if (options.subresource !== undefined) {
    throw new Error(
      `create ${resourceNameOf(type)}: the subresource ${options.subresource} cannot be created, only updated`,
    );
  }
  if (name === '' && !generateName)
    throw new Error(`create ${resourceNameOf(type)}: the object has no name and no generateName`);
  return {
    method: 'POST',
    path: pathOf(type, { namespace: namespaceOf(type, refOfObject(object)) }),
    query: query(written(options)),
    headers: { ...accepting(type), 'content-type': 'application/json' },
    body: bodyOf(type, object),
  };
}

export function updateRequest(type: ResourceType, object: KubernetesObject, options: WriteOptions): ApiRequest {
  return {
    method: 'PUT',
    path: objectPath(type, refOfObject(object), options.subresource),
    query: query(written(options)),
    headers: { ...accepting(type), 'content-type': 'application/json' },
    body: bodyOf(type, object),
  };
}

/** `apiVersion` and `kind` are added to an apply patch, which needs them, and to no other. */
export function patchRequest(type: ResourceType, ref: ObjectRef, patch: Patch, options: WriteOptions): ApiRequest {
  const path = objectPath(type, ref, options.subresource);
  const headers = { ...accepting(type), 'content-type': patchContentTypes[patch.type] };
  if (patch.type !== 'apply') {
    return {
      method: 'PATCH',
      path,
      query: query(written(options)),
      headers,
      body: JSON.stringify(patch.body),
    };
  }
  const force = patch.force === undefined ? undefined : String(patch.force);
  return {
    method: 'PATCH',
    path,
    query: query({ ...written(options), fieldManager: patch.fieldManager, force }),
    headers,
    body: JSON.stringify(stamped(type, patch.body as object)),
  };
}

export function deleteRequest(type: ResourceType, ref: ObjectRef, options: DeleteOptions): ApiRequest {
  const request = { method: 'DELETE', path: objectPath(type, ref) } as const;
  if (options.preconditions === undefined && options.propagationPolicy === undefined) {
    return { ...request, headers: accepting(type) };
  }
  return {
    ...request,
    headers: { ...accepting(type), 'content-type': 'application/json' },
    body: JSON.stringify({
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      preconditions: options.preconditions,
      propagationPolicy: options.propagationPolicy,
    }),
  };
}

const patchContentTypes: Readonly<Record<Patch['type'], string>> = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

function objectPath(type: ResourceType, ref: ObjectRef, subresource?: string): string {
  return pathOf(type, { namespace: namespaceOf(type, ref), name: ref.name, subresource });
}

function namespaceOf(type: ResourceType, ref: ObjectRef): string | undefined {
  if (!type.namespaced || (ref.namespace !== undefined && ref.namespace !== '')) return ref.namespace;
  throw new Error(
    `${resourceNameOf(type)} ${printable(ref.name, 100)}: the object has no Namespace, and its kind needs one`,
  );
}

function bodyOf(type: ResourceType, object: KubernetesObject): string {
  if (isMetadataType(type)) {
    throw new Error(
      `${resourceNameOf(type)} ${keyOf(object.metadata)}: only its metadata is known, so it can only be patched`,
    );
  }
  const { name, ...unnamed } = object.metadata;
  const metadata = name === '' ? unnamed : object.metadata;
  return JSON.stringify(stamped(type, { ...object, metadata }));
}

/** The object with the type's own apiVersion and kind in front, in place of those of the object. */
function stamped(type: ResourceType, object: object): object {
  const identity = { apiVersion: apiVersionOf(type), kind: type.kind };
  return Object.assign({ ...identity }, object, identity);
}

function accepting(type: ResourceType, view = 'PartialObjectMetadata'): Readonly<Record<string, string>> {
  if (!isMetadataType(type)) return { accept: 'application/json' };
  return { accept: `application/json;as=${view};g=meta.k8s.io;v=v1,application/json` };
}

function written({ dryRun, fieldValidation }: WriteOptions) {
  return { dryRun: dryRun === true ? 'All' : undefined, fieldValidation };
}

function query(parameters: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  const set: Record<string, string> = {};
  for (const [key, value] of Object.entries(parameters)) if (value !== undefined && value !== '') set[key] = value;
  return set;
}

function segment(type: ResourceType, what: string, text: string): string {
  const harmless = text !== '' && text !== '.' && text !== '..' && !/[/%]/.test(text) && text.isWellFormed();
  if (harmless) return encodeURIComponent(text);
  const shown = text === '' ? 'is empty' : `"${printable(text, 100)}" is not valid in a URL path`;
  throw new Error(`${resourceNameOf(type)}: the ${what} ${shown}`);
}

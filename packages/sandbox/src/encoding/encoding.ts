import { apiVersionOf } from '@isthmus/machinery';
import type { ServedResource } from '../registry/served-resource.ts';
import type { Stored } from '../store/stored.ts';

/** `metadata` of a list. */
export interface ListMetadata {
  readonly resourceVersion: string;
  readonly continue?: string | undefined;
  readonly remainingItemCount?: number | undefined;
}

export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** A line of a watch. */
export function watchLine(type: EventType | 'BOOKMARK' | 'ERROR', object: string): string {
  return `{"type":"${type}","object":${object}}\n`;
}

/** How objects go out. All of them as JSON text: each stored object is serialised once. */
export interface Encoding {
  readonly contentType: string;
  object(resource: ServedResource, object: Stored): string;
  list(resource: ServedResource, objects: readonly Stored[], metadata: ListMetadata): string;
  /** The line of a watch event; `index` counts the events of the watch from 0. */
  event(type: EventType, resource: ServedResource, object: Stored, index: number): string | Uint8Array;
  bookmark(resource: ServedResource, resourceVersion: string, annotations?: Readonly<Record<string, string>>): string;
}

/** Whole objects. `texts` remembers their JSON. */
export function wholeEncoding(texts: WeakMap<Stored, string>): Encoding {
  const bare = (object: Stored) => {
    let text = texts.get(object);
    if (text === undefined) {
      const { kind: _kind, apiVersion: _apiVersion, ...rest } = object;
      text = JSON.stringify(rest).slice(1);
      if (Object.isFrozen(object)) texts.set(object, text);
    }
    return text;
  };
  const wholeObject = (_: ServedResource, object: Stored) =>
    `{"kind":${JSON.stringify(object.kind)},"apiVersion":${JSON.stringify(object.apiVersion)},${bare(object)}`;
  // All watches of a kind receive a write one after the other, so they share the bytes.
  let told: { readonly type: EventType; readonly object: Stored; readonly line: Uint8Array } | undefined;
  return {
    contentType: 'application/json',
    object: wholeObject,
    event(type, resource, object) {
      if (told?.object !== object || told.type !== type) {
        told = { type, object, line: new TextEncoder().encode(watchLine(type, wholeObject(resource, object))) };
      }
      return told.line;
    },
    list(resource, objects, metadata) {
      const items = objects.map((object) =>
        resource.origin === 'built-in' ? `{${bare(object)}` : wholeObject(resource, object),
      );
      // A list of custom objects always has `continue`.
      const listMetadata = resource.origin === 'built-in' ? metadata : { continue: '', ...metadata };
      return listText({ kind: `${resource.kind}List`, apiVersion: apiVersionOf(resource) }, listMetadata, items);
    },
    bookmark: (resource, resourceVersion, annotations) =>
      JSON.stringify({
        kind: resource.kind,
        apiVersion: apiVersionOf(resource),
        ...emptyParts(resource),
        metadata: {
          resourceVersion,
          ...(annotations !== undefined && { annotations }),
        },
      }),
  };
}

/** `PartialObjectMetadata`, for clients that ask for metadata only. */
export const metadataEncoding: Encoding = {
  contentType: 'application/json',
  object: (_, { metadata }) => JSON.stringify({ ...partial, metadata }),
  event: (type, _, { metadata }) => watchLine(type, JSON.stringify({ ...partial, metadata })),
  list: (_resource, objects, metadata) =>
    listText(
      { ...partial, kind: `${partial.kind}List` },
      metadata,
      objects.map((object) => JSON.stringify({ ...partial, metadata: object.metadata })),
    ),
  bookmark: (_, resourceVersion, annotations) =>
    JSON.stringify({ ...partial, metadata: { resourceVersion, ...(annotations !== undefined && { annotations }) } }),
};

const partial = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' };

function listText(
  type: { kind: string; apiVersion: string },
  metadata: ListMetadata,
  items: readonly string[],
): string {
  return `${JSON.stringify({ ...type, metadata }).slice(0, -1)},"items":[${items.join(',')}]}`;
}

/**
 * A bookmark of a built-in kind is an empty Go struct: it contains the structs that are not
 * pointers.
 */
function emptyParts({ origin, type }: ServedResource): object {
  if (origin === 'custom') return {};
  const structs = Object.entries(type.fields).filter(
    ([name, { type: field, pointer, omit }]) =>
      field.kind === 'struct' && !pointer && omit !== 'zero' && name !== 'metadata',
  );
  return Object.fromEntries(structs.map(([name]) => [name, {}]));
}

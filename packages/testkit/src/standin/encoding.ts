import { apiVersionOf } from '@isthmus/machinery';
import type { ServedType, Stored } from './served-type.ts';

/** How objects go out: as JSON in the version of the request, whole or as metadata only. Each object is serialised once. */
export interface Encoding {
  object(type: ServedType, object: Stored): string;
  /** As {@link Encoding.object}; items of built-in kinds come without apiVersion and kind, as the real server sends them. */
  item(type: ServedType, object: Stored): string;
  kind(type: ServedType): { readonly apiVersion: string; readonly kind: string };
}

/** Whole objects. `texts` remembers their JSON; a stored object never changes. */
export function wholeEncoding(texts: WeakMap<Stored, string>): Encoding {
  const bare = (object: Stored) => {
    let text = texts.get(object);
    if (text === undefined) {
      const { kind: _, ...rest } = object;
      texts.set(object, (text = JSON.stringify(rest).slice(1)));
    }
    return text;
  };
  const whole = (type: ServedType, object: Stored) =>
    `{"apiVersion":${JSON.stringify(apiVersionOf(type))},"kind":${JSON.stringify(type.kind)},${bare(object)}`;
  return {
    object: whole,
    item: (type, object) => (type.schema === undefined ? `{${bare(object)}` : whole(type, object)),
    kind: (type) => ({ apiVersion: apiVersionOf(type), kind: type.kind }),
  };
}

/** `PartialObjectMetadata`: what a client gets that asks for metadata only. */
export const metadataEncoding: Encoding = {
  object: (_, { metadata }) => JSON.stringify({ ...partial, metadata }),
  item: (type, object) => metadataEncoding.object(type, object),
  kind: () => partial,
};

const partial = { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata' };

import { apiVersionOf, isRecord } from '@isthmus/machinery';
import type { KubernetesObject, ResourceType } from '@isthmus/machinery';
import { isMetadataType } from './metadata-type.ts';

/**
 * An answer with a success code that is not what an API server would send. The message never
 * repeats any of it: it may be a Secret.
 */
export class MalformedAnswer extends Error {
  override readonly name = 'MalformedAnswer';
}

/** One page of a list. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly resourceVersion: string;
  /** Undefined on the last page. */
  readonly continueToken: string | undefined;
}

/**
 * Decodes JSON. Throws {@link MalformedAnswer}; V8's own message is left out, because it quotes the
 * text.
 */
export function decodeJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new MalformedAnswer(`the answer of ${text.length} characters is not JSON`);
  }
}

/**
 * Decodes the answer to a request for one object. Guarantees what {@link decodeItem} does, and a
 * name; `anyKind` is for subresources, whose answers are of a kind of their own.
 */
export function decodeObject<T extends KubernetesObject>(type: ResourceType<T>, value: unknown, anyKind = false): T {
  const object = decodeItem(type, value, 'the object');
  if (object.metadata.name === '') throw new MalformedAnswer('the object has no name');
  if (!anyKind && object.kind !== type.kind)
    throw new MalformedAnswer(`the object is not a ${type.kind} but of another kind`);
  return object;
}

/** Decodes one page of a list. `items: null` is an empty list, as Go writes it. */
export function decodePage<T extends KubernetesObject>(type: ResourceType<T>, value: unknown): Page<T> {
  if (!isRecord(value)) throw new MalformedAnswer('the list is not an object');
  const metadata = isRecord(value['metadata']) ? value['metadata'] : {};
  const items = value['items'] ?? [];
  if (!Array.isArray(items)) throw new MalformedAnswer('the items of the list are not an array');
  const { resourceVersion, continue: token } = metadata;
  return {
    items: items.map((item, index) => decodeItem(type, item, `item ${index}`)),
    resourceVersion: typeof resourceVersion === 'string' ? resourceVersion : '',
    continueToken: typeof token === 'string' && token !== '' ? token : undefined,
  };
}

/**
 * Completes freshly decoded JSON in place as an object. Guarantees: `metadata` always has its
 * declared shape, with null members left out and an absent name as the empty text; `apiVersion` and
 * `kind` are filled in if absent. Does not check for another kind, nor `spec` and `status`.
 */
export function decodeItem<T extends KubernetesObject>(type: ResourceType<T>, value: unknown, what: string): T {
  if (!isOwnRecord(value)) throw new MalformedAnswer(`${what} is not an object`);
  const metadata = value['metadata'];
  if (!isOwnRecord(metadata)) throw new MalformedAnswer(`${what} has no metadata`);
  for (const key of Object.keys(metadata)) {
    if (metadata[key] === null) {
      delete metadata[key];
    } else if (metadataShape[key]?.(metadata[key]) === false) {
      throw new MalformedAnswer(`metadata.${key} of ${what} has the wrong type`);
    }
  }
  metadata['name'] ??= '';
  const apiVersion = apiVersionOf(type);
  if (isMetadataType(type)) {
    const described =
      value['kind'] === undefined || value['kind'] === 'PartialObjectMetadata' ? type.kind : value['kind'];
    return { apiVersion, kind: described, metadata } as unknown as T;
  }
  if (typeof value['apiVersion'] !== 'string') value['apiVersion'] = apiVersion;
  if (typeof value['kind'] !== 'string') value['kind'] = type.kind;
  return value as unknown as T;
}

/** A decoded answer has no other owner, so it is completed in place. */
function isOwnRecord(value: unknown): value is Record<string, unknown> {
  return isRecord(value);
}

const isText = (value: unknown) => typeof value === 'string';
const isTextMap = (value: unknown) => isRecord(value) && Object.values(value).every(isText);
const isTextList = (value: unknown) => Array.isArray(value) && value.every(isText);
const isOwnerReference = (value: unknown) =>
  isRecord(value) && ['apiVersion', 'kind', 'name', 'uid'].every((key) => isText(value[key]));

/** metav1.ObjectMeta; members that are not named here are left as they are. */
const metadataShape: Readonly<Record<string, ((value: unknown) => boolean) | undefined>> = Object.assign(
  Object.create(null) as Record<string, (value: unknown) => boolean>,
  {
    name: isText,
    generateName: isText,
    namespace: isText,
    uid: isText,
    resourceVersion: isText,
    generation: Number.isSafeInteger,
    creationTimestamp: isText,
    deletionTimestamp: isText,
    deletionGracePeriodSeconds: Number.isSafeInteger,
    labels: isTextMap,
    annotations: isTextMap,
    finalizers: isTextList,
    ownerReferences: (value: unknown) => Array.isArray(value) && value.every(isOwnerReference),
    managedFields: Array.isArray,
  },
);

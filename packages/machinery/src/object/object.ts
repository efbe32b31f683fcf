/** A reference from a dependent to its owner, in the same Namespace or cluster-scoped. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean | undefined;
  readonly blockOwnerDeletion?: boolean | undefined;
}

/** `metadata` of every object. Times are RFC 3339 strings, as on the wire. */
export interface ObjectMeta {
  readonly name: string;
  readonly generateName?: string | undefined;
  readonly namespace?: string | undefined;
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly generation?: number | undefined;
  readonly creationTimestamp?: string | undefined;
  readonly deletionTimestamp?: string | undefined;
  readonly deletionGracePeriodSeconds?: number | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly finalizers?: readonly string[] | undefined;
  readonly ownerReferences?: readonly OwnerReference[] | undefined;
  readonly managedFields?: readonly unknown[] | undefined;
}

/**
 * The fields of metav1.ObjectMeta, in the order in which Go declares them. The API server drops all
 * others from the metadata of an object.
 */
export const objectMetaFields = [
  'name',
  'generateName',
  'namespace',
  'selfLink',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'labels',
  'annotations',
  'ownerReferences',
  'finalizers',
  'managedFields',
] as const;

/** One of {@link objectMetaFields}. */
export type ObjectMetaField = (typeof objectMetaFields)[number];

/**
 * Any Kubernetes object, as plain JSON. Optional fields may be `undefined`: JSON leaves those out.
 */
export interface KubernetesObject {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly metadata: ObjectMeta;
}

/** Identifies an object within one API server and one resource. */
export interface ObjectRef {
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** `namespace/name`, or `name` for cluster-scoped objects: the key of caches and queues. */
export function keyOf(ref: ObjectRef): string {
  return ref.namespace ? `${ref.namespace}/${ref.name}` : ref.name;
}

/** The reference that {@link keyOf} wrote. */
export function refOf(key: string): ObjectRef {
  const slash = key.indexOf('/');
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** The name and Namespace of an object. */
export function refOfObject(object: KubernetesObject): ObjectRef {
  return { namespace: object.metadata.namespace, name: object.metadata.name };
}

/** The cache key of an object. */
export function keyOfObject(object: KubernetesObject): string {
  return keyOf(object.metadata);
}

/**
 * Orders objects by creation, then by name: of several that claim the same, all readers take the
 * same one for the first.
 */
export function byAge(a: KubernetesObject, b: KubernetesObject): number {
  const [created, other] = [a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? ''];
  if (created !== other) return created < other ? -1 : 1;
  return a.metadata.name < b.metadata.name ? -1 : 1;
}

import { ClusterSet, Label, managedByIsthmus } from '@isthmus/api';
import type { KubernetesObject, ResourceType } from '@isthmus/machinery';
import { refOfObject } from '@isthmus/machinery';
import type { Released } from './handover-step.ts';

const isOurs = (key: string) => key.startsWith('isthmus.dev/');

/** Other changes of the object. */
export interface ReleaseOptions {
  /** Labels to remove, independent of their values. */
  readonly labels?: readonly string[] | undefined;
  /** Annotations to add. */
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}

/**
 * The step that removes everything that only Isthmus knows from an object. Empty if the object has
 * nothing of that kind.
 */
export function release(
  type: ResourceType<KubernetesObject>,
  object: KubernetesObject,
  options: ReleaseOptions = {},
): readonly Released[] {
  const { labels = {}, annotations = {}, finalizers = [] } = object.metadata;
  const labelsOver = Object.keys(labels).filter(
    (key) =>
      isOurs(key) ||
      (key === Label.managedBy && labels[key] === managedByIsthmus) ||
      options.labels?.includes(key) === true,
  );
  const annotationsOver = Object.keys(annotations).filter(isOurs);
  const missing = Object.entries(options.annotations ?? {}).filter(([key, value]) => annotations[key] !== value);
  const left = finalizers.filter((finalizer) => !isOurs(finalizer));
  const isUnchanged =
    labelsOver.length + annotationsOver.length + missing.length === 0 && left.length === finalizers.length;
  if (isUnchanged) return [];
  const none = (keys: readonly string[]) => keys.map((key) => [key, null] as const);
  const metadata = {
    ...(left.length < finalizers.length ? { finalizers: left } : {}),
    labels: Object.fromEntries(none(labelsOver)),
    annotations: Object.fromEntries([...none(annotationsOver), ...missing]),
  };
  return [{ kind: 'release', type, ref: refOfObject(object), patch: { metadata } }];
}

/**
 * The same for a ClusterSet and its status. Antrea's controllers export when the first condition
 * becomes True, so it must not be True already, and they change no list with several conditions.
 * Conditions that Antrea wrote stay unchanged.
 */
export function releaseClusterSet(clusterSet: ClusterSet): readonly Released[] {
  const marks = release(ClusterSet, clusterSet);
  if (marks.length === 0 || clusterSet.status === undefined) return marks;
  const ref = refOfObject(clusterSet);
  return [{ kind: 'release', type: ClusterSet, ref, patch: { status: null }, subresource: 'status' }, ...marks];
}

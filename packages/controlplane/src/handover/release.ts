import { ClusterSet, Label, managedByIsthmus } from '@isthmus/api';
import type { KubernetesObject, ResourceType } from '@isthmus/machinery';
import { refOfObject } from '@isthmus/machinery';
import type { Released } from './handover-step.ts';

const isOurs = (key: string) => key.startsWith('isthmus.dev/');

/** What else is to be on the object, or not. */
export interface ReleaseOptions {
  /** Labels that go, whatever their values. */
  readonly labels?: readonly string[] | undefined;
  /** Annotations that are to be there. */
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}

/** The step that takes from an object what only Isthmus knows; nothing where there is nothing of the kind. */
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
 * The same of a ClusterSet, and its status: Antrea's controllers export when the first condition becomes True, which it must not be already, and they
 * change no list of several conditions. Those that they have written are left alone.
 */
export function releaseClusterSet(clusterSet: ClusterSet): readonly Released[] {
  const marks = release(ClusterSet, clusterSet);
  if (marks.length === 0 || clusterSet.status === undefined) return marks;
  const ref = refOfObject(clusterSet);
  return [{ kind: 'release', type: ClusterSet, ref, patch: { status: null }, subresource: 'status' }, ...marks];
}

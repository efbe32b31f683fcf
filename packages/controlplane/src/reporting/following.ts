import type { Change, Source } from '@isthmus/kube';
import type { KubernetesObject } from '@isthmus/machinery';
import { equal } from '@isthmus/machinery';

/**
 * A source that wakes nothing: it only keeps up with changes, for as long as its controller runs.
 * Each of `subscribe` returns its unsubscriber.
 */
export function following(...subscribe: readonly (() => () => void)[]): Source {
  return {
    synced: true,
    whenSynced: () => Promise.resolve(),
    start() {
      const stops = subscribe.map((one) => one());
      return () => stops.forEach((stop) => stop());
    },
  };
}

/** Whether two versions of an object differ in what a client writes: a status is a controller's. */
export function differ<T extends KubernetesObject & { readonly spec?: unknown }>(before: T, after: T): boolean {
  const contentOf = ({ metadata, spec }: T) => [metadata.annotations, metadata.labels, spec];
  return !equal(contentOf(before), contentOf(after));
}

/** Whether a change shows a new object, a deletion, or another content. */
export function showsContent<T extends KubernetesObject & { readonly spec?: unknown }>({
  before,
  after,
}: Pick<Change<T>, 'before' | 'after'>): boolean {
  return before === undefined || after === undefined || differ(before, after);
}

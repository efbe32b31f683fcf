import type { Namespace, Pod } from '@isthmus/api';
import { labelIdentityHash } from '@isthmus/api';
import type { Change, ReadCache } from '@isthmus/kube';
import type { KubernetesObject } from '@isthmus/machinery';
import { keyOfObject } from '@isthmus/machinery';
import { describe, expect, it } from 'vitest';
import { createLabelSets } from './label-sets.ts';

/** A cache that counts the objects that it returns. */
function countingCache<T extends KubernetesObject>() {
  const objects = new Map<string, T>();
  const listeners = new Set<(change: Change<T>) => void>();
  let handedOut = 0;
  const hand = <R extends T | undefined>(object: R): R => {
    if (object !== undefined) handedOut += 1;
    return object;
  };
  const cache: ReadCache<T> = {
    get: ({ namespace, name }) => cache.getByKey(namespace === undefined ? name : `${namespace}/${name}`),
    getByKey: (key) => hand(objects.get(key)),
    list: (namespace) =>
      [...objects.values()].filter((one) => namespace === undefined || one.metadata.namespace === namespace).map(hand),
    byIndex: () => [],
    get size() {
      return objects.size;
    },
    synced: true,
    whenSynced: () => Promise.resolve(),
    state: { kind: 'watching' },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    onState: () => () => {},
  };
  return {
    cache,
    /** The number of objects returned since the last call. */
    handedOut() {
      const count = handedOut;
      handedOut = 0;
      return count;
    },
    change(after: T | undefined, before = after === undefined ? undefined : objects.get(keyOfObject(after))) {
      if (after !== undefined) objects.set(keyOfObject(after), after);
      else if (before !== undefined) objects.delete(keyOfObject(before));
      for (const listener of listeners) listener({ before, after } as Change<T>);
    },
  };
}

const namespaceOf = (name: string, labels: Readonly<Record<string, string>> = {}): Namespace => ({
  metadata: { name, labels: { 'kubernetes.io/metadata.name': name, ...labels } },
});
const podOf = (namespace: string, name: string, app: string): Pod => ({
  metadata: { name, namespace, labels: { app } },
});
const hashOf = (namespace: string, app: string) =>
  labelIdentityHash(`ns:kubernetes.io/metadata.name=${namespace}&pod:app=${app}`);

/** A cluster with many Pods in Namespace `many`, each with its own labels, and two in `few`. */
function manyPods() {
  const pods = countingCache<Pod>();
  const namespaces = countingCache<Namespace>();
  for (const name of ['many', 'few']) namespaces.change(namespaceOf(name));
  for (let n = 0; n < 1_000; n++) pods.change(podOf('many', `pod-${n}`, `app-${n}`));
  for (const name of ['one', 'two']) pods.change(podOf('few', name, 'web'));
  const sets = createLabelSets(pods.cache, namespaces.cache);
  const woken: string[] = [];
  const stop = sets.source.start((hash) => woken.push(hash));
  const looks = () => pods.handedOut() + namespaces.handedOut();
  looks();
  woken.length = 0;
  return { pods, namespaces, sets, woken, looks, stop };
}

describe('the sets of labels of a thousand Pods', () => {
  it('cost one look when a Pod gets other labels, and wake the set that came and the one that went', () => {
    const { pods, woken, looks } = manyPods();
    pods.change(podOf('many', 'pod-7', 'new'));
    expect(looks()).toBe(1);
    expect(woken).toEqual([hashOf('many', 'new'), hashOf('many', 'app-7')]);
  });

  it('cost nothing and wake nothing when a Pod comes or goes whose labels others have', () => {
    const { pods, woken, looks, sets } = manyPods();
    const third = podOf('few', 'three', 'web');
    pods.change(third);
    pods.change(undefined, third);
    expect(looks()).toBe(1);
    expect(woken).toEqual([]);
    expect(sets.labelOf(hashOf('few', 'web'))).toBe('ns:kubernetes.io/metadata.name=few&pod:app=web');
  });

  it('cost the Pods of a Namespace when its labels change, and no others', () => {
    const { namespaces, woken, looks } = manyPods();
    namespaces.change(namespaceOf('few', { team: 'a' }));
    // Each Pod, and its Namespace.
    expect(looks()).toBe(4);
    expect(woken).toHaveLength(2);
    expect(woken).toContain(hashOf('few', 'web'));
  });

  it('do not change when a Pod changes in anything but its labels', () => {
    const { pods, woken, looks } = manyPods();
    pods.change({ ...podOf('many', 'pod-7', 'app-7'), status: { podIP: '10.10.0.7' } });
    expect([looks(), woken]).toEqual([0, []]);
  });
});

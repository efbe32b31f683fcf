import type { Namespace, Pod } from '@isthmus/api';
import { labelIdentityHash, normalizedLabel } from '@isthmus/api';
import type { ReadCache, Source } from '@isthmus/kube';
import { equal, keyOfObject } from '@isthmus/machinery';
import { following } from '../../../reporting/following.ts';

/**
 * The label sets of this cluster's Pods, together with the labels of their Namespaces, by their
 * hashes.
 */
export interface LabelSets {
  /** Wakes the hash of each set that gets its first Pod or loses its last Pod. */
  readonly source: Source;
  /**
   * The text of the set with that hash; undefined if no Pod has it. Works only while the source
   * runs.
   */
  labelOf(hash: string): string | undefined;
  hashes(): readonly string[];
}

/** An empty result: no Pod counts. */
export const noLabelSets: LabelSets = {
  source: following(),
  labelOf: () => undefined,
  hashes: () => [],
};

interface LabelSet {
  readonly label: string;
  pods: number;
}

/**
 * Counts label sets. A change of a Pod costs a look at that Pod. A change of a Namespace costs a
 * look at each of its Pods.
 */
export function createLabelSets(pods: ReadCache<Pod>, namespaces: ReadCache<Namespace>): LabelSets {
  const sets = new Map<string, LabelSet>();
  const hashOfPod = new Map<string, string>();

  function place(pod: Pod, isThere: boolean, wake: (hash: string) => void): void {
    const key = keyOfObject(pod);
    const before = hashOfPod.get(key);
    const namespace = isThere ? namespaces.get({ name: pod.metadata.namespace ?? '' }) : undefined;
    // A Pod whose Namespace is not known yet counts once the Namespace is.
    const label =
      namespace === undefined ? undefined : normalizedLabel(namespace.metadata.labels ?? {}, pod.metadata.labels ?? {});
    const hash = label === undefined ? undefined : labelIdentityHash(label);
    if (before === hash) return;
    if (hash === undefined || label === undefined) hashOfPod.delete(key);
    else {
      hashOfPod.set(key, hash);
      const set = sets.get(hash) ?? { label, pods: 0 };
      set.pods += 1;
      if (set.pods > 1) sets.set(hash, set);
      else {
        sets.set(hash, set);
        wake(hash);
      }
    }
    const left = before === undefined ? undefined : sets.get(before);
    if (before === undefined || left === undefined) return;
    left.pods -= 1;
    if (left.pods > 0) return;
    sets.delete(before);
    wake(before);
  }

  return {
    labelOf: (hash) => sets.get(hash)?.label,
    hashes: () => [...sets.keys()],
    source: {
      get synced() {
        return pods.synced && namespaces.synced;
      },
      async whenSynced(signal) {
        await Promise.all([pods.whenSynced(signal), namespaces.whenSynced(signal)]);
      },
      start(enqueue) {
        const wake = (hash: string) => enqueue(hash);
        const stops = [
          pods.subscribe(({ before, after }) => {
            const pod = after ?? before;
            if (pod === undefined) return;
            const isSame =
              before !== undefined && after !== undefined && equal(before.metadata.labels, after.metadata.labels);
            if (!isSame) place(pod, after !== undefined, wake);
          }),
          namespaces.subscribe(({ before, after }) => {
            if (before !== undefined && after !== undefined && equal(before.metadata.labels, after.metadata.labels))
              return;
            const { name } = (after ?? before)?.metadata ?? { name: '' };
            for (const pod of pods.list(name)) place(pod, true, wake);
          }),
        ];
        for (const pod of pods.list()) place(pod, true, wake);
        return () => stops.forEach((stop) => stop());
      },
    },
  };
}

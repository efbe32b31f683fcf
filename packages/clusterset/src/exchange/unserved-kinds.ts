import type { KubernetesObject } from '@isthmus/machinery';
import { keyOfObject } from '@isthmus/machinery';

/** The kinds of payload in the Common Area that nothing here acts on, while there are objects of them. */
export interface UnservedPayloads {
  /** The object is there with a payload of this kind; undefined: it is gone, or is served. */
  note(object: KubernetesObject, kind: string | undefined): void;
  /** Sorted. */
  kinds(): readonly string[];
  /** Calls `listener` when the kinds have changed. Returns the unsubscriber. */
  readonly onChange: (listener: () => void) => () => void;
}

/** Kinds may be any text that somebody writes: so many have room in a message. */
const most = 10;

export function createUnservedPayloads(): UnservedPayloads {
  const byObject = new Map<string, string>();
  const counts = new Map<string, number>();
  const listeners = new Set<() => void>();
  const count = (kind: string, by: 1 | -1) => {
    const objects = (counts.get(kind) ?? 0) + by;
    if (objects === 0) counts.delete(kind);
    else counts.set(kind, objects);
    return (by === 1 && objects === 1) || objects === 0;
  };
  return {
    note(object, kind) {
      const key = keyOfObject(object);
      const before = byObject.get(key);
      if (before === kind) return;
      if (kind === undefined) byObject.delete(key);
      else byObject.set(key, kind);
      const changes = [before === undefined ? false : count(before, -1), kind === undefined ? false : count(kind, 1)];
      if (changes.includes(true)) listeners.forEach((listener) => listener());
    },
    kinds: () => [...counts.keys()].toSorted().slice(0, most),
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/**
 * One value that one controller finds and another one reports. A restart loses it; it is undefined
 * until it is found again.
 */
export interface SharedValue<V> {
  readonly value: V | undefined;
  note(value: V | undefined): void;
  /** Calls `listener` when the value changes. Returns the unsubscriber. */
  readonly onChange: (listener: () => void) => () => void;
}

/** `isSame`: whether the difference between two values does not matter. */
export function createSharedValue<V>(isSame: (a: V | undefined, b: V | undefined) => boolean): SharedValue<V> {
  const listeners = new Set<() => void>();
  let value: V | undefined;
  return {
    get value() {
      return value;
    },
    note(next) {
      if (isSame(value, next)) return;
      value = next;
      listeners.forEach((listener) => listener());
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/**
 * The keys of gateways that do not answer. Many probes end each second, and each changes at most
 * one key.
 */
export interface SilentKeys {
  /** Adds a key, or removes it. Returns whether the set has changed. */
  sort(key: string, isAmong: boolean): boolean;
  /** The same object until a key comes or goes. */
  list(): ReadonlySet<string>;
}

export function createSilentKeys(): SilentKeys {
  const keys = new Set<string>();
  /** The copy for callers; undefined: the keys have changed. */
  let copy: ReadonlySet<string> | undefined = new Set();
  return {
    sort(key, isAmong) {
      if (keys.has(key) === isAmong) return false;
      if (isAmong) keys.add(key);
      else keys.delete(key);
      copy = undefined;
      return true;
    },
    list: () => (copy ??= new Set(keys)),
  };
}

/** Results of a pure function by key, kept for as long as its inputs are the same objects. */
export interface Remembered<R> {
  /**
   * The result for these inputs. It is the last result of the key if all inputs are the same
   * objects, and otherwise the result of `compute`.
   */
  get(key: string, inputs: readonly unknown[], compute: () => R): R;
  /**
   * To be called after all keys of a round were requested. Keys that were not requested are
   * forgotten.
   */
  endRound(): void;
}

interface Entry<R> {
  readonly inputs: readonly unknown[];
  readonly result: R;
  round: number;
}

/**
 * Remembered results keep the cost of a change proportional to its size. Results of unchanged
 * inputs are neither computed nor compared again, because they are the same objects.
 */
export function createRemembered<R>(): Remembered<R> {
  const entries = new Map<string, Entry<R>>();
  let round = 0;
  return {
    get(key, inputs, compute) {
      const known = entries.get(key);
      if (known !== undefined && isSame(known.inputs, inputs)) {
        known.round = round;
        return known.result;
      }
      const result = compute();
      entries.set(key, { inputs, result, round });
      return result;
    },
    endRound() {
      for (const [key, entry] of entries) if (entry.round !== round) entries.delete(key);
      round++;
    },
  };
}

const isSame = (a: readonly unknown[], b: readonly unknown[]) =>
  a.length === b.length && a.every((one, index) => one === b[index]);

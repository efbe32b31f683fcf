/** Results of a pure function by key, kept for as long as its inputs are the same objects. */
export interface Remembered<R> {
  /** The result for these inputs: the last one of the key where none of its inputs is another, and else that of `compute`. */
  get(key: string, inputs: readonly unknown[], compute: () => R): R;
  /** To be called after all keys of a round were asked for: the others are forgotten. */
  endRound(): void;
}

interface Entry<R> {
  readonly inputs: readonly unknown[];
  readonly result: R;
  round: number;
}

/** So that a change costs what it touches: what was made of other objects is neither made nor compared again, as it is the same object. */
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

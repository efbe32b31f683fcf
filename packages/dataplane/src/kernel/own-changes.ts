import type { Clock } from '@isthmus/machinery';

/**
 * The agent's own changes of the nft table, so that they are recognised in the output of a monitor.
 */
export interface OwnChanges {
  /** Reports that a transaction is about to be written that changes only these chains and sets. */
  expect(names: Iterable<string>): void;
  /** Whether an expected transaction changes this chain or set. */
  isExpected(name: string): boolean;
  /**
   * Reports that a transaction has changed these. Returns whether it was expected; from then on it
   * is not expected any more.
   */
  take(names: ReadonlySet<string>): boolean;
}

/**
 * On a busy machine a monitor is late. An own change that it prints even later counts as a foreign
 * change.
 */
const longestMs = 10_000;

export function createOwnChanges(clock: Clock): OwnChanges {
  let expected: readonly { readonly names: ReadonlySet<string>; readonly untilMs: number }[] = [];
  const current = () => {
    const nowMs = clock.monotonic();
    if (expected.some(({ untilMs }) => untilMs <= nowMs)) expected = expected.filter(({ untilMs }) => untilMs > nowMs);
    return expected;
  };
  return {
    expect(names) {
      expected = [...current(), { names: new Set(names), untilMs: clock.monotonic() + longestMs }];
    },
    isExpected: (name) => current().some(({ names }) => names.has(name)),
    take(names) {
      const own = current().find((one) => names.isSubsetOf(one.names));
      expected = expected.filter((one) => one !== own);
      return own !== undefined;
    },
  };
}

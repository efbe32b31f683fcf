import type { Clock } from '@isthmus/machinery';

/** What the agent writes to the nft table, so that it is known when a monitor prints it. */
export interface OwnEchoes {
  /** A transaction that changes only these chains and sets is about to be written. */
  expect(names: Iterable<string>): void;
  /** Whether a transaction that is expected changes it. */
  isExpected(name: string): boolean;
  /** A transaction has changed these. Whether it was expected; then it no longer is. */
  take(names: ReadonlySet<string>): boolean;
}

/** On a busy machine a monitor is late. What it prints later still is taken for a change by others. */
const longestMs = 10_000;

export function createOwnEchoes(clock: Clock): OwnEchoes {
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

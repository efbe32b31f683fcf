import type { RealFleet } from '@isthmus/testkit';
import { checksAllPoints } from '@isthmus/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { EarlierCheckout } from './earlier-checkout.ts';
import { checkOutEarlier, release010 } from './earlier-checkout.ts';
import { previousIsthmus } from './previous-isthmus.ts';
import type { SwapResult } from './run-swaps.ts';
import { runSwaps } from './run-swaps.ts';
import { startSwapFleet } from './swap-fleet.ts';
import type { Swap } from './swap-plan.ts';
import { thisMake } from './swap-plan.ts';

/**
 * Members and leaders of 0.1.0 beside these: what `npm run swaps -- --previous` does, as far as
 * each mixture runs once. After each swap a Service is exported and another withdrawn in each
 * member, and a new controller of 0.1.0 is killed while endpoints change. Exports are lost under
 * this leader, and in the soak under that of 0.1.0, too: each time takes a minute and a half of
 * waiting.
 */
let checkout: EarlierCheckout | undefined;
let fleet: RealFleet | undefined;
let results: readonly SwapResult[] = [];

const plan = (cluster: string, to: string, what: Partial<Swap> = {}): Swap => ({
  round: 1,
  cluster,
  to,
  definitions: 'each its own',
  restarts: false,
  handover: false,
  loses: false,
  ...what,
});

beforeAll(async () => {
  checkout = await checkOutEarlier(release010);
  if (checkout === undefined) return;
  const { signal } = new AbortController();
  fleet = await startSwapFleet(signal);
  await using previous = await previousIsthmus({ checkout: checkout.path, say: () => undefined });
  results = await runSwaps({
    fleet,
    other: previous,
    swaps: [
      // A member of 0.1.0 under this leader, beside a member of this version.
      plan('east', previous.name, { restarts: true, loses: true }),
      // Then under its own leader, and then both members of this version.
      plan('north', previous.name),
      plan('east', thisMake, { restarts: true, loses: checksAllPoints() }),
      plan('north', thisMake),
    ],
    services: 6,
    // How fast they are is measured by `npm run swaps`; a busy host may be slower.
    staleAfterMs: 300_000,
    say: () => undefined,
    signal,
  });
});
afterAll(async () => {
  await fleet?.[Symbol.asyncDispose]();
  await checkout?.[Symbol.asyncDispose]();
});

it('a member and a leader of 0.1.0 beside these: no set of endpoints is empty at any moment', (context) => {
  if (checkout === undefined) return context.skip('this clone lacks the commit of 0.1.0: git fetch --unshallow');
  expect(results).toHaveLength(4);
  expect(results.flatMap(({ empty }) => empty)).toEqual([]);
});

it('a member and a leader of 0.1.0 beside these: exports, changes, withdrawals, restarts and a loss of all exports leave no set of endpoints wrong', (context) => {
  if (checkout === undefined) return context.skip('this clone lacks the commit of 0.1.0: git fetch --unshallow');
  expect(results.flatMap(({ stale }) => stale)).toEqual([]);
});

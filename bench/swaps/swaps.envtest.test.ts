import type { RealFleet } from '@isthmus/testkit';
import { startSwapFleet } from './swap-fleet.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { recordedAntrea } from './recorded-antrea.ts';
import type { SwapResult } from './run-swaps.ts';
import { runSwaps } from './run-swaps.ts';
import { planSwaps } from './swap-plan.ts';

/**
 * One round of the swaps of `npm run swaps`, with fewer Services and the recorded behaviour of
 * Antrea's controllers.
 */
let fleet: RealFleet;
let results: readonly SwapResult[];

beforeAll(async () => {
  const { signal } = new AbortController();
  fleet = await startSwapFleet(signal);
  const clusters = fleet.clusters.map(
    ({ name, role }) => ({ name, role: role === 'leader' ? role : 'member' }) as const,
  );
  await using antrea = recordedAntrea(fleet);
  results = await runSwaps({
    fleet,
    other: antrea,
    swaps: planSwaps(clusters, 1, antrea),
    services: 6,
    // How fast they are is measured by `npm run swaps`; a busy host may be slower.
    staleAfterMs: 300_000,
    say: () => undefined,
    signal,
  });
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

it('leader and members change to Antrea and back, and no set of endpoints is empty at any moment', () => {
  expect(results).toHaveLength(6);
  expect(results.flatMap(({ empty }) => empty)).toEqual([]);
});

it('no set of endpoints stays wrong after the new controller is Ready', () => {
  expect(results.flatMap(({ stale }) => stale)).toEqual([]);
});

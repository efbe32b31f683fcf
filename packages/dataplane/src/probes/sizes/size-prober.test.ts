import { createVirtualClock } from '@isthmus/fleet-sim';
import { seededRandom } from '@isthmus/machinery';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { GatewayReport } from '../gateway-record.ts';
import { createSizeProber } from './size-prober.ts';

const minuteMs = 60_000;
const largest = 1_450;

/** A gateway behind a path whose limit, and share of lost packets, a test sets. */
function start({ limit = largest, loss = 0, answersAny = true, seed = 1 } = {}) {
  const clock = createVirtualClock({ startMs: 0 });
  const random = seededRandom(seed);
  const path = { limit, loss, answersAny, state: 'alive' as GatewayReport['state'] };
  const sent: { readonly bytes: number; readonly atMs: number; readonly isAnswered: boolean }[] = [];
  const changes: { readonly carries: number | undefined; readonly atMs: number }[] = [];
  const prober = createSizeProber({
    gateways: () => [
      {
        gateway: {
          key: 'west',
          device: 'isthmus-gw',
          address: 'fe80::1',
          port: 8479,
          underlay: '192.0.2.11',
          clusterID: 'west',
          isReady: true,
          largest,
        },
        state: path.state,
        inARow: 0,
        deaths: 0,
        sinceMs: 0,
        probes: 1,
        roundTripMs: 1,
        typicalRoundTripMs: 1,
        loss: 0,
        impossible: undefined,
      },
    ],
    probe: ({ bytes = 0 }, timeoutMs) =>
      new Promise((resolve) => {
        const isAnswered = path.answersAny && bytes <= path.limit && random.next() >= path.loss;
        sent.push({ bytes, atMs: clock.monotonic(), isAnswered });
        clock.after(isAnswered ? 2 : timeoutMs, () =>
          resolve(isAnswered ? { kind: 'answered', roundTripMs: 2 } : { kind: 'missed' }),
        );
      }),
    clock,
    onChange: (_, carries) => changes.push({ carries, atMs: clock.monotonic() }),
  });
  void prober.run(new AbortController().signal);
  return { clock, path, sent, changes, prober };
}

test('a path that carries large packets gets one large probe a minute, and nothing is reported', async () => {
  const { clock, sent, changes } = start();
  await clock.advance(10 * minuteMs);
  expect(sent.map(({ bytes }) => bytes)).toEqual(Array.from({ length: 10 }, () => largest));
  expect(changes).toEqual([]);
});

test('a path that begins to lose large packets is reported with its limit within a minute of the first lost probe, and no longer within a minute after it carries them again', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 200, max: largest - 1 }),
      fc.integer({ min: 0, max: minuteMs }),
      async (limit, atMs) => {
        const { clock, path, sent, changes, prober } = start();
        await clock.advance(atMs);
        path.limit = limit;
        await clock.advance(2 * minuteMs);
        const first = sent.find(({ isAnswered }) => !isAnswered);
        expect(changes).toHaveLength(1);
        expect((changes[0]?.atMs ?? 0) - (first?.atMs ?? 0)).toBeLessThan(minuteMs);
        const carries = prober.carries('west') ?? 0;
        expect(carries).toBeLessThanOrEqual(limit);
        expect(carries).toBeGreaterThanOrEqual(limit - 8);
        path.limit = largest;
        const againMs = clock.monotonic();
        await clock.advance(minuteMs);
        expect(prober.carries('west')).toBeUndefined();
        expect((changes[1]?.atMs ?? Infinity) - againMs).toBeLessThan(minuteMs);
      },
    ),
    { numRuns: 25 },
  );
});

test('a limit that becomes smaller is found again', async () => {
  const { clock, path, prober } = start({ limit: 1_400 });
  await clock.advance(minuteMs);
  path.limit = 1_300;
  await clock.advance(minuteMs);
  expect(prober.carries('west')).toBeGreaterThan(1_290);
  expect(prober.carries('west')).toBeLessThanOrEqual(1_300);
});

test('a gateway that answers no probes of this kind, as one of an earlier release, is not reported', async () => {
  const { clock, sent, changes } = start({ answersAny: false });
  await clock.advance(10 * minuteMs);
  expect(changes).toEqual([]);
  expect(sent.length).toBeLessThanOrEqual(2 * 10 + 1);
});

test('of a path that loses a tenth of all packets, a wrong report is gone within a minute', async () => {
  for (let seed = 1; seed <= 10; seed++) {
    const { clock, changes } = start({ loss: 0.1, seed });
    await clock.advance(120 * minuteMs);
    const wrong = changes.filter(({ carries }) => carries !== undefined);
    expect(wrong.length).toBeLessThanOrEqual(2);
    for (const { atMs } of wrong) {
      const end = changes.find((one) => one.carries === undefined && one.atMs > atMs);
      expect((end?.atMs ?? Infinity) - atMs).toBeLessThan(minuteMs);
    }
  }
});

test('a gateway that is dead gets no large probes, and its limit is forgotten', async () => {
  const { clock, path, sent, prober } = start({ limit: 1_300 });
  await clock.advance(minuteMs);
  expect(prober.carries('west')).toBeDefined();
  path.state = 'dead';
  await clock.advance(1_000);
  sent.length = 0;
  await clock.advance(minuteMs);
  expect([sent, prober.carries('west')]).toEqual([[], undefined]);
  path.state = 'alive';
  await clock.advance(minuteMs);
  expect(prober.carries('west')).toBeDefined();
});

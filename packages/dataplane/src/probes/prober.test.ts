import { createVirtualClock } from '@isthmus/fleet-sim';
import type { VirtualClock } from '@isthmus/fleet-sim';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import type { ProbeResult } from './probe.ts';
import type { Prober } from './prober.ts';
import { createProber } from './prober.ts';
import type { ProbedGateway } from './targets.ts';

const gateway = (name: string, isReady = true): ProbedGateway => ({
  key: name,
  device: 'isthmus-node',
  address: `fe80::${name}`,
  port: 8479,
  underlay: name,
  clusterID: undefined,
  isReady,
});
const watchedNames = (...names: readonly string[]) => new Map(names.map((name) => [name, gateway(name)]));

describe('a prober', () => {
  let clock: VirtualClock;
  let prober: Prober;
  /** Addresses that do not answer. */
  let cutOff: Set<string>;
  let impossible: string | undefined;
  let changes: number;
  let probes: number;
  let rounds: number;
  /** How much too late a probe ends, in milliseconds. */
  let lateMs: number;
  const stop = new AbortController();

  beforeEach(() => {
    clock = createVirtualClock({ startMs: 0 });
    cutOff = new Set();
    impossible = undefined;
    changes = 0;
    probes = 0;
    rounds = 1;
    lateMs = 0;
    prober = createProber({
      clock,
      rounds: () => rounds,
      probe: ({ address }, timeoutMs) =>
        new Promise((resolve) => {
          probes++;
          const end = (result: ProbeResult, afterMs: number) => clock.after(afterMs + lateMs, () => resolve(result));
          if (impossible !== undefined) end({ kind: 'impossible', why: impossible }, 0);
          else if (cutOff.has(address)) end({ kind: 'missed' }, timeoutMs);
          else end({ kind: 'answered', roundTripMs: 5 }, 5);
        }),
    });
    prober.subscribe(() => changes++);
    void prober.run(stop.signal);
  });

  const silent = () => [...prober.silent()].toSorted();

  test('probes the first gateways at once, and then each once in a round', async () => {
    await clock.advance(5_000);
    prober.watch(watchedNames('one', 'two'));
    await clock.advance(599);
    expect(probes).toBe(2);
    await clock.advance(600);
    expect(probes).toBe(4);
    // Probes are spread over the rounds if each gateway is probed more rarely.
    rounds = 3;
    await clock.advance(3_600);
    expect(probes).toBe(8);
  });

  test('has a gateway silent until it answers, and again within three seconds after it was cut off, at whatever moment', async () => {
    for (let afterMs = 0; afterMs < 600; afterMs += 75) {
      const name = `at${afterMs}`;
      prober.watch(watchedNames(name, 'other'));
      expect(silent()).toContain(name);
      await clock.advance(5_000 + afterMs);
      expect(silent()).toEqual([]);
      cutOff.add(`fe80::${name}`);
      await clock.advance(2_900);
      expect(silent()).toEqual([name]);
      cutOff.clear();
      await clock.advance(2_900);
      expect(silent()).toEqual([]);
    }
  });

  test('reports a change once, and keeps what it knows of gateways that stay', async () => {
    prober.watch(watchedNames('a', 'b'));
    await clock.advance(1_000);
    const before = changes;
    const known = prober.silent();
    prober.watch(watchedNames('a', 'b'));
    await clock.advance(10_000);
    expect(changes).toBe(before);
    expect(prober.silent()).toBe(known);
    prober.watch(watchedNames('a'));
    expect(prober.reports().map(({ gateway: { key }, state }) => `${key} ${state}`)).toEqual(['a alive']);
  });

  test('takes no gateway for dead because its own process was suspended', async () => {
    prober.watch(watchedNames('a', 'b'));
    await clock.advance(5_000);
    cutOff = new Set(['fe80::a', 'fe80::b']);
    lateMs = 700;
    await clock.advance(10_000);
    expect([silent(), prober.reports().map(({ loss }) => loss)]).toEqual([[], [0, 0]]);
    // Probes that end in time count again.
    lateMs = 0;
    await clock.advance(3_000);
    expect(silent()).toEqual(['a', 'b']);
  });

  test('reports round-trip time and loss', async () => {
    prober.watch(watchedNames('a'));
    await clock.advance(600 * 10);
    cutOff.add('fe80::a');
    await clock.advance(600 * 11);
    const [report] = prober.reports();
    expect(report?.roundTripMs).toBe(5);
    expect(report?.loss).toBeGreaterThan(0.4);
    expect(report?.loss).toBeLessThan(0.6);
  });

  test('has been everywhere once soon after it was asked, whether there was an answer or not', async () => {
    cutOff.add('fe80::a');
    prober.watch(watchedNames('a', 'b'));
    let isOver = false;
    void prober.probedOnce().then(() => (isOver = true));
    await clock.advance(500);
    expect(isOver).toBe(false);
    await clock.advance(800);
    expect(isOver).toBe(true);
    expect(silent()).toEqual(['a']);
  });

  test('asks a gateway that is dead for a minute more rarely, not all in one round, and each round again from its next answer on', async () => {
    const names = Array.from({ length: 40 }, (_, index) => `a${index}`);
    for (const name of names) cutOff.add(`fe80::${name}`);
    prober.watch(watchedNames(...names));
    await clock.advance(70_000);
    const inRounds: number[] = [];
    for (let round = 0; round < 20; round++) {
      const before = probes;
      await clock.advance(600);
      inRounds.push(probes - before);
    }
    expect(new Set(inRounds)).toEqual(new Set([10]));
    cutOff.clear();
    await clock.advance(4 * 600 + 2 * 600 + 100);
    expect(silent()).toEqual([]);
  });

  test('counts a gateway that is watched no longer among nothing', async () => {
    cutOff.add('fe80::a');
    prober.watch(watchedNames('a', 'b'));
    await clock.advance(3_000);
    expect(silent()).toEqual(['a']);
    const before = changes;
    prober.watch(watchedNames('b'));
    expect([silent(), changes]).toEqual([[], before + 1]);
    prober.watch(watchedNames('a', 'b'));
    expect(silent()).toEqual(['a']);
  });

  test('has those silent that its reports show as such, after any probes and changes of what is watched', async () => {
    const steps = fc.array(
      fc.record({
        watched: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 4 }),
        cutOff: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd')),
        isReady: fc.boolean(),
        impossible: fc.constantFrom(undefined, undefined, 'there is no IPv6'),
        rounds: fc.integer({ min: 0, max: 5 }),
      }),
      { minLength: 1, maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        for (const step of all) {
          cutOff = new Set(step.cutOff.map((name) => `fe80::${name}`));
          impossible = step.impossible;
          const before = { changes, silent: prober.silent() };
          prober.watch(new Map(step.watched.map((name) => [name, gateway(name, step.isReady)])));
          await clock.advance(600 * step.rounds);
          const shown = prober
            .reports()
            .filter(({ state, gateway: { isReady }, impossible: why }) =>
              state === 'new' && why !== undefined ? !isReady : state !== 'alive',
            );
          expect(silent()).toEqual(shown.map(({ gateway: { key } }) => key).toSorted());
          expect(prober.silent() === before.silent).toBe(changes === before.changes);
        }
      }),
    );
  });

  test('goes by the Node object where it cannot probe', async () => {
    impossible = 'there is no IPv6';
    prober.watch(
      new Map([
        ['a', gateway('a')],
        ['b', gateway('b', false)],
      ]),
    );
    await clock.advance(10_000);
    expect(silent()).toEqual(['b']);
    expect(prober.reports()[0]?.impossible).toBe('there is no IPv6');
  });
});

import { sleep } from '@isthmus/machinery';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createVirtualClock } from './virtual-clock.ts';

const startMs = Date.UTC(2026, 0, 1);
const never = new AbortController().signal;

describe('time', () => {
  it('does not move until it is advanced', async () => {
    const clock = createVirtualClock({ startMs });
    await clock.settle();
    expect([clock.now(), clock.monotonic()]).toEqual([startMs, 0]);
    await clock.advance(1500);
    expect([clock.now(), clock.monotonic()]).toEqual([startMs + 1500, 1500]);
  });

  it('jumps on the wall without the timers noticing', async () => {
    const clock = createVirtualClock({ startMs });
    let ran = false;
    clock.after(1000, () => (ran = true));
    clock.jump(3_600_000);
    await clock.advance(999);
    expect([clock.now(), ran]).toEqual([startMs + 3_600_999, false]);
    clock.jump(-7_200_000);
    await clock.advance(1);
    expect([clock.monotonic(), ran]).toEqual([1000, true]);
  });
});

describe('timers', () => {
  it('run in the order of their times, and of their setting where the times are equal', async () => {
    const clock = createVirtualClock({ startMs });
    const ran: string[] = [];
    for (const [name, ms] of [
      ['b', 20],
      ['a', 10],
      ['c', 20],
      ['d', 5],
    ] as const) {
      clock.after(ms, () => ran.push(`${name}@${clock.monotonic()}`));
    }
    await clock.advance(100);
    expect(ran).toEqual(['d@5', 'a@10', 'b@20', 'c@20']);
    expect(clock.monotonic()).toBe(100);
  });

  it('that others set become due within the same advance', async () => {
    const clock = createVirtualClock({ startMs });
    const ran: number[] = [];
    const again = () => {
      ran.push(clock.monotonic());
      if (ran.length < 3) clock.after(10, again);
    };
    clock.after(10, again);
    await clock.advance(30);
    expect(ran).toEqual([10, 20, 30]);
  });

  it('let all promises run before the next one does', async () => {
    const clock = createVirtualClock({ startMs });
    const ran: string[] = [];
    clock.after(10, () => {
      void (async () => {
        for (let turn = 0; turn < 1000; turn++) await Promise.resolve();
        ran.push('the work of the first');
      })();
    });
    clock.after(10, () => ran.push('the second'));
    await clock.advance(10);
    expect(ran).toEqual(['the work of the first', 'the second']);
  });

  it('do not run when cancelled, and are not counted', async () => {
    const clock = createVirtualClock({ startMs });
    let ran = 0;
    const cancel = clock.after(10, () => ran++);
    clock.after(20, () => ran++);
    expect(clock.pending).toBe(2);
    cancel();
    cancel();
    expect([clock.pending, clock.untilNextMs]).toEqual([1, 20]);
    await clock.advance(50);
    expect([ran, clock.pending, clock.untilNextMs]).toEqual([1, 0, undefined]);
    cancel();
    expect(clock.pending).toBe(0);
  });

  it.each([0, -5, Number.NaN])('of %d ms are due with the next advance, also one of 0 ms', async (ms) => {
    const clock = createVirtualClock({ startMs });
    let ran = false;
    clock.after(ms, () => (ran = true));
    await clock.settle();
    expect(ran).toBe(false);
    await clock.advance(0);
    expect(ran).toBe(true);
  });

  it('of parts of a millisecond come due with the next whole one', async () => {
    const clock = createVirtualClock({ startMs });
    const ran: string[] = [];
    clock.after(1.2, () => ran.push(`1.2 at ${clock.monotonic()}`));
    clock.after(0.4, () => ran.push(`0.4 at ${clock.monotonic()}`));
    clock.after(-0.4, () => ran.push(`-0.4 at ${clock.monotonic()}`));
    await clock.advance(0);
    expect(ran).toEqual(['-0.4 at 0']);
    await clock.advance(5);
    expect(ran).toEqual(['-0.4 at 0', '0.4 at 1', '1.2 at 2']);
  });

  it('of endless time are not pending', () => {
    const clock = createVirtualClock({ startMs });
    clock.after(Number.POSITIVE_INFINITY, () => {})();
    expect(clock.pending).toBe(0);
  });

  it('serve sleeps, which end early when aborted and leave nothing behind', async () => {
    const clock = createVirtualClock({ startMs });
    const stop = new AbortController();
    const outcomes: string[] = [];
    void sleep(clock, 100, never).then(() => outcomes.push(`slept until ${clock.monotonic()}`));
    void sleep(clock, 1000, stop.signal).catch((error: unknown) => outcomes.push(String(error)));
    await clock.advance(100);
    stop.abort(new Error('stop'));
    await clock.settle();
    expect(outcomes).toEqual(['slept until 100', 'Error: stop']);
    expect(clock.pending).toBe(0);
  });

  it('are found in order whatever was set and cancelled', async () => {
    const step = fc.record({ ms: fc.nat(50), cancel: fc.option(fc.nat(200)) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 150 }), async (steps) => {
        const clock = createVirtualClock({ startMs });
        const wanted = new Map<number, number>();
        const ran: number[] = [];
        const cancels = steps.map(({ ms }, id) => {
          wanted.set(id, ms);
          return clock.after(ms, () => ran.push(id));
        });
        for (const { cancel } of steps) {
          if (cancel === null) continue;
          cancels[cancel]?.();
          wanted.delete(cancel);
        }
        expect(clock.pending).toBe(wanted.size);
        await clock.advance(50);
        expect(ran).toEqual([...wanted].toSorted(([a, x], [b, y]) => x - y || a - b).map(([id]) => id));
      }),
      { numRuns: 30 },
    );
  });
});

describe('settling', () => {
  it('waits for promises, nextTicks and microtasks of any depth, in any mixture', async () => {
    const clock = createVirtualClock({ startMs });
    const done: string[] = [];
    async function deep(left: number): Promise<void> {
      if (left > 0) return deep(left - 1);
      process.nextTick(() => queueMicrotask(() => process.nextTick(() => done.push('ticks'))));
      done.push('promises');
    }
    void deep(500);
    await clock.settle();
    expect(done).toEqual(['promises', 'ticks']);
  });
});

describe('advancing', () => {
  it('rejects with what a timer throws, and goes on from there', async () => {
    const clock = createVirtualClock({ startMs });
    clock.after(10, () => {
      throw new Error('broken');
    });
    await expect(clock.advance(20)).rejects.toThrow('broken');
    expect([clock.monotonic(), clock.pending]).toEqual([10, 0]);
    await clock.advance(5);
    expect(clock.monotonic()).toBe(15);
  });

  it('rejects where something waits for 0 ms in a loop, instead of hanging', async () => {
    const clock = createVirtualClock({ startMs });
    let stop = false;
    const loop = () => {
      if (!stop) clock.after(0, loop);
    };
    loop();
    await expect(clock.advance(1)).rejects.toThrow('waits for 0 ms in a loop');
    stop = true;
  });

  it('is refused while another advance runs, and back in time', async () => {
    const clock = createVirtualClock({ startMs });
    const first = clock.advance(10);
    await expect(clock.advance(10)).rejects.toThrow('await the earlier advance');
    await first;
    await expect(clock.advance(-1)).rejects.toThrow(RangeError);
    await expect(clock.advance(Number.NaN)).rejects.toThrow(RangeError);
    expect(clock.monotonic()).toBe(10);
  });

  it('to the next timer runs all that are due then, and returns whether there was one', async () => {
    const clock = createVirtualClock({ startMs });
    const ran: string[] = [];
    clock.after(70, () => ran.push('a'));
    clock.after(70, () => ran.push('b'));
    clock.after(71, () => ran.push('c'));
    expect(await clock.advanceToNext()).toBe(true);
    expect([ran, clock.monotonic()]).toEqual([['a', 'b'], 70]);
    expect(await clock.advanceToNext()).toBe(true);
    expect(await clock.advanceToNext()).toBe(false);
    expect(clock.monotonic()).toBe(71);
  });
});

describe('running until', () => {
  it('stops at the moment at which the predicate holds', async () => {
    const clock = createVirtualClock({ startMs });
    let count = 0;
    const tick = () => {
      count++;
      clock.after(1000, tick);
    };
    clock.after(1000, tick);
    await clock.runUntil(() => count === 3, { limitMs: 60_000 });
    expect(clock.monotonic()).toBe(3000);
  });

  it('does not move time where the predicate holds once everything has settled', async () => {
    const clock = createVirtualClock({ startMs });
    let done = false;
    void Promise.resolve().then(() => (done = true));
    await clock.runUntil(() => done, { limitMs: 0 });
    expect(clock.monotonic()).toBe(0);
  });

  it('fails at the limit, and reports what it waited for and when', async () => {
    const clock = createVirtualClock({ startMs });
    const tick = () => void clock.after(1000, tick);
    tick();
    const waiting = clock.runUntil(() => false, { limitMs: 2500, what: 'the import is there' });
    await expect(waiting).rejects.toThrow(
      'Not so within 2500 ms of virtual time: the import is there (2026-01-01T00:00:02.500Z, 2500 ms after the start; 1 timers are set).',
    );
  });

  it('fails at once where no timer is left', async () => {
    const clock = createVirtualClock({ startMs });
    await expect(clock.runUntil(() => false, { limitMs: 1e9 })).rejects.toThrow(
      'no timer is left that could change it',
    );
  });
});

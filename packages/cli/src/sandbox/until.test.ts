import { createVirtualClock } from '@isthmus/fleet-sim';
import { sleep } from '@isthmus/machinery';
import { describe, expect, it } from 'vitest';
import { inVirtualTime } from '../testing/in-virtual-time.ts';
import { until } from './until.ts';

function world() {
  const clock = createVirtualClock({ startMs: 0 });
  const stop = new AbortController();
  const wait = { clock, signal: stop.signal, observe: async () => 'ClusterSet fleet of east: Ready=Unknown' };
  const failure = (work: Promise<unknown>): Promise<string> =>
    inVirtualTime(
      clock,
      work.then(
        () => 'no failure',
        (error: unknown) => String(error),
      ),
    );
  return { clock, stop, wait, failure };
}

describe('a wait', () => {
  it('goes on for as long as something changes, however long that takes', async () => {
    const { clock, wait } = world();
    const endsAtMs = 600_000;
    const observe = async () => `${Math.floor(clock.monotonic() / 50_000)} Pods`;
    const found = await inVirtualTime(
      clock,
      until('there', async () => clock.monotonic() > endsAtMs && 'it', { ...wait, observe }),
      2 * endsAtMs,
    );
    expect(found).toBe('it');
  });

  it('ends when nothing has changed for a minute, with what did not come, the last error and what it last saw', async () => {
    const { clock, wait, failure } = world();
    const observe = async () => (clock.monotonic() < 30_000 ? 'starting' : 'one Pod\nno Service');
    const look = () => Promise.reject(new Error('no such Service'));
    expect(await failure(until('east imports it', look, { ...wait, observe }))).toMatch(
      new RegExp(
        '^Error: nothing has changed for 60 s while waiting for: east imports it\n' +
          '  last error, of (\\d+) in \\1 looks: no such Service\n' +
          '  last seen:\n    one Pod\n    no Service$',
      ),
    );
    expect(clock.monotonic()).toBeGreaterThan(90_000);
    expect(clock.monotonic()).toBeLessThan(200_000);
  });

  it('does not take an observation that fails for one without a change', async () => {
    const { clock, wait, failure } = world();
    let fails = false;
    const observe = () => (fails ? Promise.reject(new Error('no answer within 10 s')) : wait.observe());
    const came = until('there', async () => clock.monotonic() > 150_000 && 'it', { ...wait, observe });
    await clock.advance(70_000);
    fails = true;
    expect(await inVirtualTime(clock, came)).toBe('it');
    const inVain = await failure(until('there', async () => false, { ...wait, observe }));
    expect(inVain).toContain('no progress could be read for 120 s while waiting for: there\n');
    expect(inVain).toContain('why it could not be read: no answer within 10 s');
  });

  it('does not count the time in which the machine itself was suspended', async () => {
    const { clock, wait } = world();
    let looks = 0;
    let stoodStillMs = 0;
    const look = async () => {
      if (looks++ === 0) stoodStillMs = 300_000;
      return looks > 10;
    };
    const jumping = { ...clock, monotonic: () => clock.monotonic() + stoodStillMs };
    expect(await inVirtualTime(clock, until('there', look, { ...wait, clock: jumping }))).toBe(true);
  });

  it('looks longer where the process waits for the processor, and reports how busy the machine is', async () => {
    const { clock, wait, failure } = world();
    const slow = { ...clock, after: (ms: number, callback: () => void) => clock.after(3 * ms, callback) };
    const look = () => sleep(slow, 1_500, wait.signal).then(() => false as const);
    const inVain = await failure(until('there', look, { ...wait, clock: slow }));
    expect(inVain).toMatch(/^Error: nothing has changed for 18\d s while/);
    expect(inVain).toMatch(
      /\n {2}this machine may be too busy: timers of 20 ms took 60 ms on average, the slowest answer took 5 s\. Try again/,
    );
  });

  it('ends with the reason of its signal', async () => {
    const { clock, stop, wait } = world();
    const waiting = until('there', async () => false, wait);
    stop.abort(new Error('interrupted'));
    await expect(inVirtualTime(clock, waiting)).rejects.toThrow('interrupted');
  });
});

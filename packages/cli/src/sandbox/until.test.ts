import { createVirtualClock } from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import { inVirtualTime } from '../testing/in-virtual-time.ts';
import { until } from './until.ts';

function world() {
  const clock = createVirtualClock({ startMs: 0 });
  const stop = new AbortController();
  return { clock, stop, wait: { clock, signal: stop.signal } };
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

  it('ends when nothing has changed for a minute, with what did not come and the last error', async () => {
    const { clock, wait } = world();
    const observe = async () => (clock.monotonic() < 30_000 ? 'starting' : 'the same');
    const look = () => Promise.reject(new Error('no such Service'));
    await expect(inVirtualTime(clock, until('east imports it', look, { ...wait, observe }))).rejects.toThrow(
      'nothing has changed for 60 s while waiting for: east imports it; last error: no such Service',
    );
    expect(clock.monotonic()).toBeGreaterThan(90_000);
    expect(clock.monotonic()).toBeLessThan(200_000);
  });

  it('ends after a minute where there is nothing to observe', async () => {
    const { clock, wait } = world();
    await expect(
      inVirtualTime(
        clock,
        until('a token', async () => false, wait),
      ),
    ).rejects.toThrow('a token');
    expect(clock.monotonic()).toBeGreaterThan(60_000);
    expect(clock.monotonic()).toBeLessThan(70_000);
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

  it('ends with the reason of its signal', async () => {
    const { clock, stop, wait } = world();
    const waiting = until('there', async () => false, wait);
    stop.abort(new Error('interrupted'));
    await expect(inVirtualTime(clock, waiting)).rejects.toThrow('interrupted');
  });
});

import { createVirtualClock } from '@isthmus/fleet-sim';
import { expect, test } from 'vitest';
import type { Suspicion } from './suspicion.ts';
import { createSuspicion } from './suspicion.ts';

const everyMs = 600_000;

/** Compares, if a comparison is due. Returns whether it was. */
async function isDue(suspicion: Suspicion): Promise<boolean> {
  let was = false;
  await suspicion.whenDue(everyMs, async () => {
    was = true;
  });
  return was;
}

test('the kernel is compared after ten minutes without a reason, and two seconds after the last time with one', async () => {
  const clock = createVirtualClock({ startMs: 0 });
  const suspicion = createSuspicion(clock);
  let calls = 0;
  suspicion.subscribe(() => calls++);
  expect([await isDue(suspicion), suspicion.lookAgainMs(everyMs)]).toEqual([false, everyMs]);
  await clock.advance(everyMs);
  expect(await isDue(suspicion)).toBe(true);
  suspicion.raise();
  suspicion.raise();
  expect(calls).toBe(1);
  expect([await isDue(suspicion), suspicion.lookAgainMs(everyMs)]).toEqual([false, 2_000]);
  await clock.advance(2_000);
  expect([await isDue(suspicion), await isDue(suspicion)]).toEqual([true, false]);
});

test('what a monitor prints of our own writes makes it be compared twice in a minute at most', async () => {
  const clock = createVirtualClock({ startMs: 0 });
  const suspicion = createSuspicion(clock);
  let audits = 0;
  for (let second = 0; second < 600; second++) {
    await suspicion.during(() => {
      suspicion.raise();
      return Promise.resolve(true);
    });
    suspicion.raise();
    if (await isDue(suspicion)) audits++;
    await clock.advance(1_000);
  }
  expect(audits).toBe(19);
});

test('a write that fails halfway is printed by monitors as well, and is not taken for a change by others', async () => {
  const clock = createVirtualClock({ startMs: 0 });
  const suspicion = createSuspicion(clock);
  await clock.advance(2_000);
  await expect(suspicion.during(() => Promise.reject(new Error('cannot run nft')))).rejects.toThrow('cannot run nft');
  suspicion.raise();
  expect([await isDue(suspicion), suspicion.lookAgainMs(everyMs)]).toEqual([false, 28_000]);
});

test('a change by others is one two seconds after the last write, and any time when nothing was written', async () => {
  const clock = createVirtualClock({ startMs: 0 });
  const suspicion = createSuspicion(clock);
  await suspicion.during(() => Promise.resolve(true));
  await clock.advance(2_000);
  await suspicion.during(() => Promise.resolve(false));
  suspicion.raise();
  expect(await isDue(suspicion)).toBe(true);
});

test('a comparison that fails is still due, and what was suspected is not forgotten', async () => {
  const clock = createVirtualClock({ startMs: 0 });
  const suspicion = createSuspicion(clock);
  const fails = () => suspicion.whenDue(everyMs, () => Promise.reject(new Error('cannot run nft')));
  suspicion.raise();
  await clock.advance(2_000);
  await expect(fails()).rejects.toThrow('cannot run nft');
  expect(await isDue(suspicion)).toBe(true);
  expect([await isDue(suspicion), suspicion.lookAgainMs(everyMs)]).toEqual([false, everyMs]);
  await clock.advance(everyMs);
  await expect(fails()).rejects.toThrow('cannot run nft');
  expect([await isDue(suspicion), await isDue(suspicion)]).toEqual([true, false]);
});

import { createVirtualClock } from '@isthmus/testkit';
import { expect, test } from 'vitest';
import { createSuspicion } from './suspicion.ts';

const everyMs = 600_000;

test('the kernel is compared after ten minutes without a reason, and two seconds after the last time with one', async () => {
  const clock = createVirtualClock({ startMs: 0 });
  const suspicion = createSuspicion(clock);
  let calls = 0;
  suspicion.subscribe(() => calls++);
  expect([suspicion.isDue(everyMs), suspicion.lookAgainMs(everyMs)]).toEqual([false, everyMs]);
  await clock.advance(everyMs);
  expect(suspicion.isDue(everyMs)).toBe(true);
  suspicion.raise();
  suspicion.raise();
  expect(calls).toBe(1);
  expect([suspicion.isDue(everyMs), suspicion.lookAgainMs(everyMs)]).toEqual([false, 2_000]);
  await clock.advance(2_000);
  expect([suspicion.isDue(everyMs), suspicion.isDue(everyMs)]).toEqual([true, false]);
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
    if (suspicion.isDue(everyMs)) audits++;
    await clock.advance(1_000);
  }
  expect(audits).toBe(19);
});

test('a change by others is one two seconds after the last write, and any time when nothing was written', async () => {
  const clock = createVirtualClock({ startMs: 0 });
  const suspicion = createSuspicion(clock);
  await suspicion.during(() => Promise.resolve(true));
  await clock.advance(2_000);
  await suspicion.during(() => Promise.resolve(false));
  suspicion.raise();
  expect(suspicion.isDue(everyMs)).toBe(true);
});

import { createVirtualClock } from '@isthmus/fleet-sim';
import { expect, test } from 'vitest';
import type { AuditSchedule } from './audit-schedule.ts';
import { createAuditSchedule } from './audit-schedule.ts';

const everyMs = 600_000;

/** Compares, if a comparison is due. Returns whether it was. */
async function isDue(auditSchedule: AuditSchedule): Promise<boolean> {
  let was = false;
  await auditSchedule.whenDue(everyMs, async () => {
    was = true;
  });
  return was;
}

test('the kernel is compared after ten minutes without a reason, and two seconds after the last time with one', async () => {
  const clock = createVirtualClock({ startMs: 0 });
  const auditSchedule = createAuditSchedule(clock);
  let calls = 0;
  auditSchedule.subscribe(() => calls++);
  expect([await isDue(auditSchedule), auditSchedule.lookAgainMs(everyMs)]).toEqual([false, everyMs]);
  await clock.advance(everyMs);
  expect(await isDue(auditSchedule)).toBe(true);
  auditSchedule.request();
  auditSchedule.request();
  expect(calls).toBe(1);
  expect([await isDue(auditSchedule), auditSchedule.lookAgainMs(everyMs)]).toEqual([false, 2_000]);
  await clock.advance(2_000);
  expect([await isDue(auditSchedule), await isDue(auditSchedule)]).toEqual([true, false]);
});

test('what a monitor prints of our own writes makes it be compared twice in a minute at most', async () => {
  const clock = createVirtualClock({ startMs: 0 });
  const auditSchedule = createAuditSchedule(clock);
  let audits = 0;
  for (let second = 0; second < 600; second++) {
    await auditSchedule.during(() => {
      auditSchedule.request();
      return Promise.resolve(true);
    });
    auditSchedule.request();
    if (await isDue(auditSchedule)) audits++;
    await clock.advance(1_000);
  }
  expect(audits).toBe(19);
});

test('a write that fails halfway is printed by monitors as well, and is not taken for a change by others', async () => {
  const clock = createVirtualClock({ startMs: 0 });
  const auditSchedule = createAuditSchedule(clock);
  await clock.advance(2_000);
  await expect(auditSchedule.during(() => Promise.reject(new Error('cannot run nft')))).rejects.toThrow(
    'cannot run nft',
  );
  auditSchedule.request();
  expect([await isDue(auditSchedule), auditSchedule.lookAgainMs(everyMs)]).toEqual([false, 28_000]);
});

test('a change by others is one two seconds after the last write, and any time when nothing was written', async () => {
  const clock = createVirtualClock({ startMs: 0 });
  const auditSchedule = createAuditSchedule(clock);
  await auditSchedule.during(() => Promise.resolve(true));
  await clock.advance(2_000);
  await auditSchedule.during(() => Promise.resolve(false));
  auditSchedule.request();
  expect(await isDue(auditSchedule)).toBe(true);
});

test('a comparison that fails is still due, and what was suspected is not forgotten', async () => {
  const clock = createVirtualClock({ startMs: 0 });
  const auditSchedule = createAuditSchedule(clock);
  const fails = () => auditSchedule.whenDue(everyMs, () => Promise.reject(new Error('cannot run nft')));
  auditSchedule.request();
  await clock.advance(2_000);
  await expect(fails()).rejects.toThrow('cannot run nft');
  expect(await isDue(auditSchedule)).toBe(true);
  expect([await isDue(auditSchedule), auditSchedule.lookAgainMs(everyMs)]).toEqual([false, everyMs]);
  await clock.advance(everyMs);
  await expect(fails()).rejects.toThrow('cannot run nft');
  expect([await isDue(auditSchedule), await isDue(auditSchedule)]).toEqual([true, false]);
});

test('a request during a comparison that fails counts, unless an earlier one is more urgent', async () => {
  const clock = createVirtualClock({ startMs: 0 });
  const failing = async (auditSchedule: AuditSchedule, everyMs: number, at?: 'low') => {
    const compared = auditSchedule.whenDue(everyMs, () => {
      auditSchedule.request(at);
      return Promise.reject(new Error('cannot run nft'));
    });
    await expect(compared).rejects.toThrow('cannot run nft');
    return auditSchedule.lookAgainMs(everyMs * 100);
  };
  const [low, high] = [createAuditSchedule(clock), createAuditSchedule(clock)];
  low.request('low');
  high.request();
  await clock.advance(5_000);
  expect(await failing(low, 5_000)).toBe(1);
  expect(await failing(high, 5_000, 'low')).toBe(1);
});

test('a listener is called when a request is more urgent than the last one, until it unsubscribes', async () => {
  const clock = createVirtualClock({ startMs: 0 });
  const auditSchedule = createAuditSchedule(clock);
  let calls = 0;
  const stop = auditSchedule.subscribe(() => calls++);
  auditSchedule.request('low');
  auditSchedule.request('low');
  auditSchedule.request();
  auditSchedule.request('low');
  expect([calls, auditSchedule.lookAgainMs(everyMs)]).toEqual([2, 2_000]);
  await clock.advance(1_999);
  expect(await isDue(auditSchedule)).toBe(false);
  await clock.advance(1);
  expect(await isDue(auditSchedule)).toBe(true);
  stop();
  auditSchedule.request('low');
  expect([calls, auditSchedule.lookAgainMs(everyMs)]).toEqual([2, 30_000]);
});

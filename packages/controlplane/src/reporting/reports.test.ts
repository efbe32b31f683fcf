import { serviceImportStatus } from '@isthmus/api';
import { createVirtualClock } from '@isthmus/fleet-sim';
import { beforeEach, describe, expect, it } from 'vitest';
import type { OngoingReports } from './reports.ts';
import { createOngoingReports } from './reports.ts';

const object = (uid: string) => ({ apiVersion: 'v1', kind: 'ServiceImport', metadata: { name: 'cart', uid } });
const problem = { reason: 'WriteRejected', message: 'quota exceeded' } as const;

describe('the reports of problems that stay', () => {
  const clock = createVirtualClock({ startMs: 0 });
  let seen: string[];
  let reports: OngoingReports<typeof serviceImportStatus>;
  beforeEach(() => {
    seen = [];
    const report = (_object: unknown, _definition: unknown, { reason, message }: { reason: string; message: string }) =>
      void seen.push(`${reason}: ${message}`);
    reports = createOngoingReports({ report }, serviceImportStatus, clock);
  });

  it('are Events when they begin and when they change, however often the key is reconciled', () => {
    for (let look = 0; look < 100; look++) reports.note('shop/cart', object('1'), problem);
    reports.note('shop/cart', object('1'), { ...problem, message: 'denied by a policy' });
    expect(seen).toEqual(['WriteRejected: quota exceeded', 'WriteRejected: denied by a policy']);
  });

  it('are Events again when the problem was gone, when the object is another one, and after half an hour', async () => {
    reports.note('shop/cart', object('1'), problem);
    reports.note('shop/cart', object('1'), undefined);
    reports.note('shop/cart', object('1'), problem);
    reports.note('shop/cart', object('2'), problem);
    expect(seen).toHaveLength(3);
    await clock.advance(29 * 60_000);
    reports.note('shop/cart', object('2'), problem);
    expect(seen).toHaveLength(3);
    await clock.advance(60_000);
    reports.note('shop/cart', object('2'), problem);
    expect(seen).toHaveLength(4);
  });

  it('wait for an object that can carry them', () => {
    reports.note('shop/cart', undefined, problem);
    reports.note('shop/cart', object('1'), problem);
    expect(seen).toHaveLength(1);
  });
});

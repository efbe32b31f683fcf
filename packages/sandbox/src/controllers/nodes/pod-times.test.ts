import { rfc3339 } from '@isthmus/machinery';
import { describe, expect, it } from 'vitest';
import type { Pod } from '../kinds.ts';
import { graceMs, terminationEndMs, workLeftMs } from './pod-times.ts';

const nowMs = Date.UTC(2026, 10, 21);
const ownedBy = (kind: string) => [{ apiVersion: 'batch/v1', kind, name: 'a', uid: 'u', controller: true }];

describe('the work of a Pod', () => {
  const pod = (kind: string | undefined, startedMs?: number): Pod => ({
    metadata: { name: 'a', ...(kind !== undefined && { ownerReferences: ownedBy(kind) }) },
    ...(startedMs !== undefined && { status: { startTime: rfc3339(startedMs) } }),
  });

  it.each([
    ['of no controller never ends', pod(undefined, nowMs - 9_000), undefined],
    ['of a ReplicaSet never ends', pod('ReplicaSet', nowMs - 9_000), undefined],
    ['of a Job that has not started takes a second', pod('Job'), 1_000],
    ['of a Job that starts now takes a second', pod('Job', nowMs), 1_000],
    ['of a Job that started long ago is done', pod('Job', nowMs - 9_000), 0],
  ])('%s', (_, one, left) => {
    expect(workLeftMs(one, nowMs)).toBe(left);
  });
});

describe('the end of the containers of a deleted Pod', () => {
  /** A Pod that was deleted now. */
  const deleted = (graceSeconds: number): Pod => ({
    metadata: {
      name: 'a',
      deletionTimestamp: rfc3339(nowMs + graceSeconds * 1_000),
      deletionGracePeriodSeconds: graceSeconds,
    },
  });

  it.each([
    [30, undefined, 30_000],
    [30, 5_000, 5_000],
    [30, 90_000, 30_000],
    [0, 5_000, 0],
  ])('comes with a grace period of %i s and %s ms to end after %i ms', (graceSeconds, terminationMs, afterMs) => {
    expect(graceMs(deleted(graceSeconds), terminationMs)).toBe(afterMs);
    expect(terminationEndMs(deleted(graceSeconds), terminationMs)).toBe(nowMs + afterMs);
  });

  it('is unknown until the Pod is deleted', () => {
    expect(terminationEndMs({ metadata: { name: 'a' } }, 5_000)).toBeUndefined();
    expect(graceMs({ metadata: { name: 'a' } }, 5_000)).toBe(0);
  });
});

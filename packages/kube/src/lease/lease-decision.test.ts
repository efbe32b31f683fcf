import type { Lease } from '@isthmus/api';
import { describe, expect, it } from 'vitest';
import { decideLease, heldSpec, observeLease, releasedSpec } from './lease-decision.ts';

const lease = (spec: Lease['spec']): Lease => ({ metadata: { name: 'x', namespace: 'y', resourceVersion: '1' }, spec });
const other = lease({
  holderIdentity: 'other',
  leaseDurationSeconds: 20,
  renewTime: '2026-11-21T00:00:00.000000Z',
  leaseTransitions: 4,
});
const seenAt = (atMs: number) => ({ record: '', atMs });

describe('decideLease', () => {
  it.each([
    ['renews its own', { holderIdentity: 'me' }, 0, { kind: 'renew' }],
    ['takes what was given back', { holderIdentity: '', leaseDurationSeconds: 1 }, 0, { kind: 'take' }],
    ['takes one without a holder', undefined, 0, { kind: 'take' }],
    ["waits for the holder's own duration", other.spec, 19_999, { kind: 'wait', holder: 'other', forMs: 1 }],
    ['takes an expired one', other.spec, 20_000, { kind: 'take' }],
    [
      'waits 15 s where no duration is given',
      { holderIdentity: 'other' },
      14_000,
      { kind: 'wait', holder: 'other', forMs: 1_000 },
    ],
    [
      'waits 15 s where the duration is nonsense',
      { holderIdentity: 'other', leaseDurationSeconds: -5 },
      15_000,
      { kind: 'take' },
    ],
  ])('%s', (_, spec, afterMs, expected) => {
    expect(decideLease(lease(spec), seenAt(100), 'me', 100 + afterMs)).toEqual(expected);
  });
});

describe('observeLease', () => {
  it('counts from when the record was first seen so, not from its own time, nor from the last look', () => {
    const first = observeLease(undefined, other, 1_000);
    expect(observeLease(first, { ...other, metadata: { ...other.metadata, resourceVersion: '9' } }, 9_000).atMs).toBe(
      1_000,
    );
    expect(observeLease(first, lease({ ...other.spec, renewTime: '2026-11-21T00:00:02.000000Z' }), 9_000).atMs).toBe(
      9_000,
    );
  });
});

describe('the records', () => {
  const now = '2026-11-21T00:00:09.000000Z';

  it('count a transition when the holder changes, and keep fields that others have set', () => {
    expect(heldSpec(lease({ ...other.spec, strategy: 'x' } as Lease['spec']), 'me', 15_000, now)).toEqual({
      strategy: 'x',
      holderIdentity: 'me',
      leaseDurationSeconds: 15,
      acquireTime: now,
      renewTime: now,
      leaseTransitions: 5,
    });
  });

  it('keep the time of taking while the holder renews', () => {
    const held = heldSpec(undefined, 'me', 15_000, '2026-11-21T00:00:00.000000Z');
    expect(heldSpec(lease(held), 'me', 15_000, now)).toEqual({ ...held, renewTime: now });
    expect(held?.leaseTransitions).toBe(0);
  });

  it('name nobody when the holder gives up, and last a second', () => {
    expect(releasedSpec(other, now)).toMatchObject({
      holderIdentity: '',
      leaseDurationSeconds: 1,
      leaseTransitions: 4,
    });
  });
});

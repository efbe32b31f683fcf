import { defaultLeaderConfig } from '@isthmus/wire';
import { describe, expect, it } from 'vitest';
import type { MemberWrite, WriteLevel } from './write-levels.ts';
import { afterWrite, emptyLevel, excessOf } from './write-levels.ts';

const quota = defaultLeaderConfig.memberWrites;
const second = 1_000;
/** About what the two exports of a Service with ten endpoints have. */
const ofService = 2_000;
const create = (bytes: number): MemberWrite => ({ bytes, rewrites: 0 });
const rewrite = (bytes: number): MemberWrite => ({ bytes, rewrites: 1 });

interface Course {
  readonly write: MemberWrite;
  readonly perSecond: number;
  readonly seconds: number;
  /** How many objects the member has; default: as many as it has written. */
  readonly objects?: number | undefined;
  readonly limits?: typeof quota | undefined;
}

/** After how many seconds the member is above its quota, and why; undefined: it never is. */
function course({ write, perSecond, seconds, objects, limits = quota }: Course) {
  let level: WriteLevel = emptyLevel(0);
  for (let written = 1; written <= perSecond * seconds; written++) {
    const nowMs = (written / perSecond) * second;
    level = afterWrite(level, write, limits, nowMs);
    const why = excessOf(level, objects ?? written, limits, nowMs);
    if (why !== undefined) return { afterSeconds: Math.round(nowMs / 100) / 10, why };
  }
  return undefined;
}

describe('a member that behaves is never above its quota', () => {
  it.each<[string, Course]>([
    ['joins with 20,000 Services', { write: create(ofService / 2), perSecond: 4_000, seconds: 10 }],
    [
      'joins with all that a leader accepts, and as many labels',
      { write: create(1_600), perSecond: 4_000, seconds: 20 },
    ],
    [
      'has an API server that restarts, so that 20,000 Services lose their endpoints and get them again',
      { write: rewrite(1_200), perSecond: 2_000, seconds: 20, objects: 40_000 },
    ],
    ['has a key that flaps 20 times a second', { write: rewrite(ofService), perSecond: 20, seconds: 600, objects: 2 }],
    ['has 50 Pods whose labels change each second', { write: rewrite(400), perSecond: 100, seconds: 600, objects: 50 }],
    [
      'rolls out 1,000 Pods of a headless Service within two minutes',
      { write: rewrite(60_000), perSecond: 17, seconds: 120, objects: 2 },
    ],
    ['sends heartbeats', { write: rewrite(2_000), perSecond: 1, seconds: 3_600, objects: 1 }],
  ])('when it %s', (_, one) => {
    expect(course(one)).toBeUndefined();
  });
});

describe('a member that writes as fast as it can is above its quota', () => {
  it.each<[string, Course, number]>([
    ['one small export', { write: rewrite(1_000), perSecond: 1_000, seconds: 60, objects: 1 }, 7.5],
    ['its announcement', { write: rewrite(60_000), perSecond: 400, seconds: 60, objects: 1 }, 5.6],
    ['large exports', { write: rewrite(250_000), perSecond: 60, seconds: 60, objects: 10 }, 9.2],
    ['the largest Endpoints', { write: rewrite(1_000_000), perSecond: 20, seconds: 60, objects: 10 }, 6.8],
    ['always new large exports', { write: create(250_000), perSecond: 60, seconds: 60 }, 9.2],
    ['exports that it deletes again', { write: rewrite(500), perSecond: 1_000, seconds: 60, objects: 0 }, 7.5],
  ])('with %s', (_, one, within) => {
    expect(course(one)?.afterSeconds).toBeCloseTo(within, 0);
  });
});

it('the reason has what it wrote, in which time, and what it may write', () => {
  expect(course({ write: rewrite(250_000), perSecond: 60, seconds: 60, objects: 1 })?.why).toBe(
    'it wrote 138 MB and rewrote objects 552 times in 9 s, and may write 64 MB and 12000 rewrites per minute',
  );
});

it('a limit of 0 is not applied', () => {
  const one = { write: rewrite(250_000), perSecond: 400, seconds: 60, objects: 1 };
  expect(course({ ...one, limits: { megabytesPerMinute: 0, rewritesPerMinute: 0 } })).toBeUndefined();
  expect(course({ ...one, limits: { ...quota, megabytesPerMinute: 0 } })?.why).toContain(
    ', and may write 12000 rewrites',
  );
});

it('what was written before a pause of some minutes is forgotten', () => {
  const full = afterWrite(emptyLevel(0), create(127_000_000), quota, 0);
  expect(excessOf(afterWrite(full, create(3_000_000), quota, second), 1, quota, second)).toContain('130 MB');
  const later = 120 * second;
  const again = afterWrite(full, create(127_000_000), quota, later);
  expect(again).toMatchObject({ sinceMs: later, written: { bytes: 127_000_000 } });
  expect(excessOf(again, 1, quota, later)).toBeUndefined();
});

import type { MemberClusterAnnounce } from '@isthmus/api';
import { unansweredAfterMs } from './leader-answers.ts';
import { Annotation, memberAnnounceFinalizer, memberAnnounceName } from '@isthmus/api';
import { describe, expect, it } from 'vitest';
import { lastAreaLossMs, newSession, overdueAtMs, sawAnnounce } from './session-memory.ts';

const announce = (annotations: Readonly<Record<string, string>>): MemberClusterAnnounce => ({
  metadata: {
    name: memberAnnounceName('east'),
    annotations: { [Annotation.touchTs]: 't2', ...annotations },
    finalizers: [memberAnnounceFinalizer('east')],
  },
  clusterID: 'east',
});
const answered = announce({ [Annotation.answered]: 't2' });
const late = announce({ [Annotation.answered]: 't1' });

describe('what a session remembers of its leader', () => {
  it('is that it answers, also while the announcement is missing', () => {
    const seen = sawAnnounce(newSession, answered, 5);
    expect(seen.leaderAnswers).toBe(true);
    expect(sawAnnounce(seen, undefined, 6)).toMatchObject({ leaderAnswers: true, answers: undefined });
  });

  it.each([
    ['an answer that is late', late, 5 + unansweredAfterMs],
    ['nothing once it has answered', answered, undefined],
    ['nothing without an announcement', undefined, undefined],
  ])('is since when it owes %s', (_, object, atMs) => {
    expect(overdueAtMs(sawAnnounce(newSession, object, 5))).toBe(atMs);
  });

  it.each([
    ['never', undefined, undefined, undefined],
    ['when its API server showed it', undefined, 7, 7],
    ['when the announcement had to be created', 9, undefined, 9],
    ['when the last of both was seen', 9, 7, 9],
  ])('is when the Common Area lost more: %s', (_, announcedMs, seenMs, expected) => {
    expect(lastAreaLossMs({ ...newSession, announcedMs }, seenMs)).toBe(expected);
  });
});

import type { MemberClusterAnnounce } from '@isthmus/api';
import { memberAnnounceFinalizer } from '@isthmus/api';
import { describe, expect, it } from 'vitest';
import type { LeaderAnswers } from './leader-answers.ts';
import {
  acceptsDottedNames,
  answersHeartbeats,
  leaderProblem,
  lookForAnswer,
  mayBeReplaced,
  settingsVerdict,
} from './leader-answers.ts';

const accepted = [memberAnnounceFinalizer('west')];
const announce = (
  annotations: Readonly<Record<string, string>>,
  finalizers: readonly string[] = accepted,
): MemberClusterAnnounce => ({
  metadata: { name: 'member-announce-from-west', annotations, finalizers },
  clusterID: 'west',
});
const beat = (touchTs: string, answered: string) => announce({ 'touch-ts': touchTs, 'isthmus.dev/answered': answered });

describe('a leader', () => {
  it.each([
    ['that has not accepted the announcement owes an answer', announce({ 'touch-ts': '1' }, []), 7],
    ['that has accepted it and never answers, as Antrea does, owes none', announce({ 'touch-ts': '1' }), undefined],
    ['that has answered the last beat owes none', beat('1', '1'), undefined],
    ['that has answered an earlier beat owes an answer', beat('2', '1'), 7],
  ])('%s', (_, object, owesSinceMs) => {
    expect(lookForAnswer(undefined, object, 7)?.owesSinceMs).toBe(owesSinceMs);
  });

  it.each([
    ['that has answered, and so runs Isthmus,', beat('2', '1'), true],
    ['that has accepted the announcement and not answered, as Antrea does not,', announce({ 'touch-ts': '1' }), false],
    ['that has not accepted it yet', announce({ 'touch-ts': '1' }, []), undefined],
    ['that has no announcement', undefined, undefined],
  ])('%s is known to answer heartbeats, or not to', (_, object, expected) => {
    expect(answersHeartbeats(lookForAnswer(undefined, object, 7))).toBe(expected);
  });

  it.each([
    ['it answers so', { 'isthmus.dev/answered': '1', 'isthmus.dev/dotted-names': '1' }, true],
    [
      'it answers otherwise, as an older release does',
      { 'isthmus.dev/answered': '2', 'isthmus.dev/dotted-names': '1' },
      false,
    ],
    ['a former leader answered so', { 'isthmus.dev/dotted-names': '1' }, false],
  ])('accepts names with a dot if %s', (_, annotations, expected) => {
    const found = lookForAnswer(undefined, announce({ 'touch-ts': '2', ...annotations }), 7);
    expect(acceptsDottedNames(found)).toBe(expected);
    expect(acceptsDottedNames(undefined)).toBeUndefined();
  });

  it('owes the answer since the first beat that it did not answer', () => {
    const first = lookForAnswer(undefined, beat('2', '1'), 7);
    expect(lookForAnswer(first, beat('3', '1'), 9)?.owesSinceMs).toBe(7);
  });

  it('that is slow and still answers is not counted as silent', () => {
    const first = lookForAnswer(undefined, beat('2', '1'), 7);
    expect(lookForAnswer(first, beat('3', '2'), 9)?.owesSinceMs).toBe(9);
  });

  it.each([
    ['an announcement that is missing', undefined],
    ['one that is being deleted', { ...announce({}), metadata: { name: 'a', deletionTimestamp: 'now' } }],
  ])('owes nothing on %s', (_, object) => {
    expect(
      lookForAnswer(
        {
          answered: '1',
          clusterSet: 'fleet',
          acceptsDotted: false,
          owesSinceMs: 7,
          settings: undefined,
          others: undefined,
        },
        object,
        9,
      ),
    ).toBeUndefined();
  });
});

describe('a leader that has not answered for long', () => {
  const silent = lookForAnswer(undefined, beat('2', '1'), 7);

  it('owes an answer since then also when its last one is taken away with its finalizer', () => {
    expect(lookForAnswer(silent, announce({ 'touch-ts': '3' }, []), 40_000)?.owesSinceMs).toBe(7);
  });

  it('owes nothing any more when a leader that never answers has put its finalizer back', () => {
    const asked = lookForAnswer(silent, announce({ 'touch-ts': '3' }, []), 40_000);
    expect(lookForAnswer(asked, announce({ 'touch-ts': '3' }), 40_001)?.owesSinceMs).toBeUndefined();
  });

  it.each([
    ['may be replaced after forty seconds', silent, 40_007, true],
    ['is waited for until then', silent, 40_006, false],
    [
      'is not asked where it never answered',
      lookForAnswer(undefined, announce({ 'touch-ts': '1' }, []), 7),
      90_000,
      false,
    ],
    ['is not asked while it answers', lookForAnswer(undefined, beat('1', '1'), 7), 90_000, false],
  ] as const)('%s', (_, answers, nowMs, asked) => {
    expect(mayBeReplaced(answers, nowMs)).toBe(asked);
  });
});

describe('the problem at a leader', () => {
  const spec = {
    namespace: 'kube-system',
    clusterSet: 'fleet',
    clusterID: 'west',
    leaderClusterID: 'north',
    server: 'https://north.test:6443',
    leaderNamespace: 'antrea-multicluster',
    secret: 'leader-token',
    caPem: 'a certificate',
    token: 'a token',
  };
  const answers = (change: Partial<LeaderAnswers>): LeaderAnswers => ({
    answered: '1',
    clusterSet: 'fleet',
    acceptsDotted: false,
    owesSinceMs: undefined,
    settings: undefined,
    others: undefined,
    ...change,
  });

  it.each([
    ['none while it answers', answers({}), undefined],
    ['none before forty seconds without an answer', answers({ owesSinceMs: 60_001 }), undefined],
    ['its silence from forty seconds on', answers({ owesSinceMs: 60_000 }), 'LeaderControllerSilent'],
    ['its missing ClusterSet', answers({ clusterSet: '' }), 'LeaderClusterSetMissing'],
    ['the other name of its ClusterSet', answers({ clusterSet: 'acme' }), 'OtherClusterSet'],
    ['none where it does not name its ClusterSet', answers({ clusterSet: undefined }), undefined],
    ['none without an announcement', undefined, undefined],
  ])('is %s', (_, found, reason) => {
    expect(leaderProblem(found, spec, 100_000)?.reason).toBe(reason);
  });
});

describe('what the leader reports about the settings of all members', () => {
  const differs = { reason: 'EndpointIPTypeDiffers', message: 'endpointIPType is ClusterIP in east; PodIP in west.' };
  const annotations = { 'touch-ts': '1', 'isthmus.dev/settings-differ': JSON.stringify(differs) };

  it('is shown beside its answer', () => {
    const answers = lookForAnswer(undefined, announce({ ...annotations, 'isthmus.dev/answered': '1' }), 7);
    expect(settingsVerdict(answers)).toEqual({ status: 'True', ...differs });
  });

  it('is nothing where the leader does not answer, since one of another make does not remove it', () => {
    expect(settingsVerdict(lookForAnswer(undefined, announce(annotations), 7))).toBe('absent');
  });

  it('is not known without an announcement', () => {
    expect(settingsVerdict(undefined)).toBeUndefined();
  });
});

import { describe, expect, it } from 'vitest';
import type { SessionSpec } from '../own-cluster/session-spec.ts';
import type { SessionState } from '../own-cluster/session-state.ts';
import type { Membership } from './membership.ts';
import { wantedSession, whySessionUnknown } from './membership-run.ts';

const spec: SessionSpec = {
  namespace: 'isthmus-system',
  clusterSet: 'shop',
  clusterID: 'east',
  leaderClusterID: 'north',
  server: 'https://north.example',
  leaderNamespace: 'isthmus-system',
  secret: 'leader-token',
  caPem: 'ca',
  token: 'token-1',
};
const joined: Membership = { kind: 'joined', spec };
const session = (state: SessionState) => ({ state });

describe('whether the leader answers', () => {
  it.each([
    ['is known once it was', true, joined, session({ kind: 'connecting' }), undefined],
    ['is not known before the ClusterSet is read', false, undefined, undefined, 'the ClusterSet is not read yet'],
    ['is not known before there is a session', false, joined, undefined, 'the leader has not answered yet'],
    [
      'is not known before the first answer',
      false,
      joined,
      session({ kind: 'connecting' }),
      'the leader has not answered yet',
    ],
    [
      'is not known after a failure, which is named',
      false,
      joined,
      session({ kind: 'connecting', why: 'no route' }),
      'the leader has not answered yet: no route',
    ],
  ])('%s', (_, isKnown, wanted, found, why) => {
    expect(whySessionUnknown({ isKnown, wanted, session: found })).toBe(why);
  });
});

describe('the session of a membership', () => {
  const running = { spec };
  it.each([
    ['is the one that runs', running, joined, running],
    ['is not one with an older token', { spec: { ...spec, token: 'token-0' } }, joined, undefined],
    ['is not one with another server', { spec: { ...spec, server: 'https://old.example' } }, joined, undefined],
    ['is none while the cluster leaves', running, { kind: 'leaving', spec } as const, undefined],
    ['is none before it begins', undefined, joined, undefined],
    ['is none before a membership is wanted', running, undefined, undefined],
  ])('%s', (_, found, wanted, expected) => {
    expect(wantedSession({ session: found, wanted })).toEqual(expected);
  });
});

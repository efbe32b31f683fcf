import { describe, expect, it } from 'vitest';
import type { SessionSpec } from '../../own-cluster/session-spec.ts';
import { tokenAdvice } from './token-advice.ts';
import { tokenVerdicts } from './verdicts.ts';

const tokenOf = (claims: object) => `eyJ9.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`;
const sub = 'system:serviceaccount:area:member-east';
const endS = Date.UTC(2026, 10, 30, 12) / 1_000;
const bound = (name: string) =>
  tokenOf({
    sub: `system:serviceaccount:area:${name}`,
    iat: endS - 900,
    exp: endS,
    'kubernetes.io': { namespace: 'area', serviceaccount: { name, uid: 'a-1' }, secret: { name, uid: 's-1' } },
  });
const spec: SessionSpec = {
  namespace: 'kube-system',
  clusterSet: 'fleet',
  clusterID: 'east',
  leaderClusterID: 'north',
  server: 'https://north.test',
  leaderNamespace: 'area',
  secret: 'leader-token',
  caPem: '',
  token: bound('member-east'),
};
const forever = { ...spec, token: tokenOf({ sub }) };

describe('the conditions about a token', () => {
  const verdicts = (membership: SessionSpec, more: object = {}) =>
    tokenVerdicts({ membership: { kind: 'joined', spec: membership }, leaderAnswers: true, ...more });

  it('report one that does not expire, with the commands that replace it', () => {
    expect(verdicts(forever).TokenDoesNotExpire).toEqual({
      status: 'True',
      reason: 'TokenOfSecret',
      message:
        'The token for leader north does not expire. To change to one that expires after 24 hours and is renewed, run there: isthmus revoke east -n area. Then run on the leader: isthmus grant east -n area -o east.yaml, and apply that file here. Until the file is applied, this cluster is not connected, and keeps its imports.',
    });
  });

  it.each<[string, SessionSpec, object, unknown]>([
    ['a token that expires', spec, {}, 'absent'],
    ['a leader that runs Antrea', forever, { leaderAnswers: false }, 'absent'],
    ['a leader that has not answered yet', forever, { leaderAnswers: undefined }, undefined],
    ['a token that is not that of a ServiceAccount', { ...spec, token: 'secret' }, {}, 'absent'],
  ])('do not complain of %s', (_title, one, more, expected) => {
    expect(verdicts(one, more).TokenDoesNotExpire).toBe(expected);
  });

  it('report one that is not renewed, with its end', () => {
    const tokenProblem = { expires: '2026-11-30T12:00:00Z', why: 'the cause' };
    const { TokenExpires } = verdicts(spec, { tokenProblem });
    expect(TokenExpires).toMatchObject({ status: 'True', reason: 'RenewalFailed' });
    expect(TokenExpires).toMatchObject({
      message: expect.stringMatching(/expires at 2026-11-30T12:00:00Z, and cannot be renewed: the cause\./) as string,
    });
  });

  it('are absent in a cluster that is not a member', () => {
    expect(tokenVerdicts({ membership: { kind: 'none' }, leaderAnswers: true })).toEqual({
      TokenDoesNotExpire: 'absent',
      TokenExpires: 'absent',
    });
  });
});

describe('the advice about a token that the leader rejects', () => {
  it.each<[string, string, number, RegExp]>([
    ['of a file, in time', bound('join-east'), endS - 1, /^ of the join file: the file was used already, or replaced/],
    [
      'of a file, later',
      bound('join-east'),
      endS,
      /^ of the join file: it expired at 2026-11-30T12:00:00Z, or the file/,
    ],
    [
      'of a member, in time',
      spec.token,
      endS - 1,
      /^: it was to expire at 2026-\S+, and has been revoked\. To connect/,
    ],
    [
      'of a member, later',
      spec.token,
      endS,
      /^: it expired at 2026-11-30T12:00:00Z without being renewed\. To connect/,
    ],
    [
      'that is cut',
      bound('join-east').slice(0, 80),
      0,
      /^ in Secret kube-system\/leader-token, which is damaged, or cut/,
    ],
    [
      'of a Secret',
      forever.token,
      0,
      /^: issue a new member token there and put it into key token of Secret kube-system/,
    ],
    ['of an unknown form', 'secret', 0, /^: issue a new member token there/],
  ])('%s', (_title, token, nowS, text) => {
    expect(tokenAdvice({ ...spec, token }, nowS * 1_000)).toMatch(text);
  });
});

import type { Secret } from '@isthmus/api';
import { describe, expect, it } from 'vitest';
import { decideRenewal } from './decide.ts';
import { storedToken } from './stored-token.ts';

const hour = 3_600_000;
const nowMs = Date.UTC(2026, 10, 30, 12);
const tokenOf = (secret: object | undefined, more: object = {}, name = 'member-east') => {
  const about = { namespace: 'area', serviceaccount: { name, uid: 'a-1' }, secret };
  const sub = `system:serviceaccount:area:${name}`;
  const claims = { sub, iat: 1_000, exp: 87_400, 'kubernetes.io': about, ...more };
  return `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`;
};
const ofFile = tokenOf({ name: 'join-east', uid: 'j-1' }, {}, 'join-east');
const own = tokenOf({ name: 'member-east', uid: 'm-1' });

interface Case {
  readonly given?: string;
  readonly renewed?: string | undefined;
  readonly from?: string;
  readonly received?: string | undefined;
  readonly joinedWith?: string;
  readonly share?: number;
}

const secretOf = ({ given = ofFile, renewed = own, from = ofFile, received, joinedWith }: Case): Secret => ({
  metadata: {
    name: 'leader-token',
    annotations: {
      ...(received !== undefined && { 'isthmus.dev/token-received': received }),
      ...(joinedWith !== undefined && { 'isthmus.dev/joined-with': joinedWith }),
    },
  },
  data: { token: btoa(given), 'renewed-token': btoa(renewed), 'renewed-from': btoa(from) },
});
const ago = (ms: number) => new Date(nowMs - ms).toISOString();
const decided = (one: Case) =>
  decideRenewal({ secret: secretOf(one), nowMs, share: one.share ?? 0, decodeBase64: atob });
const renew = (joinedWith?: string) => ({
  kind: 'renew',
  given: ofFile,
  account: { namespace: 'area', name: 'member-east' },
  joinedWith,
});

describe('a token', () => {
  it.each<[string, Case, object]>([
    ['of a join file is exchanged at once', { renewed: '' }, renew('join-east/j-1')],
    ['of a newer join file is exchanged at once', { from: 'older' }, renew('join-east/j-1')],
    ['waits for two thirds of its life', { received: ago(hour) }, { kind: 'wait', ms: 15 * hour, token: own }],
    ['waits longer by its share', { received: ago(hour), share: 1 }, { kind: 'wait', ms: 62_640_000, token: own }],
    ['is renewed after two thirds of its life', { received: ago(16 * hour) }, renew()],
    ['is renewed long after', { received: ago(1_000 * hour) }, renew()],
    ['is renewed if its receipt is not known', {}, renew()],
    ['is renewed if its receipt is not a time', { received: 'yesterday' }, renew()],
    ['is renewed if its receipt is in the future', { received: ago(-1) }, renew()],
    [
      'ends that of the file first',
      { received: ago(hour), joinedWith: 'join-east/j-1' },
      { kind: 'release', join: { namespace: 'area', name: 'join-east' }, uid: 'j-1', token: own },
    ],
    ['is renewed before that, if it is due', { received: ago(20 * hour), joinedWith: 'join-east/j-1' }, renew()],
    [
      'ends no Secret with another name',
      { received: ago(hour), joinedWith: 'kube-root/j-1' },
      { kind: 'wait', ms: 15 * hour },
    ],
    ['ends no Secret without a uid', { received: ago(hour), joinedWith: 'join-east' }, { kind: 'wait' }],
    ['that does not expire stays', { given: tokenOf(undefined, { exp: undefined }), renewed: '' }, { kind: 'none' }],
    ['that others renew stays', { given: tokenOf(undefined), renewed: '' }, { kind: 'none' }],
    ['of a Secret with another name stays', { given: tokenOf({ name: 'x', uid: 'x' }), renewed: '' }, { kind: 'none' }],
    ['that is not readable stays', { given: 'member-east', renewed: '' }, { kind: 'none' }],
    ['that is missing is not renewed', { given: '' }, { kind: 'none' }],
  ])('%s', (_title, one, step) => {
    expect(decided(one)).toMatchObject(step);
  });
});

describe('the token of a Secret', () => {
  it.each<[string, Case, string | undefined]>([
    ['that was renewed is the renewed one', {}, own],
    ['that an administrator has replaced is the new one', { from: 'older' }, ofFile],
    ['that was not renewed is the given one', { renewed: '' }, ofFile],
    ['that is gone is missing, whatever was renewed', { given: '' }, undefined],
  ])('%s', (_title, one, token) => {
    expect(storedToken(secretOf(one), atob)?.token).toBe(token);
  });
});

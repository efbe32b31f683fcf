import { describe, expect, it } from 'vitest';
import { readToken, sessionToken } from './read-token.ts';

const tokenOf = (claims: unknown) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2lnbmF0dXJl`;
const sub = 'system:serviceaccount:area:member-west';
const account = { namespace: 'area', name: 'member-west', uid: 'a-1' };
const about = { namespace: 'area', serviceaccount: { name: 'member-west', uid: 'a-1' } };
const bound = (more: object = {}) => ({ sub, iat: 1_000, exp: 87_400, 'kubernetes.io': { ...about, ...more } });
const secret = { name: 'join-west', uid: 's-1' };

describe('a token', () => {
  it.each<[string, unknown, object]>([
    [
      'of a Secret',
      { iss: 'kubernetes/serviceaccount', sub },
      { account: { ...account, uid: '' }, secret: undefined, life: undefined },
    ],
    ['that expires', bound(), { account, secret: undefined, life: { fromS: 1_000, untilS: 87_400 } }],
    ['that ends with a Secret', bound({ secret }), { account, secret, life: { fromS: 1_000, untilS: 87_400 } }],
    ['with claims beyond ASCII', { aud: ['ä'], ...bound({ note: '🙂' }) }, { account }],
    ['bound to a Pod', bound({ pod: { name: 'web', uid: 'p' } }), { account, secret: undefined }],
    ['bound to a Secret without a uid', bound({ secret: { name: 'join-west' } }), { secret: undefined }],
    ['bound to a Secret with another name', bound({ secret: { name: '../x', uid: 's' } }), { secret: undefined }],
  ])('%s is read', (_title, claims, facts) => {
    expect(readToken(tokenOf(claims))).toMatchObject(facts);
  });

  it.each<[string, string]>([
    ['a static token', 'member-west'],
    ['text with dots that is not a JWT', 'a.b.c'],
    ['a token that is cut in half', tokenOf(bound()).slice(0, 60)],
    ['a token with a fourth part', `${tokenOf(bound())}.x`],
    ['a text of a megabyte', `e30.${'A'.repeat(2 ** 20)}.x`],
    ['a JWT without a subject', tokenOf({ iss: 'kubernetes/serviceaccount' })],
    ['a JWT whose claims are a list', tokenOf(['sub'])],
    ['the subject of a person', tokenOf({ sub: 'alice' })],
    ['a subject with too many parts', tokenOf({ sub: 'system:serviceaccount:area:member:west' })],
    ['a name that a shell would read', tokenOf({ sub: 'system:serviceaccount:area:west;reboot' })],
    ['an end before its beginning', tokenOf({ ...bound(), exp: 999 })],
    ['an end in no year', tokenOf({ ...bound(), exp: 1e300 })],
    ['an end that is text', tokenOf({ ...bound(), exp: '87400' })],
    ['an end without a beginning', tokenOf({ ...bound(), iat: undefined })],
    ['nothing', ''],
  ])('is not read from %s', (_title, token) => {
    expect(readToken(token)).toBeUndefined();
  });
});

describe('the session of a token', () => {
  it('continues with another token of the same account', () => {
    expect(sessionToken(tokenOf(bound({ secret })))).toBe(sessionToken(tokenOf({ ...bound(), iat: 2_000 })));
  });

  it.each<[string, string]>([
    ['of an account that was created again', tokenOf(bound({ serviceaccount: { name: 'member-west', uid: 'a-2' } }))],
    ['of another account', tokenOf({ ...bound(), sub: 'system:serviceaccount:area:member-east' })],
    ['that does not expire', tokenOf({ sub, 'kubernetes.io': about })],
    ['of no account', 'member-west'],
  ])('is another one with a token %s', (_title, token) => {
    expect(sessionToken(token)).not.toBe(sessionToken(tokenOf(bound())));
  });
});

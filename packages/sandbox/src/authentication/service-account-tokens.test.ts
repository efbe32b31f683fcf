import { describe, expect, it } from 'vitest';
import type { Stored } from '../store/stored.ts';
import { isMeantFor, issuer, printSecretToken, printToken, verifyToken } from './service-account-tokens.ts';
import type { TokenClaims } from './service-account-tokens.ts';

const account = { namespace: 'shop', serviceaccount: { name: 'app', uid: 'a' } };
const claims = (more: Partial<TokenClaims> = {}): TokenClaims => ({
  aud: [issuer],
  exp: 1000,
  iat: 0,
  iss: issuer,
  jti: 'j',
  nbf: 0,
  sub: 'system:serviceaccount:shop:app',
  'kubernetes.io': account,
  ...more,
});

/** What is stored: the ServiceAccount, a Pod and a Secret, each with its uid. */
function objects(uids: Readonly<Record<string, string>> = { '/serviceaccounts': 'a', '/pods': 'p', '/secrets': 's' }) {
  const names: Readonly<Record<string, string>> = { '/serviceaccounts': 'app', '/pods': 'web', '/secrets': 'token' };
  return {
    list: () => [],
    get: (storageKey: string, key: string) =>
      uids[storageKey] !== undefined && key === `shop/${names[storageKey]}`
        ? ({
            apiVersion: 'v1',
            kind: 'X',
            metadata: { name: names[storageKey] ?? '', uid: uids[storageKey] },
          } as Stored)
        : undefined,
  };
}
interface Case {
  readonly claims?: Partial<TokenClaims>;
  readonly nowSeconds?: number;
  readonly audiences?: readonly string[];
  readonly uids?: Readonly<Record<string, string>>;
}
const verified = ({ claims: more, nowSeconds = 500, audiences, uids }: Case = {}) =>
  verifyToken({ key: 'k', objects: objects(uids), nowSeconds }, printToken('k', claims(more)), audiences);
const bound = (kind: 'pod' | 'secret', name: string, uid: string) => ({
  'kubernetes.io': { ...account, [kind]: { name, uid } },
});

describe('a valid token', () => {
  it('is that of its ServiceAccount', () => {
    expect(verified()).toEqual({
      user: {
        username: 'system:serviceaccount:shop:app',
        uid: 'a',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:shop'],
        extra: { 'authentication.kubernetes.io/credential-id': ['JTI=j'] },
      },
      audiences: [issuer],
    });
  });

  it.each<readonly [string, Partial<TokenClaims>, object]>([
    [
      'names its Pod',
      bound('pod', 'web', 'p'),
      {
        'authentication.kubernetes.io/credential-id': ['JTI=j'],
        'authentication.kubernetes.io/pod-name': ['web'],
        'authentication.kubernetes.io/pod-uid': ['p'],
      },
    ],
    ['that does not expire names no credential', { exp: undefined, ...bound('secret', 'token', 's') }, {}],
  ])('%s', (_, more, extra) => {
    expect(verified({ claims: more }).user?.extra).toEqual(extra);
  });

  it.each<readonly [string, Case]>([
    ['at the second of its end', { nowSeconds: 1000 }],
    ['long after, without an end', { claims: { exp: undefined }, nowSeconds: 1e9 }],
    ['for one of several audiences', { claims: { aud: ['x', 'y'] }, audiences: ['y', 'z'] }],
  ])('%s', (_, one) => {
    expect(verified(one).error).toBeUndefined();
  });
});

describe('a token is not valid', () => {
  const invalidated = '[invalid bearer token, service account token has been invalidated]';

  it.each<readonly [string, Case, string]>([
    ['after its end', { nowSeconds: 1000.5 }, '[invalid bearer token, service account token has expired]'],
    [
      'for another audience',
      { audiences: ['x', 'y'] },
      `[invalid bearer token, token audiences ["${issuer}"] is invalid for the target audiences ["x" "y"]]`,
    ],
    [
      'for no audience of the server',
      { claims: { aud: ['x'] } },
      `[invalid bearer token, token audiences ["x"] is invalid for the target audiences ["${issuer}"]]`,
    ],
    ['without its ServiceAccount', { uids: {} }, '[invalid bearer token, serviceaccounts "app" not found]'],
    [
      'of a ServiceAccount that was there before',
      { uids: { '/serviceaccounts': 'b' } },
      '[invalid bearer token, service account UID (b) does not match claim (a)]',
    ],
    ['without its Pod', { claims: bound('pod', 'gone', 'p') }, invalidated],
    ['of a Pod that was there before', { claims: bound('pod', 'web', 'q') }, invalidated],
    ['without its Secret', { claims: bound('secret', 'gone', 's') }, invalidated],
    ['of a Secret that was there before', { claims: bound('secret', 'token', 'q') }, invalidated],
  ])('%s', (_, one, error) => {
    expect(verified(one)).toEqual({ error });
  });

  const token = printToken('k', claims());
  const [header = '', body = '', signature = ''] = token.split('.');
  const other = printToken('k', claims({ jti: 'i' })).split('.')[1] ?? '';
  it.each<readonly [string, string]>([
    ['that is empty', ''],
    ['signed by another key', printToken('l', claims())],
    ['with other claims', [header, other, signature].join('.')],
    ['without its signature', [header, body].join('.')],
    ['with an empty signature', [header, body, ''].join('.')],
    ['with more at its end', `${token}.x`],
    ['of anything else', 'x'],
  ])('%s', (_, text) => {
    expect(verifyToken({ key: 'k', objects: objects(), nowSeconds: 500 }, text)).toEqual({
      error: 'invalid bearer token',
    });
  });
});

it('the token of a Secret is valid while the Secret is there', () => {
  const secretToken = printSecretToken('k', {
    account: { name: 'app', namespace: 'shop', uid: 'a' },
    secret: { name: 'token', uid: 's' },
    nowSeconds: 1.5,
  });
  const at = (uids: Readonly<Record<string, string>>) =>
    verifyToken({ key: 'k', objects: objects(uids), nowSeconds: 1e9 }, secretToken);
  expect(at({ '/serviceaccounts': 'a', '/secrets': 's' }).user?.username).toBe('system:serviceaccount:shop:app');
  expect(at({ '/serviceaccounts': 'a' }).error).toBe(
    '[invalid bearer token, service account token has been invalidated]',
  );
});

it.each<readonly [readonly string[], readonly string[], boolean]>([
  [['a', 'b'], ['b'], true],
  [['a'], ['b'], false],
  [['a'], [], false],
  [[], ['a'], false],
])('a token for %j is meant for %j: %s', (aud, audiences, expected) => {
  expect(isMeantFor(claims({ aud }), audiences)).toBe(expected);
});

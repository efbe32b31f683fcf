import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { safeFields } from './safe-fields.ts';

const jwt = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl';
const pem = '-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----';

describe('safeFields', () => {
  it.each([
    'token',
    'Token',
    'bearerToken',
    'access_token',
    'password',
    'Authorization',
    'Set-Cookie',
    'client-key-data',
    'clientKeyData',
    'ca.key',
    'tls.key',
    'stringData',
    'clientSecret',
  ])('hides the value of a field called %s, wherever it is', (name) => {
    expect(safeFields({ [name]: 'x', deep: [{ [name]: ['x'] }] })).toEqual({
      [name]: '[hidden]',
      deep: [{ [name]: '[hidden]' }],
    });
  });

  it.each(['secretName', 'tokenFile', 'key', 'tokens', 'monkey', 'keys'])(
    'shows the value of a field called %s',
    (name) => {
      expect(safeFields({ [name]: 'x' })).toEqual({ [name]: 'x' });
    },
  );

  it.each([
    [`sent Bearer ${jwt} to it`, 'sent [hidden] to it'],
    [`bearer abc.def~+/=`, '[hidden]'],
    [`got ${jwt}`, 'got [hidden]'],
    [`${pem} after`, '[hidden] after'],
    ['-----BEGIN PRIVATE KEY-----\nMIIE', '[hidden]'],
    ['https://me:pass@host/x', 'https://[hidden]@host/x'],
    ['https://host:6443/a@b', 'https://host:6443/a@b'],
  ])('hides a secret by its form in %j', (text, expected) => {
    expect(safeFields({ why: text, error: new Error(text) })).toEqual({
      why: expected,
      error: expected.replace(/\s+/g, ' '),
    });
  });

  it('shows of a Secret what names it', () => {
    const secret = { kind: 'Secret', metadata: { name: 'member' }, data: { 'ca.crt': 'eA==' }, type: 'Opaque' };
    expect(safeFields({ secret })).toEqual({
      secret: { kind: 'Secret', metadata: { name: 'member' }, data: '[hidden]', type: 'Opaque' },
    });
  });

  it('cuts what is long, wide or deep', () => {
    const deep = { a: { b: { c: { d: { e: { f: 1 } } } } } };
    const safe = safeFields({ text: 'x'.repeat(5_000), list: Array.from({ length: 150 }, () => 1), deep });
    expect(safe['text']).toBe(`${'x'.repeat(2_048)}… [2952 more characters]`);
    expect((safe['list'] as unknown[]).slice(99)).toEqual([1, '[50 more]']);
    expect(safe['deep']).toEqual({ a: { b: { c: { d: { e: '[deep]' } } } } });
  });

  it('writes what JSON does not know as words, and survives cycles and getters that throw', () => {
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    const trap = {
      get x() {
        throw new Error('no');
      },
    };
    const safe = safeFields({
      n: Number.NaN,
      big: 7n,
      f: () => 1,
      s: Symbol('x'),
      map: new Map([['a', 1]]),
      cycle,
      trap,
      nothing: undefined,
    });
    expect(safe).toMatchObject({
      n: 'NaN',
      big: '7',
      f: '[function]',
      s: '[symbol]',
      map: { a: 1 },
      trap: '[unreadable]',
    });
    expect(safe).not.toHaveProperty('nothing');
    expect(() => JSON.stringify(safe)).not.toThrow();
  });

  it('is total: whatever is logged becomes JSON, and a hidden value never shows', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.anything({ withMap: true, withBigInt: true, withNullPrototype: true })),
        (fields) => {
          const text = JSON.stringify(safeFields({ ...fields, nested: { ...fields, token: 'the-secret' } }));
          expect(text).not.toContain('the-secret');
        },
      ),
      { numRuns: 300 },
    );
  });
});

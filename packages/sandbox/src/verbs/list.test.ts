import { describe, expect, it } from 'vitest';
import { wholeEncoding } from '../encoding/encoding.ts';
import type { ListOptions } from '../options/list-options.ts';
import { outcome, serverCore } from '../testing/server-core.ts';
import { continueExpired, isExact, listPage } from './list.ts';

const none: ListOptions = {
  limit: 0,
  continueToken: undefined,
  resourceVersion: undefined,
  resourceVersionMatch: undefined,
  timeoutSeconds: undefined,
  allowWatchBookmarks: false,
  sendInitialEvents: undefined,
};

/** A server with the ConfigMaps a, b, c and d in `shop`; b has a label. */
function setting() {
  const server = serverCore();
  const put = (name: string, labels?: object) =>
    server.put('v1', 'configmaps', { metadata: { name, namespace: 'shop', ...(labels && { labels }) } });
  for (const name of ['c', 'a', 'd']) put(name);
  put('b', { tier: 'front' });
  const { resource } = server.target('v1', 'configmaps', { name: '', namespace: 'shop' });
  const view = (isSelective: boolean) => ({
    resource,
    encoding: wholeEncoding(new WeakMap()),
    selection: {
      selective: isSelective,
      matches: ({
        metadata,
      }: {
        readonly metadata: { readonly labels?: Readonly<Record<string, string>> | undefined };
      }) => !isSelective || metadata.labels?.['tier'] === 'front',
    },
  });
  const page = async (options: Partial<ListOptions> = {}, isSelective = false) =>
    listPage(server.core, view(isSelective), { ...none, ...options });
  const remove = (name: string) => {
    const stored = server.core.store.get('/configmaps', `shop/${name}`);
    if (stored !== undefined) server.core.store.remove('/configmaps', stored);
  };
  return { ...server, put, remove, page };
}
const names = ({ items }: Awaited<ReturnType<ReturnType<typeof setting>['page']>>) =>
  items.map(({ metadata }) => metadata.name).join('');
const token = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

describe('a list', () => {
  it('is in the order of the names, at the version of the store', async () => {
    const { page } = setting();
    const whole = await page();
    expect([names(whole), whole.metadata]).toEqual(['abcd', { resourceVersion: '5' }]);
  });

  it.each<readonly [string, Partial<ListOptions>, boolean, string, number | undefined]>([
    ['of some', { limit: 3 }, false, 'abc', 1],
    ['of as many as there are', { limit: 4 }, false, 'abcd', undefined],
    ['of some at any version: it is whole', { limit: 3, resourceVersion: 0 }, false, 'abcd', undefined],
    ['of those with a label', {}, true, 'b', undefined],
    ['of some of those with a label', { limit: 1 }, true, 'b', undefined],
  ])('%s', async (_, options, isSelective, expected, remaining) => {
    const { page } = setting();
    const result = await page(options, isSelective);
    expect([names(result), result.metadata.remainingItemCount, result.metadata.continue !== undefined]).toEqual([
      expected,
      remaining,
      remaining !== undefined,
    ]);
  });

  it('that is selected does not count what remains', async () => {
    const { page, put } = setting();
    put('e', { tier: 'front' });
    const { metadata } = await page({ limit: 1 }, true);
    expect(metadata.continue).toBeDefined();
    expect(metadata).not.toHaveProperty('remainingItemCount');
  });

  it('goes on where it was, in the state in which it began', async () => {
    const { page, put, remove } = setting();
    const first = await page({ limit: 2 });
    put('bb');
    remove('c');
    const second = await page({ limit: 1, continueToken: first.metadata.continue });
    const third = await page({ limit: 5, continueToken: second.metadata.continue });
    expect([first, second, third].map(names)).toEqual(['ab', 'c', 'd']);
    expect(second.metadata).toMatchObject({ resourceVersion: '5', remainingItemCount: 1 });
    expect(third.metadata).toEqual({ resourceVersion: '5' });
    expect(names(await page())).toBe('abbbd');
  });

  it.each<readonly [string, Partial<ListOptions>, string]>([
    ['exactly', { resourceVersion: 3, resourceVersionMatch: 'Exact' }, 'ac'],
    ['at a version and with a limit', { resourceVersion: 3, limit: 5 }, 'ac'],
    ['at a version at least', { resourceVersion: 3 }, 'abcd'],
    [
      'at a version at least, and with a limit',
      { resourceVersion: 3, resourceVersionMatch: 'NotOlderThan', limit: 5 },
      'abcd',
    ],
  ])('of an earlier state: %s', async (_, options, expected) => {
    const { page } = setting();
    expect(names(await page(options))).toBe(expected);
  });

  it('of a state that is not written yet is refused', async () => {
    const { page } = setting();
    expect(await outcome(() => page({ resourceVersion: 6 }))).toEqual([
      504,
      'Timeout: Too large resource version: 6, current: 5',
    ]);
    expect(names(await page({ resourceVersion: 5 }))).toBe('abcd');
  });

  it('of a state that is compacted is refused; a later page gets a token that goes on now', async () => {
    const { page, clock, core, put } = setting();
    const first = await page({ limit: 2 });
    for (let time = 0; time < 3; time++) {
      await clock.advance(300_000);
      put('d', { time: String(time) });
    }
    expect(core.store.compactedTo).toBeGreaterThan(5);
    expect(await outcome(() => page({ resourceVersion: 5, resourceVersionMatch: 'Exact' }))).toEqual([
      410,
      'The resourceVersion for the provided list is too old.',
    ]);
    const late = page({ continueToken: first.metadata.continue });
    await expect(late).rejects.toMatchObject({ status: { code: 410, metadata: { continue: expect.any(String) } } });
    const { status } = continueExpired(core, { resourceVersion: 5, start: 'shop/b' }) as unknown as {
      readonly status: { readonly metadata: { readonly continue: string } };
    };
    expect(names(await page({ continueToken: status.metadata.continue }))).toBe('cd');
  });
});

describe('a token to go on', () => {
  const invalid = 'invalid continue token: continue key is not valid: ';
  const unread = `${invalid}incorrect encoded start resourceVersion (version meta.k8s.io/v1)`;
  const valid = { v: 'meta.k8s.io/v1', rv: 5, start: 'shop/b' };

  it.each<readonly [string, string, string]>([
    ['of another alphabet', 'ab$c', `${invalid}illegal base64 data at input byte 2`],
    ['that is cut', 'abcde', `${invalid}illegal base64 data at input byte 4`],
    [
      'of bytes that are no text',
      Buffer.from([0x9c, 0x01, 0x02]).toString('base64url'),
      `${invalid}invalid character '\\u009c' looking for beginning of value`,
    ],
    [
      'of a byte with a form of its own',
      Buffer.from([0xe9, 0x01, 0x02]).toString('base64url'),
      `${invalid}invalid character 'é' looking for beginning of value`,
    ],
    ['of a list', token([]), `${invalid}json: cannot unmarshal array into Go value of type storage.continueToken`],
    [
      'of a boolean',
      token('true'),
      `${invalid}json: cannot unmarshal bool into Go value of type storage.continueToken`,
    ],
    ['of a number', token('5'), `${invalid}json: cannot unmarshal number into Go value of type storage.continueToken`],
    ['of nothing', token('null'), `${invalid}server does not recognize this encoded version `],
    ['of another form', token({ ...valid, v: 'v2' }), `${invalid}server does not recognize this encoded version v2`],
    ['without a version', token({ ...valid, rv: undefined }), unread],
    ['of a version with a fraction', token({ ...valid, rv: 1.5 }), unread],
    ['without a start', token({ ...valid, start: undefined }), unread],
    ['of an empty start', token({ ...valid, start: '' }), `${invalid}encoded start key empty (version meta.k8s.io/v1)`],
    ['of a start that leads elsewhere', token({ ...valid, start: 'shop/../x' }), `${invalid}shop/../x`],
    ['of a start with an empty part', token({ ...valid, start: 'shop//x' }), `${invalid}shop//x`],
  ])('%s is refused', async (_, continueToken, expected) => {
    const { page } = setting();
    expect(await outcome(() => page({ continueToken }))).toEqual([400, expected]);
  });

  it.each<readonly [string, object, string]>([
    ['after a name', valid, 'cd'],
    ['with the end of a key', { ...valid, start: 'shop/b\u0000' }, 'cd'],
    ['at the beginning of all', { ...valid, start: '/' }, 'abcd'],
  ])('goes on %s', async (_, value, expected) => {
    const { page } = setting();
    expect(names(await page({ continueToken: token(value) }))).toBe(expected);
  });
});

it.each<readonly [Partial<ListOptions>, number, boolean]>([
  [{}, 5, false],
  [{ resourceVersion: 0, resourceVersionMatch: 'Exact' }, 5, false],
  [{ resourceVersion: 3, resourceVersionMatch: 'Exact' }, 0, true],
  [{ resourceVersion: 3 }, 5, true],
  [{ resourceVersion: 3 }, 0, false],
  [{ resourceVersion: 3, resourceVersionMatch: 'NotOlderThan' }, 5, false],
])('%j with the limit %s is about a past state: %s', (options, limit, expected) => {
  expect(isExact({ ...none, ...options }, limit)).toBe(expected);
});

import { createVirtualClock } from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import { CredentialsError, changingToken, noCredentials, staticToken, tokenFile } from './credentials.ts';

const signal = new AbortController().signal;

/** A token file whose content the test changes; undefined: it cannot be read. */
function file(content: string | undefined) {
  const clock = createVirtualClock({ startMs: 0 });
  const state = { content, reads: 0 };
  const readFile = async (path: string) => {
    state.reads++;
    if (state.content === undefined)
      throw new Error(`cannot read ${path}`, { cause: Object.assign(new Error(), { code: 'ENOENT' }) });
    return { text: state.content };
  };
  return { clock, state, credentials: tokenFile({ path: '/token', readFile, clock }) };
}

it('adds nothing without credentials', async () => {
  expect(await noCredentials().authorization(signal)).toBeUndefined();
  expect(await noCredentials().refused(undefined, signal)).toBe(false);
});

describe('a static token', () => {
  it('is always the same', async () => {
    const credentials = staticToken(' abc.d-e_f= \n');
    expect(await credentials.authorization(signal)).toBe('Bearer abc.d-e_f=');
    expect(await credentials.refused('Bearer abc.d-e_f=', signal)).toBe(false);
  });

  it.each([
    ['', 'the token is empty'],
    [' \n', 'the token is empty'],
    ['a b', 'characters that are not valid in a token'],
    ['a\r\nx-evil: 1', 'characters that are not valid in a token'],
    ['ü', 'characters that are not valid in a token'],
  ])('cannot be %j, and the error does not repeat it', (token, message) => {
    expect(() => staticToken(token)).toThrow(CredentialsError);
    expect(() => staticToken(token)).toThrow(message);
    if (token.trim() !== '') expect(() => staticToken(token)).not.toThrow(token);
  });
});

describe('a token file', () => {
  it('is read once for many requests, and again after ten seconds', async () => {
    const { credentials, state, clock } = file('one\n');
    expect(await Promise.all([credentials.authorization(signal), credentials.authorization(signal)])).toEqual([
      'Bearer one',
      'Bearer one',
    ]);
    await clock.advance(9_999);
    state.content = 'two';
    expect(await credentials.authorization(signal)).toBe('Bearer one');
    expect(state.reads).toBe(1);
    await clock.advance(1);
    expect(await credentials.authorization(signal)).toBe('Bearer two');
    expect(state.reads).toBe(2);
  });

  it('is read at once after a 401, but only once for the same token', async () => {
    const { credentials, state } = file('one');
    const first = await credentials.authorization(signal);
    expect(await credentials.refused(first, signal)).toBe(false);
    expect(await credentials.refused(first, signal)).toBe(false);
    expect(state.reads).toBe(2);

    state.content = 'two';
    expect(await credentials.refused('Bearer one', signal)).toBe(false);
    expect(state.reads).toBe(2);
  });

  it('has another token to try where the file changed before the 401', async () => {
    const { credentials, state } = file('one');
    const first = await credentials.authorization(signal);
    state.content = 'two';
    expect(await Promise.all([credentials.refused(first, signal), credentials.refused(first, signal)])).toEqual([
      true,
      true,
    ]);
    expect(await credentials.authorization(signal)).toBe('Bearer two');
    expect(await credentials.refused(first, signal)).toBe(true);
    expect(state.reads).toBe(2);
  });

  it('keeps its last token where it cannot be read any more, or holds none', async () => {
    const { credentials, state, clock } = file('one');
    await credentials.authorization(signal);
    for (const broken of [undefined, '', 'a b']) {
      state.content = broken;
      await clock.advance(10_000);
      expect(await credentials.authorization(signal)).toBe('Bearer one');
    }
    expect(state.reads).toBe(4);
    state.content = 'two';
    await clock.advance(10_000);
    expect(await credentials.authorization(signal)).toBe('Bearer two');
  });

  it.each([
    [undefined, 'cannot read /token; check that the token is mounted there'],
    ['', 'the token file /token is empty'],
    ['a\u0000b', 'the token file /token contains characters that are not valid in a token'],
  ])('with the content %j from the start is an error, and is tried again', async (content, message) => {
    const { credentials, state } = file(content);
    await expect(credentials.authorization(signal)).rejects.toThrow(CredentialsError);
    await expect(credentials.authorization(signal)).rejects.toThrow(message);
    expect(state.reads).toBe(2);
    state.content = 'good';
    expect(await credentials.authorization(signal)).toBe('Bearer good');
  });
});

describe('a token that changes', () => {
  it('is read for each request, and is tried again only if it has changed since', async () => {
    let token = 'first';
    const credentials = changingToken(() => token);
    const used = await credentials.authorization(signal);
    expect(used).toBe('Bearer first');
    expect(await credentials.refused(used, signal)).toBe(false);
    token = 'second';
    expect(await credentials.refused(used, signal)).toBe(true);
    expect(await credentials.authorization(signal)).toBe('Bearer second');
  });

  it('fails in the request if it is not valid in a header', async () => {
    await expect(changingToken(() => 'two\nlines').authorization(signal)).rejects.toThrow(CredentialsError);
  });
});

import type { ApiResponse } from '@isthmus/kube';
import { createVirtualClock } from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import { inVirtualTime } from '../../testing/in-virtual-time.ts';
import { madeUpIo } from '../../testing/made-up-io.ts';
import { fetchText } from './fetch-text.ts';
import { web } from '../testing/web.ts';

async function* endless(): AsyncIterable<Uint8Array> {
  for (;;) yield new Uint8Array(1024);
}

const answer = (status: number, more: Partial<ApiResponse> = {}): ApiResponse => ({
  status,
  headers: {},
  body: (async function* (): AsyncIterable<Uint8Array> {})(),
  ...more,
});

describe('fetching a text', () => {
  it('gives the text, in UTF-8 over the borders of its chunks, with the query asked for', async () => {
    const io = madeUpIo({ network: web({ 'https://a.example:8443/x/y?z=1': 'größer €' }) });
    expect(await fetchText(io, 'https://a.example:8443/x/y?z=1')).toBe('größer €');
  });

  it('follows redirects, relative ones too', async () => {
    const pages = {
      'http://a.example/x': answer(302, { headers: { location: 'https://b.example/y/z' } }),
      'https://b.example/y/z': answer(301, { headers: { location: '../w' } }),
      'https://b.example/w': 'there',
    };
    expect(await fetchText(madeUpIo({ network: web(pages) }), 'http://a.example/x')).toBe('there');
  });

  it.each<readonly [string, string | ApiResponse, string]>([
    ['another status', answer(404), 'the server answers with 404; check the URL'],
    ['a status that asks for credentials', answer(401), 'the server answers with 401; isthmus sends no credentials: '],
    ['a broken server', answer(503), 'the server answers with 503; try again later'],
    ['a redirect to nowhere', answer(302), 'the server answers with 302'],
    ['a redirect round and round', answer(302, { headers: { location: '/x' } }), 'more than 5 redirects'],
    [
      'a redirect out of TLS',
      answer(302, { headers: { location: 'http://b.example/' } }),
      'it redirects to http://b.example, which does not use TLS',
    ],
    [
      'a redirect to a file',
      answer(302, { headers: { location: 'file:///etc/passwd' } }),
      '"file:///etc/passwd" is not an http or https URL',
    ],
    ['a body without end', answer(200, { body: endless() }), 'larger than 4096 bytes'],
  ])('refuses %s', async (_what, page, message) => {
    const io = madeUpIo({ network: web({ 'https://a.example/x': page }) });
    await expect(fetchText(io, 'https://a.example/x', { maxBytes: 4096, timeoutMs: 1000 })).rejects.toThrow(
      `cannot fetch https://a.example/x: ${message}`,
    );
  });

  it.each(['https://user:secret@a.example/x', 'https://se:cret@@a.example/x'])(
    'sends no password, and does not print it',
    async (url) => {
      const fetching = fetchText(madeUpIo({ network: web({}) }), url);
      await expect(fetching).rejects.toThrow(
        'cannot fetch https://…@a.example/x: URLs with a user name or password are not supported',
      );
    },
  );

  it('rejects what is not UTF-8', async () => {
    const body = (async function* () {
      yield new Uint8Array([0xff, 0xfe]);
    })();
    const io = madeUpIo({ network: web({ 'https://a.example/x': answer(200, { body }) }) });
    await expect(fetchText(io, 'https://a.example/x')).rejects.toThrow('cannot fetch https://a.example/x: ');
  });

  it('does not wait longer than its limit', async () => {
    const clock = createVirtualClock({ startMs: 0 });
    const io = madeUpIo({ clock, network: web({ 'https://a.example/x': 'never' }, { silent: true }) });
    const fetching = fetchText(io, 'https://a.example/x', { maxBytes: 10, timeoutMs: 5000 });
    await expect(inVirtualTime(clock, fetching)).rejects.toThrow('no answer within 5 s');
    expect(clock.now()).toBe(5000);
  });
});

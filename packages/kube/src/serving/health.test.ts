import { describe, expect, it } from 'vitest';
import { createHealthHandler } from './health.ts';

const bug = () => {
  throw new Error('bug');
};
const well = { name: 'caches', check: () => undefined };
const handler = createHealthHandler({
  live: [{ name: 'loop', check: () => undefined }],
  ready: [well, { name: 'leader', check: () => 'no session to the leader' }, { name: 'odd', check: bug }],
  metrics: { contentType: 'text/plain; version=0.0.4', render: async () => 'x 1\n' },
});
const get = (url: string, method = 'GET') => handler({ method, url });

describe('health', () => {
  it.each([
    ['/healthz', 200, 'ok'],
    ['/healthz?verbose', 200, '[+]loop ok\nhealthz check passed\n'],
    [
      '/readyz',
      500,
      '[+]caches ok\n[-]leader failed: no session to the leader\n[-]odd failed: bug\nreadyz check failed\n',
    ],
    ['/metrics', 200, 'x 1\n'],
    ['/metrics?x=1', 200, 'x 1\n'],
    ['/', 404, 'not found\n'],
    ['/healthz/../metrics', 404, 'not found\n'],
    ['', 404, 'not found\n'],
  ])('answers %s with %d', async (url, status, body) => {
    expect(await get(url)).toMatchObject({ status, body });
  });

  it('is ready when all checks are well, and answers only ok', async () => {
    const ready = createHealthHandler({ ready: [well] });
    expect(await ready({ method: 'GET', url: '/readyz' })).toMatchObject({ status: 200, body: 'ok' });
    expect(await ready({ method: 'GET', url: '/metrics' })).toMatchObject({ status: 404 });
  });

  it('shows a note on what is well with verbose, and none that cannot be made', async () => {
    const notes = [() => 'connected since noon', () => undefined, bug];
    const noted = createHealthHandler({ ready: notes.map((note) => ({ ...well, note })) });
    expect(await noted({ method: 'GET', url: '/readyz' })).toMatchObject({ status: 200, body: 'ok' });
    expect(await noted({ method: 'GET', url: '/readyz?verbose' })).toMatchObject({
      status: 200,
      body: '[+]caches ok: connected since noon\n[+]caches ok\n[+]caches ok\nreadyz check passed\n',
    });
  });

  it('takes GET and HEAD only', async () => {
    expect(await get('/healthz', 'HEAD')).toMatchObject({ status: 200 });
    expect(await get('/healthz', 'POST')).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
  });

  it('answers 500 when the metrics can not be rendered', async () => {
    const broken = createHealthHandler({
      ready: [],
      metrics: { contentType: 'text/plain', render: () => Promise.reject(new Error('bug')) },
    });
    expect(await broken({ method: 'GET', url: '/metrics' })).toMatchObject({
      status: 500,
      body: '/metrics failed: bug\n',
    });
  });
});

import { request } from 'node:https';
import { expect, it } from 'vitest';
import { systemClock } from '../world/node-world.ts';
import { memoryLog } from '../log/log.ts';
import { startSecureServer } from './metrics-server.ts';

it('serves over HTTPS, with the headers of each request, and not over HTTP', async () => {
  const log = memoryLog();
  await using server = await startSecureServer(
    { host: '127.0.0.1', port: 0 },
    async ({ url, headers }) => ({ status: 200, headers: {}, body: `${url} for ${headers['authorization']}` }),
    { clock: systemClock(), log },
  );
  const { port } = server.address;
  const { status, text } = await get(port, { authorization: 'Bearer t' });
  expect([status, text]).toEqual([200, '/metrics for Bearer t']);
  await expect(fetch(`http://127.0.0.1:${port}/metrics`)).rejects.toThrow('fetch failed');
  expect(log.entries.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([]);
});

function get(port: number, headers: Record<string, string>): Promise<{ status: number | undefined; text: string }> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path: '/metrics', headers, rejectUnauthorized: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode, text }));
    })
      .on('error', reject)
      .end();
  });
}

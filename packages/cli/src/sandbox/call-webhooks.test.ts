import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { httpsTransport, systemClock } from '@isthmus/kube';
import type { Authority } from '@isthmus/sandbox';
import { createAuthority } from '@isthmus/sandbox';
import { createVirtualClock } from '@isthmus/fleet-sim';
import { beforeAll, describe, expect, it } from 'vitest';
import { madeUpIo } from '../testing/made-up-io.ts';
import { callWebhooks } from './call-webhooks.ts';

const { network } = madeUpIo({ network: { dial: httpsTransport } });
const call = callWebhooks({ network, clock: systemClock() });

let authority: Authority;
beforeAll(async () => {
  authority = await createAuthority('webhooks');
});
const base64 = (text: string) => Buffer.from(text).toString('base64');

/** A webhook on loopback. */
async function listen(answer: RequestListener) {
  const { certData: cert, keyData: key } = await authority.issueServing('webhook', ['127.0.0.1']);
  const server = createServer({ cert, key }, answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://127.0.0.1:${port}/check`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe('a webhook that a sandbox calls', () => {
  it('gets the review as JSON, at its path and with its query, and its answer comes back whatever its code', async () => {
    await using hook = await listen((request, response) => {
      let text = '';
      request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      request.on('end', () => {
        response.writeHead(418).end(`${request.method} ${request.url} ${request.headers['content-type']} ${text}`);
      });
    });
    expect(await call({ url: `${hook.url}?a=1`, caBundle: base64(authority.caData) }, '{"ä":1}')).toEqual({
      status: 418,
      body: 'POST /check?a=1 application/json {"ä":1}',
    });
  });

  it('is refused where another authority has signed its certificate', async () => {
    await using hook = await listen((_, response) => void response.end('{}'));
    const { caData } = await createAuthority('others');
    await expect(call({ url: hook.url, caBundle: base64(caData) }, '{}')).rejects.toThrow('certificate');
    await expect(call({ url: hook.url, caBundle: base64('no PEM') }, '{}')).rejects.toThrow(
      'contains no PEM certificate',
    );
  });

  it('is reported as unreachable where nobody listens, and where it is a Service', async () => {
    const hook = await listen(() => {});
    await hook[Symbol.asyncDispose]();
    await expect(call({ url: hook.url }, '{}')).rejects.toThrow(
      /^dial tcp 127\.0\.0\.1:\d+: connect: connection refused$/,
    );
    await expect(call({ url: 'https://hook.shop.svc:443/x' }, '{}')).rejects.toThrow('have no running backends');
  });

  it('is given up after 30 s', async () => {
    await using hook = await listen(() => {});
    const clock = createVirtualClock({ startMs: 0 });
    const late = callWebhooks({ network, clock })({ url: hook.url, caBundle: base64(authority.caData) }, '{}');
    const refused = expect(late).rejects.toThrow('no answer within 30000 ms');
    await clock.advance(30_000);
    await refused;
  });

  it('is given up where its answer has no end', async () => {
    await using hook = await listen((_, response) => {
      const chunk = Buffer.alloc(1024 * 1024);
      const more = () => {
        while (!response.destroyed && response.write(chunk));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    });
    const answer = call({ url: hook.url, caBundle: base64(authority.caData) }, '{}');
    await expect(answer).rejects.toThrow('the answer has more than 16777216 bytes');
  });
});

import { createServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { IncomingMessage, Server } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { createAuthority } from '@isthmus/sandbox';
import type { KeyPair } from '@isthmus/sandbox';
import { describe, expect, it } from 'vitest';
import { noCredentials } from './credentials.ts';
import type { Credentials } from './credentials.ts';
import { httpsTransport } from './https-transport.ts';
import { parseProxyUrl } from './proxy-tunnel.ts';

const { signal } = new AbortController();
const serving = ({ certData, keyData }: KeyPair) => ({ cert: certData, key: keyData });

async function listening(server: Server) {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => void open.add(socket));
  server.on('secureConnection', (socket: Socket) => void open.add(socket));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

/** A proxy that leads every name to loopback, and what it was asked for. */
function proxied(server: Server, answer = '200 OK') {
  const asked: (string | undefined)[][] = [];
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    asked.push([request.url, request.headers['proxy-authorization']]);
    socket.on('error', () => {});
    if (!answer.startsWith('200')) return void socket.end(`HTTP/1.1 ${answer}\r\n\r\n`);
    const onward = connect(Number(request.url?.split(':').at(-1)), '127.0.0.1', () => {
      socket.write(`HTTP/1.1 ${answer}\r\n\r\n`);
      onward.pipe(socket).pipe(onward);
    });
    onward.on('error', () => socket.destroy());
  });
  return { server, asked };
}

async function textOf(transport: ReturnType<typeof httpsTransport>, path = '/version') {
  let text = '';
  const { body } = await transport.send({ method: 'GET', path }, signal);
  for await (const chunk of body) text += Buffer.from(chunk).toString('utf8');
  return text;
}

describe('a transport with a proxy', () => {
  it.each(['http', 'https'])(
    'reaches a server over TLS through an %s proxy, with one tunnel for several requests',
    async (scheme) => {
      const authority = await createAuthority('north');
      const server = createHttpsServer(
        serving(await authority.issueServing('north', ['north.internal'])),
        (request, response) => response.end(`${request.headers.host} ${request.url}`),
      );
      await using target = await listening(server);
      const proxy = proxied(
        scheme === 'http'
          ? createServer()
          : createHttpsServer(serving(await authority.issueServing('proxy', ['127.0.0.1']))),
      );
      await using at = await listening(proxy.server);
      const transport = httpsTransport({
        server: `https://north.internal:${target.port}`,
        caPem: authority.caData,
        credentials: noCredentials(),
        userAgent: 'isthmus',
        proxyUrl: `${scheme}://me:p%40ss@127.0.0.1:${at.port}`,
      });
      try {
        expect(await textOf(transport)).toBe(`north.internal:${target.port} /version`);
        expect(await textOf(transport, '/readyz')).toBe(`north.internal:${target.port} /readyz`);
        expect(proxy.asked).toEqual([[`north.internal:${target.port}`, `Basic ${btoa('me:p@ss')}`]]);
      } finally {
        transport.close();
      }
    },
  );

  it.each([
    ['403 Forbidden', 'it answered 403 to CONNECT 127.0.0.1:1'],
    [
      '407 Proxy Authentication Required',
      'it answered 407 to CONNECT 127.0.0.1:1; put user and password into proxy-url',
    ],
  ])('reports the %s of the proxy', async (answer, message) => {
    await using at = await listening(proxied(createServer(), answer).server);
    const proxyUrl = `http://me:secret@127.0.0.1:${at.port}`;
    const transport = httpsTransport({
      server: 'http://127.0.0.1:1',
      credentials: noCredentials(),
      userAgent: 'i',
      proxyUrl,
    });
    await expect(textOf(transport)).rejects.toThrow(
      `http://127.0.0.1:1: proxy http://127.0.0.1:${at.port}: ${message}`,
    );
    transport.close();
  });

  it('reports a proxy that is not there, and one that is a web server', async () => {
    const failing = (port: number) =>
      expect(
        textOf(
          httpsTransport({
            server: 'https://127.0.0.1:2',
            credentials: noCredentials(),
            userAgent: 'i',
            proxyUrl: `http://127.0.0.1:${port}`,
          }),
        ),
      ).rejects;
    await failing(1).toThrow('https://127.0.0.1:2: proxy http://127.0.0.1:1: connect ECONNREFUSED');
    await using at = await listening(createServer((_request, response) => response.end('hello')));
    await failing(at.port).toThrow(`proxy http://127.0.0.1:${at.port}: socket hang up`);
  });
});

it.each([
  ['proxy:3128', 'proxy-url is not a URL; it must look like http://proxy.example.com:3128'],
  ['socks4://proxy:1080', 'proxy-url has the scheme socks4; only http, https and socks5 are supported'],
  [
    `socks5://${'u'.repeat(256)}:p@proxy:1080`,
    'proxy-url has a user or password of more than 255 bytes, which SOCKS 5 does not allow',
  ],
  ['//proxy', 'proxy-url is not a URL; it must look like http://proxy.example.com:3128'],
])('the proxy %s is an error', (text, message) => {
  expect(() => parseProxyUrl(text)).toThrow(new Error(message));
});

it('a client certificate that changes is used for new connections', async () => {
  const authority = await createAuthority('north');
  const server = createHttpsServer(
    { ...serving(await authority.issueServing('north', ['127.0.0.1'])), ca: authority.caData, requestCert: true },
    (request, response) =>
      response.end(
        (request.socket as unknown as { getPeerCertificate(): { subject: { CN: string } } }).getPeerCertificate()
          .subject.CN,
      ),
  );
  await using target = await listening(server);
  let user = 'anna';
  const pairs = new Map(
    await Promise.all(
      ['anna', 'berta'].map(async (name) => [name, await authority.issueClient({ user: name, groups: [] })] as const),
    ),
  );
  const credentials: Credentials = {
    ...noCredentials(),
    async clientCertificate() {
      const pair = pairs.get(user);
      return pair === undefined ? undefined : { certPem: pair.certData, keyPem: pair.keyData };
    },
  };
  const transport = httpsTransport({
    server: `https://127.0.0.1:${target.port}`,
    caPem: authority.caData,
    credentials,
    userAgent: 'i',
  });
  expect(await textOf(transport)).toBe('anna');
  user = 'berta';
  expect(await textOf(transport)).toBe('berta');
  transport.close();
});

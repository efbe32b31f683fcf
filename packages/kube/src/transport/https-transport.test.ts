import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createRawServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { inspect } from 'node:util';
import { setTimeout as delay } from 'node:timers/promises';
import type { KubernetesObject, ResourceType } from '@isthmus/machinery';
import { createAuthority } from '@isthmus/sandbox';
import { createVirtualClock } from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import { createClient } from '../client/create-client.ts';
import type { ClientOptions } from '../client/create-client.ts';
import { systemClock } from '../world/node-world.ts';
import { CredentialsError, noCredentials, staticToken } from './credentials.ts';
import type { Credentials } from './credentials.ts';
import { httpsTransport } from './https-transport.ts';
import type { HttpsTransportOptions } from './https-transport.ts';
import type { Transport } from './transport.ts';

// Real sockets on the loopback. What is waited for happens when it happens; what is to time out
// does so in virtual time.

interface TestServer extends AsyncDisposable {
  readonly url: string;
  /** Connections accepted so far, and those that are open. */
  readonly accepted: number;
  readonly open: ReadonlySet<Socket>;
}

async function listening(server: Server): Promise<TestServer> {
  const open = new Set<Socket>();
  let accepted = 0;
  server.on('connection', (socket: Socket) => {
    accepted++;
    open.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => open.delete(socket));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get accepted() {
      return accepted;
    },
    open,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

const serve = (handler: (request: IncomingMessage, response: ServerResponse) => void) =>
  listening(createServer(handler));
const serveRaw = (handler: (socket: Socket) => void) => listening(createRawServer(handler));

function transportTo(server: string, options: Partial<HttpsTransportOptions> = {}) {
  const transport = httpsTransport({ server, credentials: noCredentials(), userAgent: 'isthmus/test', ...options });
  return Object.assign(transport, { [Symbol.dispose]: () => transport.close() });
}

function clientTo(server: string, options: Partial<ClientOptions & HttpsTransportOptions> = {}) {
  const transport = transportTo(server, options);
  const client = createClient({ transport, clock: systemClock(), server, timeoutMs: hangMs, ...options });
  return Object.assign(client, { [Symbol.dispose]: () => client.close() });
}

async function errorOf(promise: Promise<unknown>): Promise<Error> {
  try {
    await promise;
  } catch (error) {
    return error as Error;
  }
  throw new Error('the promise did not reject');
}

/** Only what hangs takes so long. */
const hangMs = 300_000;

async function until(condition: () => boolean): Promise<void> {
  for (let waited = 0; waited < hangMs && !condition(); waited += 5) await delay(5);
  expect(condition()).toBe(true);
}

/**
 * A clock of the client that does not advance by itself: nothing times out before the test advances
 * it.
 */
const stillClock = () => createVirtualClock({ startMs: 0 });

const pods: ResourceType = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true };
const ref = { namespace: 'shop', name: 'web' };
const web: KubernetesObject = { apiVersion: 'v1', kind: 'Pod', metadata: ref };
const answerWeb = (_request: IncomingMessage, response: ServerResponse) => void response.end(JSON.stringify(web));
const neverAborts = () => new AbortController().signal;

describe('a request', () => {
  it('carries the path behind the base path, the query, the headers, the body and the credentials', async () => {
    const seen: object[] = [];
    await using server = await serve((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        const { host: _host, connection: _connection, ...headers } = request.headers;
        seen.push({ method: request.method, url: request.url, headers, body });
        response.setHeader('x-b', ['1', '2']).writeHead(201).end('{}');
      });
    });
    using transport = transportTo(`${server.url}/k8s/clusters/c-1/`, { credentials: staticToken('abc') });
    const response = await transport.send(
      {
        method: 'POST',
        path: '/api/v1/x',
        query: { a: 'b&c=d', e: 'ü f' },
        headers: { accept: 'application/json' },
        body: '"ü"',
      },
      neverAborts(),
    );
    expect([response.status, response.headers['x-b']]).toEqual([201, '1, 2']);
    expect(seen).toEqual([
      {
        method: 'POST',
        url: '/k8s/clusters/c-1/api/v1/x?a=b%26c%3Dd&e=%C3%BC+f',
        headers: {
          accept: 'application/json',
          authorization: 'Bearer abc',
          'content-length': '4',
          'user-agent': 'isthmus/test',
        },
        body: '"ü"',
      },
    ]);
  });

  it('reuses the connection of the one before', async () => {
    await using server = await serve(answerWeb);
    using client = clientTo(server.url);
    for (let i = 0; i < 50; i++) expect(await client.get(pods, ref)).toEqual(web);
    expect(server.accepted).toBe(1);
  });

  it('reuses the connection after a refusal as well', async () => {
    await using server = await serve((_request, response) => void response.writeHead(404).end('404 page not found'));
    using client = clientTo(server.url);
    for (let i = 0; i < 10; i++) expect(await errorOf(client.get(pods, ref))).toMatchObject({ code: 404 });
    expect(server.accepted).toBe(1);
  });

  it('waits for a connection of a bounded pool, whatever the burst, and is not held up by watches', async () => {
    await using server = await serve((request, response) => {
      if (request.url?.includes('watch=true') === true) response.write('\n');
      else answerWeb(request, response);
    });
    using client = clientTo(server.url);
    const stop = new AbortController();
    const watches = Array.from({ length: 100 }, async () => {
      const options = { resourceVersion: '1', timeoutSeconds: 60, idleMs: hangMs, signal: stop.signal };
      for await (const event of client.watch(pods, options)) expect(event).toBeUndefined();
    });
    await until(() => server.accepted === 100);
    await Promise.all(Array.from({ length: 300 }, () => client.get(pods, ref)));
    expect(server.accepted - 100).toBeLessThanOrEqual(64);
    stop.abort(new Error('enough'));
    expect((await Promise.allSettled(watches)).every((watch) => watch.status === 'rejected')).toBe(true);
    await until(() => server.open.size <= 64);
  });

  it('is sent once more where it is a read and the kept connection was already closed', async () => {
    let requests = 0;
    const okay = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}';
    await using server = await serveRaw((socket) => {
      let answered = false;
      socket.on('data', () => {
        requests++;
        if (answered) return void socket.destroy();
        answered = true;
        socket.write(okay);
      });
    });
    using client = clientTo(server.url);
    const request = { method: 'GET', path: '/version' } as const;
    await client.request(request);
    await client.request(request);
    expect([requests, server.accepted]).toEqual([3, 2]);
    expect(await errorOf(client.request({ ...request, method: 'POST', body: '{}' }))).toMatchObject({ kind: 'reset' });
    expect(requests).toBe(4);
  });

  it('does not follow a redirect', async () => {
    await using elsewhere = await serve(answerWeb);
    await using server = await serve(
      (_request, response) => void response.writeHead(302, { location: elsewhere.url }).end(),
    );
    using client = clientTo(server.url, { credentials: staticToken('abc') });
    expect(await errorOf(client.get(pods, ref))).toMatchObject({ kind: 'protocol' });
    expect(elsewhere.accepted).toBe(0);
  });
});

describe('a watch', () => {
  it('brings events as they come and closes its connection when it is left', async () => {
    let stream: ServerResponse | undefined;
    await using server = await serve((_request, response) => {
      stream = response;
      response.flushHeaders();
    });
    using client = clientTo(server.url);
    const events = client.watch(pods, { resourceVersion: '1', timeoutSeconds: 60, idleMs: hangMs });
    const watch = events[Symbol.asyncIterator]();
    const first = watch.next();
    await until(() => stream !== undefined);
    stream?.write(`{"type":"ADDED","object":${JSON.stringify(web)}}\n`);
    expect(await first).toEqual({ done: false, value: { type: 'ADDED', object: web } });
    await watch.return?.();
    await until(() => server.open.size === 0);
  });

  it('takes the connection of the list before it, and leaves none to the requests that come meanwhile', async () => {
    await using server = await serve((request, response) => {
      if (request.url?.includes('watch=true') === true) response.write('\n');
      else answerWeb(request, response);
    });
    using client = clientTo(server.url);
    await client.get(pods, ref);
    const stop = new AbortController();
    const watching = (async () => {
      const options = { resourceVersion: '1', timeoutSeconds: 60, idleMs: hangMs, signal: stop.signal };
      for await (const event of client.watch(pods, options)) expect(event).toBeUndefined();
    })().catch(() => {});
    await client.get(pods, ref);
    expect(server.accepted).toBe(2);
    stop.abort(new Error('enough'));
    await watching;
  });

  it('ends by its own idle time-out and not by that of kept connections', async () => {
    let isWatched = false;
    await using server = await serve((request, response) => {
      if (request.url?.includes('watch=true') !== true) return answerWeb(request, response);
      isWatched = true;
      response.flushHeaders();
    });
    const clock = stillClock();
    using client = clientTo(server.url, { idleConnectionMs: 20, clock });
    await client.get(pods, ref);
    const events = client.watch(pods, { resourceVersion: '1', timeoutSeconds: 60, idleMs: 120 });
    let end: Error | undefined;
    const ended = errorOf(events[Symbol.asyncIterator]().next()).then((error) => (end = error));
    await until(() => isWatched);
    // The sockets keep time with the machine's clock.
    await delay(60);
    expect(server.open.size).toBe(1);
    await clock.advance(119);
    expect(end).toBeUndefined();
    await clock.advance(1);
    expect(await ended).toMatchObject({ kind: 'timeout' });
    await until(() => server.open.size === 0);
  });
});

describe('a server that', () => {
  it.each<[string, number, (request: IncomingMessage, response: ServerResponse) => void]>([
    ['sends no headers', 0, () => {}],
    ['sends headers and no body', 1, (_request, response) => response.flushHeaders()],
    ['stops within the body', 1, (_request, response) => void response.write('{"kind":')],
    ['stops within a refusal', 1, (_request, response) => void response.writeHead(500).write('{')],
  ])('%s is given up, and its connection closed', async (_title, headers, handler) => {
    let asked = 0;
    await using server = await serve((request, response) => {
      asked++;
      handler(request, response);
    });
    const clock = stillClock();
    using inner = transportTo(server.url);
    let answered = 0;
    const transport: Transport = {
      ...inner,
      async send(request, signal) {
        const response = await inner.send(request, signal);
        answered++;
        return response;
      },
    };
    const error = errorOf(createClient({ transport, clock, timeoutMs: 40 }).get(pods, ref));
    await until(() => asked === 1 && answered === headers);
    await clock.advance(40);
    expect(await error).toMatchObject({ kind: 'timeout' });
    await until(() => server.open.size === 0);
  });

  it('accepts connections and never answers is given up', async () => {
    await using server = await serveRaw((socket) => void socket.resume());
    const clock = stillClock();
    using client = clientTo(server.url, { timeoutMs: 40, clock });
    const pending = errorOf(client.get(pods, ref));
    await until(() => server.accepted === 1);
    await clock.advance(40);
    const error = await pending;
    expect(error.message).toBe(`get pods shop/web: no answer from ${server.url} within 40 ms`);
    await until(() => server.open.size === 0);
  });

  it.each([
    ['resets before the headers', '', 'reset'],
    ['resets within the headers', 'HTTP/1.1 200 OK\r\nContent-', 'reset'],
    ['resets within the body', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"kind"', 'reset'],
    ['resets within a chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n40\r\n{"kind"', 'reset'],
    ['speaks something else', 'SSH-2.0-OpenSSH_9.6\r\n', 'protocol'],
    ['sends a broken chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n', 'protocol'],
    ['sends headers without end', `HTTP/1.1 200 OK\r\n${'X-A: b\r\n'.repeat(10_000)}`, 'protocol'],
  ])('%s is an error of its kind', async (_title, text, kind) => {
    await using server = await serveRaw((socket) => {
      socket.once('data', () => socket.write(text, () => socket.destroySoon()));
    });
    using client = clientTo(server.url);
    const error = await errorOf(client.get(pods, ref));
    expect(error).toMatchObject({ name: 'ConnectionError', kind });
    expect(error.message).toContain(`get pods shop/web: ${server.url}: `);
    expect(inspect(error, { depth: 10 })).not.toContain('rawPacket');
  });

  it('sends without end is cut off', async () => {
    await using server = await serve((_request, response) => {
      const more = () => {
        while (response.write('x'.repeat(65_536)));
      };
      response.on('drain', more);
      more();
    });
    using client = clientTo(server.url, { limits: { objectBytes: 1_000_000 } });
    expect((await errorOf(client.get(pods, ref))).message).toContain('the answer is larger than 1000000 bytes');
    await until(() => server.open.size === 0);
  });

  it('is not there is an error with its address', async () => {
    const { url } = await serveRaw(() => {}).then(async (server) => {
      await server[Symbol.asyncDispose]();
      return server;
    });
    using client = clientTo(url);
    const error = await errorOf(client.get(pods, ref));
    expect(error).toMatchObject({ kind: 'refused' });
    expect(error.message).toContain(`${url}: connect ECONNREFUSED`);
  });

  it('breaks off before anybody reads the body ends nothing but the body', async () => {
    let stream: ServerResponse | undefined;
    await using server = await serve((_request, response) => {
      stream = response;
      response.flushHeaders();
    });
    using transport = transportTo(server.url);
    const response = await transport.send({ method: 'GET', path: '/' }, neverAborts());
    stream?.destroy();
    await until(() => server.open.size === 0);
    await delay(10);
    const error = await errorOf(response.body[Symbol.asyncIterator]().next());
    expect(error.message).toContain(`${server.url}: the connection broke off before the answer ended`);
  });
});

describe('a caller who', () => {
  it('aborts before sending sends nothing', async () => {
    await using server = await serve(answerWeb);
    using transport = transportTo(server.url);
    const reason = new Error('stop');
    expect(await errorOf(transport.send({ method: 'GET', path: '/' }, AbortSignal.abort(reason)))).toBe(reason);
    expect(server.accepted).toBe(0);
  });

  it('aborts while the headers or the body are awaited gets the own reason, and the connection is closed', async () => {
    for (const handler of [
      () => {},
      (_request: IncomingMessage, response: ServerResponse) => void response.write('a'),
    ]) {
      await using server = await serve(handler);
      using transport = transportTo(server.url);
      const caller = new AbortController();
      const reading = (async () => {
        const response = await transport.send({ method: 'GET', path: '/' }, caller.signal);
        for await (const chunk of response.body) expect(chunk.byteLength).toBe(1);
      })();
      await until(() => server.accepted === 1);
      await delay(10);
      const reason = new Error('stop');
      caller.abort(reason);
      expect(await errorOf(reading)).toBe(reason);
      await until(() => server.open.size === 0);
    }
  });

  it('aborts after the end disturbs nobody else on the connection', async () => {
    await using server = await serve(answerWeb);
    using transport = transportTo(server.url);
    for (let i = 0; i < 20; i++) {
      const caller = new AbortController();
      const response = await transport.send({ method: 'GET', path: '/' }, caller.signal);
      for await (const chunk of response.body) expect(chunk.byteLength).toBeGreaterThan(0);
      caller.abort(new Error('late'));
    }
    expect(server.accepted).toBe(1);
  });

  it('closes the transport ends what is under way, and can send nothing more', async () => {
    await using server = await serve(() => {});
    using client = clientTo(server.url);
    const pending = errorOf(client.get(pods, ref));
    await until(() => server.accepted === 1);
    client.close();
    expect(await pending).toMatchObject({ kind: 'reset' });
    expect(await errorOf(client.get(pods, ref))).toMatchObject({ kind: 'closed' });
    expect(server.accepted).toBe(1);
  });
});

describe('credentials', () => {
  const rotating = (tokens: readonly string[]): Credentials & { asked: number } => {
    const self = {
      asked: 0,
      authorization: async () => `Bearer ${tokens[0]}`,
      async refused() {
        self.asked++;
        tokens = tokens.length > 1 ? tokens.slice(1) : tokens;
        return tokens.length > 0 && self.asked === 1;
      },
    };
    return self;
  };
  const only = (token: string) => (request: IncomingMessage, response: ServerResponse) =>
    request.headers.authorization === `Bearer ${token}`
      ? answerWeb(request, response)
      : void response.writeHead(401).end('no');

  it('that were replaced meanwhile are tried once more after a 401, for writes too', async () => {
    await using server = await serve(only('new'));
    const credentials = rotating(['old', 'new']);
    using client = clientTo(server.url, { credentials });
    expect(await client.create(pods, web)).toEqual(web);
    expect(credentials.asked).toBe(1);
  });

  it('that stay wrong are a 401, after one more try at most', async () => {
    let requests = 0;
    await using server = await serve((request, response) => {
      requests++;
      only('right')(request, response);
    });
    using client = clientTo(server.url, { credentials: rotating(['wrong', 'wrong too']) });
    expect(await errorOf(client.get(pods, ref))).toMatchObject({ code: 401 });
    expect(requests).toBe(2);
  });

  it('that cannot be had are an error with the reason, and nothing is sent', async () => {
    await using server = await serve(answerWeb);
    const missing = {
      ...noCredentials(),
      authorization: () => Promise.reject(new CredentialsError('cannot read /token')),
    };
    using client = clientTo(server.url, { credentials: missing });
    const error = await errorOf(client.get(pods, ref));
    expect(error).toMatchObject({ kind: 'credentials' });
    expect(error.message).toBe(`get pods shop/web: no credentials for ${server.url}: cannot read /token`);
    expect(server.accepted).toBe(0);
  });

  it('that no header can carry are an error each time, and take no room from the requests after them', async () => {
    await using server = await serve(only('good'));
    let token = 'not a\nheader';
    const credentials = { ...noCredentials(), authorization: async () => `Bearer ${token}` };
    using client = clientTo(server.url, { credentials, timeoutMs: 5_000 });
    for (let i = 0; i < 65; i++) expect((await errorOf(client.get(pods, ref))).message).toContain('authorization');
    token = 'good';
    expect(await client.get(pods, ref)).toEqual(web);
  });

  it('are in no error', async () => {
    await using server = await serve((request, response) => {
      if (request.url?.endsWith('refuse') === true) response.writeHead(403).end('forbidden');
      else if (request.url?.endsWith('reset') === true) request.socket.destroy();
      else response.end('no json');
    });
    using client = clientTo(server.url, { credentials: staticToken('s3cr3t-token') });
    for (const name of ['refuse', 'reset', 'garbage']) {
      const error = await errorOf(client.get(pods, { namespace: 'shop', name }));
      expect(inspect(error, { depth: 20, showHidden: true })).not.toContain('s3cr3t');
    }
  });
});

describe('TLS', () => {
  it.each([
    ['garbage', 'the certificate authority contains no PEM certificate'],
    [
      '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
      'the certificate authority contains a certificate that cannot be read',
    ],
  ])('is refused at once with the certificate authority %j', (caPem, message) => {
    expect(() => transportTo('https://127.0.0.1:1', { caPem })).toThrow(message);
  });

  it('is refused at once with an invalid client certificate', () => {
    const clientCertificate = { certPem: 'x', keyPem: 'y' };
    expect(() => transportTo('https://127.0.0.1:1', { clientCertificate })).toThrow(
      'the client certificate and its key are not valid PEM',
    );
  });

  it('is refused at once with a client certificate whose key is empty or of another type', async () => {
    const { certData, keyData } = await (await createAuthority('test')).issueClient({ user: 'me', groups: [] });
    const { privateKey } = generateKeyPairSync('ed25519');
    const otherKey = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const connect = (keyPem: string) => () =>
      transportTo('https://127.0.0.1:1', { clientCertificate: { certPem: certData, keyPem } }).close();
    expect(connect(keyData)).not.toThrow();
    for (const keyPem of ['', otherKey]) expect(connect(keyPem)).toThrow('or do not belong together');
  });
});

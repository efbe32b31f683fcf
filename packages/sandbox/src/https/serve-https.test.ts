import { request as httpsRequest } from 'node:https';
import type { RequestOptions } from 'node:https';
import { connect } from 'node:tls';
import { gunzipSync } from 'node:zlib';
import { httpsTransport, noCredentials, systemClock } from '@isthmus/kube';
import { checksAllPoints } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createSandbox } from '../sandbox.ts';
import type { Sandbox } from '../sandbox.ts';
import type { KeyPair } from './authority.ts';
import { createAuthority } from './authority.ts';
import { serveHttps } from './serve-https.ts';
import type { HttpsSandbox } from './serve-https.ts';

let sandbox: Sandbox;
let server: HttpsSandbox;
let admin: KeyPair;

beforeAll(async () => {
  const tokens = { 'good-token': { username: 'robot', groups: ['system:masters'] } };
  sandbox = createSandbox({ name: 'socket', clock: systemClock(), tokens });
  server = await serveHttps(sandbox);
  admin = await server.authority.issueClient({ user: 'jane', groups: ['system:masters', 'ops'] });
  await create('/api/v1/namespaces', { metadata: { name: 'sockets' } });
});

afterAll(() => server?.[Symbol.asyncDispose]());

interface Got {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** One request over a connection of its own. */
function ask(path: string, options: RequestOptions & { readonly body?: string | Buffer } = {}): Promise<Got> {
  const { body, ...more } = options;
  return new Promise((resolve, reject) => {
    const sending = httpsRequest(
      server.url + path,
      { agent: false, ca: server.caData, cert: admin.certData, key: admin.keyData, ...more },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks) }),
        );
        answer.on('error', reject);
      },
    );
    sending.on('error', reject);
    sending.end(body);
  });
}

const anonymously = { cert: undefined, key: undefined } as unknown as RequestOptions;
const review = (options: RequestOptions) =>
  ask('/apis/authentication.k8s.io/v1/selfsubjectreviews', {
    method: 'POST',
    ...options,
    headers: { 'content-type': 'application/json', ...(options.headers as object) },
    body: '{}',
  });

/**
 * Sends bytes unchanged. Returns the received text until the server closed the connection or the
 * time was over.
 */
function raw(
  text: string,
  { closes, anonymous = false }: { readonly closes: boolean; readonly anonymous?: boolean },
): Promise<string> {
  const { port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      port: Number(port),
      ca: server.caData,
      ...(anonymous ? {} : { cert: admin.certData, key: admin.keyData }),
    };
    const socket = connect(options, () => socket.write(text));
    let got = '';
    socket.on('data', (chunk) => {
      got += chunk.toString('latin1');
      if (!closes && got.endsWith('ok')) socket.destroy();
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(got));
  });
}

const create = (path: string, object: object) =>
  ask(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(object) });

const configMaps = '/api/v1/namespaces/sockets/configmaps';

describe('who asks', () => {
  it('is the subject of the client certificate: CN the user, each O a group', async () => {
    expect(JSON.parse((await review({})).body.toString())).toMatchObject({
      status: {
        userInfo: {
          username: 'jane',
          groups: ['system:masters', 'ops', 'system:authenticated'],
          extra: { 'authentication.kubernetes.io/credential-id': [expect.stringMatching(/^X509SHA256=[0-9a-f]{64}$/)] },
        },
      },
    });
  });

  it('is the holder of the token where there is no certificate', async () => {
    const { body } = await review({ ...anonymously, headers: { authorization: 'bearer good-token' } });
    expect(JSON.parse(body.toString())).toMatchObject({ status: { userInfo: { username: 'robot' } } });
  });

  it('is the subject of the certificate where there is a wrong token too', async () => {
    expect((await ask(configMaps, { headers: { authorization: 'Bearer wrong' } })).status).toBe(200);
  });

  it('is anonymous without credentials, and with those of a scheme that nobody knows', async () => {
    for (const headers of [{}, { authorization: 'Basic YTpi' }, { authorization: 'Bearer ' }]) {
      const { status, body, headers: got } = await ask(configMaps, { ...anonymously, headers });
      expect([status, got['x-content-type-options']]).toEqual([403, 'nosniff']);
      expect(body.toString()).toContain('User \\"system:anonymous\\" cannot list');
    }
  });

  it('is nobody with a wrong token, or with a certificate of another authority', async () => {
    expect((await ask(configMaps, { ...anonymously, headers: { authorization: 'Bearer wrong' } })).status).toBe(401);
    const otherClient = await (
      await createAuthority('other-client')
    ).issueClient({ user: 'jane', groups: ['system:masters'] });
    expect((await ask(configMaps, { cert: otherClient.certData, key: otherClient.keyData })).status).toBe(401);
  });
});

describe('an answer', () => {
  it('has the headers of a real server, and a line end', async () => {
    const { status, headers, body } = await ask(configMaps);
    expect([status, headers['cache-control'], headers['content-type']]).toEqual([
      200,
      'no-cache, private',
      'application/json',
    ]);
    expect(headers['audit-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(headers['date']).toMatch(/GMT$/);
    expect(body.toString().slice(-2)).toBe('}\n');
  });

  it('carries the audit id that the client chose', async () => {
    expect((await ask('/livez', { headers: { 'audit-id': 'mine' } })).headers['audit-id']).toBe('mine');
  });

  it('has warnings in UTF-8, whatever script a field is named in', async () => {
    const path = `${configMaps}?fieldValidation=Warn`;
    const { status, headers } = await create(path, { metadata: { name: 'warned' }, データ: 'ä' });
    expect(status).toBe(201);
    expect(Buffer.from(String(headers['warning']), 'latin1').toString('utf8')).toBe(
      String.raw`299 - "unknown field \"データ\""`,
    );
  });

  it('is compressed from 128 KiB on, for who accepts gzip', async () => {
    for (const name of ['large-a', 'large-b', 'large-c']) {
      await create(configMaps, { metadata: { name }, data: { k: 'x'.repeat(60_000) } });
    }
    const accept = (encoding: string, path = configMaps) => ask(path, { headers: { 'accept-encoding': encoding } });
    const packed = await accept('deflate, gzip');
    expect([packed.headers['content-encoding'], packed.headers['vary']]).toEqual(['gzip', 'Accept-Encoding']);
    expect(JSON.parse(gunzipSync(packed.body).toString()).items).toHaveLength(
      JSON.parse((await accept('br')).body.toString()).items.length,
    );
    expect((await accept('gzip;q=0')).headers['content-encoding']).toBeUndefined();
    expect((await accept('gzip', `${configMaps}/large-a`)).headers['content-encoding']).toBeUndefined();
  });

  it('to HEAD is a refusal without a body', async () => {
    const { status, body } = await ask(configMaps, { method: 'HEAD' });
    expect([status, body.length]).toEqual([405, 0]);
  });
});

describe('a body', () => {
  it('of more than 3 MiB is refused, on a connection that lives on when little is left to read', async () => {
    const text = `{"metadata":{"name":"x"},"data":{"k":"${'x'.repeat(3 * 1024 * 1024)}"}}`;
    const large = await raw(
      `POST ${configMaps} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}` +
        'GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      { closes: true },
    );
    expect(large).toMatch(/^HTTP\/1.1 413 [^]*limit is 3145728[^]*HTTP\/1.1 200 OK\r\n/);
    const huge = await raw(
      `POST ${configMaps} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99999999\r\n\r\n${'x'.repeat(4 * 1024 * 1024)}`,
      { closes: true },
    );
    expect(huge).toMatch(/^HTTP\/1.1 413 [^]*Connection: close[^]*limit is 3145728/);
  });

  it('is not waited for where its sender is not known or may not do this', async () => {
    const head = (credential: string) =>
      `POST /api/v1/namespaces HTTP/1.1\r\nHost: x\r\nContent-Length: 3000000\r\n${credential}\r\n`;
    const begun = ' '.repeat(300_000);
    const asNobody = { closes: true, anonymous: true };
    const [wrong, none] = await Promise.all([
      raw(head('Authorization: Bearer wrong\r\n') + begun, asNobody),
      raw(head('') + begun, asNobody),
    ]);
    expect([wrong.slice(0, 12), none.slice(0, 12)]).toEqual(['HTTP/1.1 401', 'HTTP/1.1 403']);
  });

  it('may come in chunks', async () => {
    const body = '{"metadata":{"name":"chunked"}}';
    const options = {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'transfer-encoding': 'chunked' },
      body,
    };
    expect((await ask(configMaps, options)).status).toBe(201);
  });

  it('whose client leaves before its end changes nothing', async () => {
    const { port } = new URL(server.url);
    await new Promise<void>((resolve) => {
      const options = {
        host: '127.0.0.1',
        port: Number(port),
        ca: server.caData,
        cert: admin.certData,
        key: admin.keyData,
      };
      const body = '{"metadata":{"name":"half"}}';
      const socket = connect(options, () => {
        socket.write(
          `POST ${configMaps} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 999\r\n\r\n${body}`,
        );
        socket.end();
      });
      socket.on('error', () => {});
      socket.on('close', () => resolve());
      socket.resume();
    });
    expect((await ask(`${configMaps}/half`)).status).toBe(404);
  });
});

describe('bytes that are not a request', () => {
  it.each([
    ['hello there\r\n\r\n', /^HTTP\/1.1 400 Bad Request\r\n[^]*Connection: close[^]*\r\n\r\n400 Bad Request$/],
    ['GET /livez HTTP/1.1\r\n\r\n', /^HTTP\/1.1 400 Bad Request: missing required Host header\r\n/],
    ['GET /api/v1/namespaces/%zz HTTP/1.1\r\nHost: x\r\n\r\n', /^HTTP\/1.1 400 Bad Request\r\n[^]*400 Bad Request$/],
    ['POST /api/v1/namespaces HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n', /^HTTP\/1.1 400 Bad Request\r\n/],
    [
      `GET /livez HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(1_100_000)}\r\n\r\n`,
      /^HTTP\/1.1 431 [^]*431 Request Header Fields Too Large$/,
    ],
    [
      'BREW /api/v1/namespaces HTTP/1.1\r\nHost: x\r\n\r\n',
      /^HTTP\/1.1 405 Method Not Allowed\r\n[^]*"reason":"MethodNotAllowed"/,
    ],
  ])('%.40s', async (text, expected) => {
    expect(await raw(text, { closes: true })).toMatch(expected);
  });

  it.each([
    ['Content-Length: 0\r\nTransfer-Encoding: chunked', '0\r\n\r\n'],
    ['Transfer-Encoding: chunked\r\nContent-Length: 4', '0\r\n\r\n'],
    ['Content-Length: 0\r\nContent-Length: 5', ''],
    ['Content-Length: 0, 5', ''],
    ['Content-Length: +0', ''],
    ['Transfer-Encoding: xchunked', '0\r\n\r\n'],
    ['Transfer-Encoding: chunked, identity', '0\r\n\r\n'],
    ['Transfer-Encoding : chunked', '0\r\n\r\n'],
    ['Transfer-Encoding:\r\n chunked', '0\r\n\r\n'],
    ['X: y\nTransfer-Encoding: chunked', '0\r\n\r\n'],
    ['Transfer-Encoding: chunked', '0;a=\nb\r\n\r\n'],
    ['Transfer-Encoding: chunked', '0x0\r\n\r\n'],
    ['Impersonate-User: bob\rX: y', ''],
    ['Impersonate-User: bob\0', ''],
  ])('%j, where a second request could hide, are one bad request', async (headers, body) => {
    const hidden = 'GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    const answers = await raw(`POST ${configMaps} HTTP/1.1\r\nHost: x\r\n${headers}\r\n\r\n${body}${hidden}`, {
      closes: true,
    });
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 400']);
    expect(answers).not.toMatch(/ok$/);
  });

  it('do not keep others from being answered', async () => {
    const waiting = connect({ port: Number(new URL(server.url).port), host: '127.0.0.1', ca: server.caData });
    waiting.on('error', () => {});
    waiting.write('GET /livez HTTP/1.1\r\nHost');
    expect((await ask('/livez')).status).toBe(200);
    waiting.destroy();
  });
});

describe('a connection', () => {
  it('answers one request after the other, also when they came together', async () => {
    const livez = 'GET /livez HTTP/1.1\r\nHost: x\r\n\r\n';
    const got = await raw(livez + livez.replace('Host: x', 'Host: x\r\nConnection: close'), { closes: true });
    expect(got.match(/HTTP\/1.1 200 OK/g)).toHaveLength(2);
  });

  it('answers OPTIONS * by itself, and headers of 500 KB as any', async () => {
    expect(await raw('OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', { closes: true })).toMatch(
      /^HTTP\/1.1 200 OK\r\n/,
    );
    expect((await ask('/livez', { headers: { 'x-a': 'a'.repeat(500_000) } })).status).toBe(200);
  });
});

describe('connections and bodies beyond the limits', () => {
  async function crowded(limits: { readonly connections: number; readonly bodyBytes: number }) {
    const servingHere = await serveHttps(sandbox, { limits, authority: server.authority });
    const port = Number(new URL(servingHere.url).port);
    const sockets: { destroy(): void }[] = [];
    /**
     * Opens a connection and sends only this text. The returned function reports whether the server
     * has closed the connection.
     */
    const hold = async (text: string): Promise<() => boolean> => {
      const socket = connect({ port, host: '127.0.0.1', ca: server.caData, cert: admin.certData, key: admin.keyData });
      sockets.push(socket);
      let isClosed = false;
      socket.on('error', () => {}).on('close', () => (isClosed = true));
      await new Promise((resolve) => socket.once('secureConnect', resolve).once('close', resolve));
      if (text !== '') await new Promise((resolve) => socket.write(text, resolve));
      return () => isClosed;
    };
    return {
      hold,
      ask: (path: string) => ask(path, { port }),
      async [Symbol.asyncDispose]() {
        for (const socket of sockets) socket.destroy();
        await servingHere[Symbol.asyncDispose]();
      },
    };
  }

  it('drop those that wait longest, not a watch, and not who comes with a request', async () => {
    await using place = await crowded({ connections: 10, bodyBytes: 1_000_000 });
    const watch = await place.hold(`GET ${configMaps}?watch=1 HTTP/1.1\r\nHost: x\r\n\r\n`);
    expect((await place.ask('/livez')).status).toBe(200);
    const held: (() => boolean)[] = [];
    for (let count = 0; count < 30; count++) held.push(await place.hold(''));
    for (let count = 0; count < 5; count++) expect((await place.ask('/livez')).status).toBe(200);
    expect([watch(), held[0]?.()]).toEqual([false, true]);
  });

  it('drop those whose answers nobody reads', async () => {
    await create(configMaps, { metadata: { name: 'large' }, data: { k: 'x'.repeat(1_000_000) } });
    await using place = await crowded({ connections: 3, bodyBytes: 1_000_000 });
    // Fifteen large answers: more than kernels hold.
    const unread = `GET ${configMaps}/large HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(15);
    for (let count = 0; count < 3; count++) await place.hold(unread);
    for (let count = 0; count < 5; count++) expect((await place.ask('/livez')).status).toBe(200);
  });

  it('drop who sends requests without end and waits for no answer', async () => {
    await using place = await crowded({ connections: 10, bodyBytes: 1_000_000 });
    const isClosed = await place.hold('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1_000));
    await vi.waitUntil(() => isClosed(), { timeout: 60_000 });
    expect((await place.ask('/livez')).status).toBe(200);
  });

  it('drop the body that has been waited for longest where bodies are too many bytes', async () => {
    await using place = await crowded({ connections: 100, bodyBytes: 2_000_000 });
    const begun = `POST ${configMaps} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n`;
    const held: (() => boolean)[] = [];
    for (let count = 0; count < 6; count++) held.push(await place.hold(begun + 'x'.repeat(600_000)));
    await vi.waitUntil(() => held.filter((isClosed) => isClosed()).length >= 3, { timeout: 60_000 });
    expect(held[0]?.()).toBe(true);
    expect((await place.ask(configMaps)).status).toBe(200);
  });
});

describe('a watch', () => {
  const watchPath = (label: string) => `${configMaps}?watch=1&timeoutSeconds=60&labelSelector=${label}`;
  const put = (label: string, n: number) =>
    ask(`${configMaps}/${label}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/merge-patch+json' },
      body: JSON.stringify({ metadata: { labels: { [label]: '' } }, data: { k: String(n).padEnd(500_000, 'x') } }),
    });

  it('delivers each event when it happens, to our own client', async () => {
    const transport = httpsTransport({
      server: server.url,
      caPem: server.caData,
      clientCertificate: { certPem: admin.certData, keyPem: admin.keyData },
      credentials: noCredentials(),
      userAgent: 'test/1',
    });
    const stop = new AbortController();
    const query = { watch: 'true', labelSelector: 'told' };
    const { body } = await transport.send({ method: 'GET', path: configMaps, query }, stop.signal);
    const lines = body[Symbol.asyncIterator]();
    await create(configMaps, { metadata: { name: 'told', labels: { told: '' } } });
    const first = await lines.next();
    expect(JSON.parse(Buffer.from(first.value as Uint8Array).toString())).toMatchObject({ type: 'ADDED' });
    stop.abort(new Error('done'));
    transport.close();
  });

  it.runIf(checksAllPoints())('that nobody reads is ended, and holds no more than its bound', async () => {
    await create(configMaps, { metadata: { name: 'slow', labels: { slow: '' } } });
    const { port } = new URL(server.url);
    const options = {
      host: '127.0.0.1',
      port: Number(port),
      ca: server.caData,
      cert: admin.certData,
      key: admin.keyData,
    };
    const socket = connect(options, () => socket.write(`GET ${watchPath('slow')} HTTP/1.1\r\nHost: x\r\n\r\n`));
    socket.pause();
    await ask('/livez');
    for (let n = 0; n < 60; n++) expect((await put('slow', n)).status).toBe(200);
    let got = '';
    let bytes = 0;
    await new Promise<void>((resolve) => {
      socket.on('data', (chunk) => {
        bytes += chunk.length;
        got = (got + chunk.toString('latin1')).slice(-20);
        if (got.endsWith('\r\n0\r\n\r\n')) resolve();
      });
      socket.resume();
    });
    socket.destroy();
    expect(bytes).toBeGreaterThan(8_000_000);
    expect(bytes).toBeLessThan(25_000_000);
  });

  it('whose reader goes away costs nothing any more', async () => {
    await create(configMaps, { metadata: { name: 'left', labels: { left: '' } } });
    const { port } = new URL(server.url);
    const options = {
      host: '127.0.0.1',
      port: Number(port),
      ca: server.caData,
      cert: admin.certData,
      key: admin.keyData,
    };
    await new Promise<void>((resolve) => {
      const socket = connect(options, () => socket.write(`GET ${watchPath('left')} HTTP/1.1\r\nHost: x\r\n\r\n`));
      // A half-closed connection has no reader: the server closes the other half.
      socket.once('data', () => socket.end());
      socket.on('close', () => resolve());
    });
    expect((await put('left', 1)).status).toBe(200);
  });
});

it('a port that is taken is named', async () => {
  const port = Number(new URL(server.url).port);
  await expect(serveHttps(sandbox, { port })).rejects.toThrow(
    `listening on 127.0.0.1:${port} for the sandbox: another process uses this port`,
  );
});

import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request } from 'node:https';
import type { RequestOptions } from 'node:https';
import { connect as connectTcp, Server } from 'node:net';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { connect } from 'node:tls';
import type { ConnectionOptions, TLSSocket } from 'node:tls';
import { createAuthority } from '@isthmus/sandbox';
import type { Authority } from '@isthmus/sandbox';
import type { Clock } from '@isthmus/machinery';
import { createVirtualClock } from '@isthmus/fleet-sim';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { LogEntry } from '../log/log.ts';
import { memoryLog } from '../log/log.ts';
import { webhookMetrics } from '../metrics/metrics.ts';
import { createMetricsRegistry } from '../metrics/registry.ts';
import { systemClock } from '../world/node-world.ts';
import type { CertificateSource, ServingCertificate } from './certificates.ts';
import type { HttpHandler, HttpRequest } from './http-handler.ts';
import { textResponse } from './http-handler.ts';
import type { HttpsServerLimits } from './https-server.ts';
import { startHttpsServer } from './https-server.ts';
import { pushedCertificates } from './testing/pushed-certificates.ts';

// Real sockets on the loopback and the real clock; nothing is asserted of how long anything takes.

let authority: Authority;
let [first, second]: ServingCertificate[] = [];

const dayMs = 24 * 3_600_000;

async function issue(): Promise<ServingCertificate> {
  const { certData, keyData } = await authority.issueServing('test', ['127.0.0.1']);
  return { certPem: certData, keyPem: keyData };
}

beforeAll(async () => {
  authority = await createAuthority('test');
  [first, second] = await Promise.all([issue(), issue()]);
});

/** Issued twenty days ago for ten. */
const expired = () => issuedIn(-20);
/** Issued in twenty days. */
const future = () => issuedIn(20);

async function issuedIn(days: number): Promise<ServingCertificate> {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + days * dayMs });
  try {
    const old = await createAuthority('old');
    const { certData, keyData } = await old.issueServing('test', ['127.0.0.1']);
    return { certPem: certData, keyPem: keyData };
  } finally {
    vi.useRealTimers();
  }
}

function keyOfAnotherType(): string {
  return generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
}

const echo: HttpHandler = {
  accept: () => ({ bodyLimit: 1_000 }),
  handle: async ({ method, url, body }) => textResponse(200, `${method} ${url} ${body}`),
};

interface Settings {
  readonly drainMs?: number;
  readonly limits?: Partial<HttpsServerLimits>;
  readonly clock?: Clock;
  readonly source?: (first: ServingCertificate) => CertificateSource;
}

async function serving(
  handler: Partial<HttpHandler> = {},
  { drainMs, limits, clock = systemClock(), source }: Settings = {},
) {
  const stop = new AbortController();
  const log = memoryLog();
  const registry = createMetricsRegistry();
  const certificates = pushedCertificates(first as ServingCertificate);
  const server = await startHttpsServer({
    name: 'test',
    bind: { host: '127.0.0.1', port: 0 },
    certificates: source?.(first as ServingCertificate) ?? certificates.source,
    handler: { ...echo, ...handler },
    signal: stop.signal,
    clock,
    log,
    metrics: registry.declare(webhookMetrics),
    drainMs,
    limits,
  });
  const { port } = server.address;
  const where = { host: '127.0.0.1', port, ca: authority.caData };
  return {
    server,
    log,
    certificates,
    metrics: () => registry.render(),
    stop: () => stop.abort(new Error('stop')),
    send: (options: RequestOptions = {}, body?: string | Buffer) => send({ ...where, ...options }, body),
    dial: (options: ConnectionOptions = {}) => connect({ ...where, ...options }),
    async [Symbol.asyncDispose]() {
      stop.abort(new Error('stop'));
      await server.ended;
    },
  };
}

/** The status and text of the answer. */
async function send(options: RequestOptions, body?: string | Buffer): Promise<{ status?: number; text: string }> {
  const sending = request({ method: body === undefined ? 'GET' : 'POST', ...options });
  const answered = once(sending, 'response');
  sending.end(body);
  const [answer] = (await answered) as [AsyncIterable<Buffer> & { statusCode: number }];
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk);
  return { status: answer.statusCode, text: Buffer.concat(chunks).toString() };
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await delay(5);
}

/** Resolves when the socket is closed, an error before or not. */
function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => (socket.closed ? resolve() : socket.once('close', () => resolve())));
}

const serialOf = async (dial: () => ReturnType<typeof connect>): Promise<string> => {
  const socket = dial();
  await once(socket, 'secureConnect');
  const { serialNumber } = socket.getPeerCertificate();
  socket.destroy();
  return serialNumber;
};

describe('startHttpsServer', () => {
  it('gives the handler method, URL and body, and sends its answer', async () => {
    await using here = await serving();
    expect(await here.send({ path: '/a?b=c' }, 'body')).toEqual({ status: 200, text: 'POST /a?b=c body' });
  });

  it('serves a new certificate to new connections, while those that are open go on', async () => {
    await using here = await serving();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    await here.send({ agent, path: '/before' });
    const before = await serialOf(here.dial);
    here.certificates.push(second as ServingCertificate);
    await until(() => here.log.entries.filter(({ message }) => message === 'serving a certificate').length === 2);
    expect(await serialOf(here.dial)).not.toBe(before);
    const reused = request({ host: '127.0.0.1', port: here.server.address.port, ca: authority.caData, agent });
    reused.end();
    const [answer] = (await once(reused, 'response')) as [{ resume(): void }];
    expect(reused.reusedSocket).toBe(true);
    answer.resume();
    agent.destroy();
    expect(await here.metrics()).toMatch(
      /isthmus_serving_certificate_expiry_timestamp_seconds\{server="test"\} \d{10}\n/,
    );
  });

  it('keeps its certificate where the next one is broken or belongs to another key', async () => {
    await using here = await serving();
    const before = await serialOf(here.dial);
    const mixed = { certPem: second?.certPem ?? '', keyPem: first?.keyPem ?? '' };
    for (const bad of [mixed, { certPem: 'nonsense', keyPem: first?.keyPem ?? '' }]) here.certificates.push(bad);
    await until(() => here.log.entries.filter(({ level }) => level === 'warn').length === 2);
    expect(await serialOf(here.dial)).toBe(before);
    expect(JSON.stringify(here.log.entries)).not.toContain('PRIVATE');
  });

  it.each<[string, (present: ServingCertificate) => Promise<ServingCertificate>]>([
    ['has no key, as while a file is being written', async ({ certPem }) => ({ certPem, keyPem: '' })],
    ['has a key of another type', async ({ certPem }) => ({ certPem, keyPem: keyOfAnotherType() })],
    ['has expired, as one out of a backup', expired],
    ['is not valid yet', future],
  ])('keeps its certificate where the next one %s', async (_, next) => {
    await using here = await serving();
    const before = await serialOf(here.dial);
    here.certificates.push(await next(first as ServingCertificate));
    const isJudged = ({ level, message }: LogEntry) => level === 'warn' || message === 'serving a certificate';
    await until(() => here.log.entries.filter(isJudged).length === 2);
    expect(here.log.entries.findLast(isJudged)).toMatchObject({ level: 'warn' });
    expect(await serialOf(here.dial)).toBe(before);
  });

  it('takes a certificate that is not valid yet when it is', async () => {
    const clock = createVirtualClock({ startMs: Date.now() });
    await using here = await serving({}, { clock });
    const before = await serialOf(here.dial);
    const next = await issuedIn(3);
    here.certificates.push(next);
    await until(() => here.log.entries.some(({ level }) => level === 'warn'));
    await clock.advance(2 * dayMs);
    expect(await serialOf(here.dial)).toBe(before);
    await clock.advance(dayMs);
    const { serialNumber } = new X509Certificate(next.certPem);
    expect(await serialOf(() => here.dial({ rejectUnauthorized: false }))).toBe(serialNumber);
  });

  it.each<readonly [string, () => Promise<readonly ServingCertificate[]>]>([
    ['a first one that has expired', async () => [await expired()]],
    ['a first one that is not valid yet', async () => [await future()]],
    ['another one that has expired', async () => [await expired(), await expired()]],
    ['one that is not valid yet after one that has expired', async () => [await expired(), await future()]],
  ])('serves %s while it has no better one, and then a valid one', async (_, invalid) => {
    const all = [...(await invalid()), first as ServingCertificate];
    await using here = await serving({}, { source: () => pushedCertificates(...all).source });
    const valid = new X509Certificate(first?.certPem ?? '').serialNumber;
    const served = () =>
      here.log.entries.flatMap(({ message, fields }) =>
        message === 'serving a certificate' ? [fields?.['serialNumber']] : [],
      );
    await until(() => served().includes(valid));
    expect(served()).toEqual(all.map(({ certPem }) => new X509Certificate(certPem).serialNumber));
    expect(await serialOf(here.dial)).toBe(valid);
  });

  it('reports that it waits where its first certificate cannot be used', async () => {
    const mixed = { certPem: second?.certPem ?? '', keyPem: first?.keyPem ?? '' };
    const { source, push } = pushedCertificates(mixed);
    const starting = serving({}, { source: () => source });
    push(first as ServingCertificate);
    await using here = await starting;
    expect(here.log.entries.find(({ level }) => level === 'warn')).toMatchObject({
      message: 'cannot use the new serving certificate; waiting for another one',
      fields: { why: 'the certificate and the key do not belong together' },
    });
  });

  it('speaks TLS 1.2 and newer only', async () => {
    await using here = await serving();
    const speaks = async (version: 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3') => {
      const ciphers = 'DEFAULT:@SECLEVEL=0';
      const socket = here.dial({ minVersion: version, maxVersion: version, ciphers });
      const result = await once(socket, 'secureConnect').then(
        () => 'yes',
        () => 'no',
      );
      socket.destroy();
      return result;
    };
    expect([await speaks('TLSv1.1'), await speaks('TLSv1.2'), await speaks('TLSv1.3')]).toEqual(['no', 'yes', 'yes']);
  });

  it.each<[string, RequestOptions, string | Buffer, number]>([
    ['as long as allowed', {}, 'x'.repeat(1_000), 200],
    ['longer than allowed', {}, 'x'.repeat(1_001), 413],
    [
      'longer than allowed, without saying so before',
      { headers: { 'transfer-encoding': 'chunked' } },
      'x'.repeat(9_000),
      413,
    ],
    ['that is not UTF-8', {}, Buffer.from([0xff, 0xfe]), 400],
  ])('answers a body %s', async (_title, options, body, status) => {
    await using here = await serving();
    expect((await here.send(options, body)).status).toBe(status);
  });

  it('aborts the signal of a request whose client has gone', async () => {
    const gone = Promise.withResolvers<void>();
    await using here = await serving({
      handle: async (_request: HttpRequest, signal) => {
        signal.addEventListener('abort', () => gone.resolve());
        await gone.promise;
        return textResponse(200, '');
      },
    });
    const socket = here.dial();
    await once(socket, 'secureConnect');
    socket.write('GET / HTTP/1.1\r\nhost: test\r\n\r\n');
    await delay(20);
    socket.destroy();
    await gone.promise;
  });

  it('answers what runs when it ends, then closes', async () => {
    const [begun, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const here = await serving({
      async handle() {
        begun.resolve();
        await go.promise;
        return textResponse(200, 'late');
      },
    });
    const pending = here.send();
    await begun.promise;
    here.stop();
    await expect(send({ host: '127.0.0.1', port: here.server.address.port, ca: authority.caData })).rejects.toThrow();
    go.resolve();
    expect((await pending).text).toBe('late');
    await here.server.ended;
  });

  it('cuts off what is not answered in time when it ends', async () => {
    const begun = Promise.withResolvers<void>();
    let reason: unknown;
    const here = await serving(
      {
        handle: (_request, signal) => {
          begun.resolve();
          signal.addEventListener('abort', () => (reason = signal.reason));
          return new Promise(() => {});
        },
      },
      { drainMs: 30 },
    );
    const pending = here.send();
    pending.catch(() => {});
    await begun.promise;
    here.stop();
    await here.server.ended;
    await expect(pending).rejects.toThrow();
    expect(reason).toEqual(new Error('stop'));
  });

  it('waits for a certificate, and rejects when it is ended before there is one, or the address is taken', async () => {
    const stop = new AbortController();
    const none = pushedCertificates();
    const options = { name: 'test', handler: echo, clock: systemClock(), log: memoryLog(), signal: stop.signal };
    const waiting = startHttpsServer({ ...options, certificates: none.source });
    stop.abort(new Error('stop'));
    await expect(waiting).rejects.toThrow('stop');
    await using here = await serving();
    const taken = new AbortController();
    const certificates = pushedCertificates(first as ServingCertificate).source;
    const bind = here.server.address;
    await expect(startHttpsServer({ ...options, bind, certificates, signal: taken.signal })).rejects.toThrow(
      `listening on 127.0.0.1:${bind.port} for test: another process uses this port`,
    );
    taken.abort();
  });

  it('lets a new client in where others hold all connections, and drops the one that waited longest', async () => {
    await using here = await serving({}, { limits: { connections: 3 } });
    const silent = connectTcp(here.server.address.port, '127.0.0.1').on('error', () => {});
    await once(silent, 'connect');
    const ask = async (socket: TLSSocket) => {
      socket.write('GET / HTTP/1.1\r\nhost: test\r\n\r\n');
      await once(socket, 'data');
    };
    const clients: TLSSocket[] = [];
    for (let count = 0; count < 4; count++) {
      const socket = here.dial().on('error', () => {});
      clients.push(socket);
      await once(socket, 'secureConnect');
      await ask(socket);
    }
    const [first, ...others] = clients as [TLSSocket, ...TLSSocket[]];
    await Promise.all([closed(silent), closed(first)]);
    for (const socket of others) await ask(socket);
    for (const socket of others) socket.destroy();
  });

  it('has room again when a client has gone whose request still runs', async () => {
    const [begun, gone] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await using here = await serving(
      {
        handle: ({ url }, signal) => {
          if (url !== '/long') return Promise.resolve(textResponse(200, ''));
          signal.addEventListener('abort', () => gone.resolve());
          begun.resolve();
          return new Promise(() => {});
        },
      },
      { limits: { connections: 1 } },
    );
    const socket = here.dial().on('error', () => {});
    await once(socket, 'secureConnect');
    socket.write('GET /long HTTP/1.1\r\nhost: test\r\n\r\n');
    await begun.promise;
    socket.destroy();
    await gone.promise;
    expect((await here.send()).status).toBe(200);
  });

  it.each([
    [200, 'keep-alive'],
    [404, 'close'],
    [500, 'close'],
  ])('after an answer of %i the connection is to %s', async (status, connection) => {
    await using here = await serving({ handle: async () => textResponse(status, '') });
    const socket = here.dial();
    await once(socket, 'secureConnect');
    socket.write('GET / HTTP/1.1\r\nhost: test\r\n\r\n');
    const [head] = (await once(socket, 'data')) as [Buffer];
    expect(head.toString().toLowerCase()).toContain(`connection: ${connection}\r\n`);
    socket.destroy();
  });

  it('cuts off a client that does not read its answer', async () => {
    const gone = Promise.withResolvers<unknown>();
    await using here = await serving(
      {
        handle: async (_request, signal) => {
          signal.addEventListener('abort', () => gone.resolve(signal.reason));
          return textResponse(200, 'x'.repeat(32 * 1024 * 1024));
        },
      },
      { limits: { answerMs: 20 } },
    );
    const socket = here.dial().on('error', () => {});
    await once(socket, 'secureConnect');
    socket.pause();
    socket.write('GET / HTTP/1.1\r\nhost: test\r\n\r\n');
    expect(await gone.promise).toEqual(new Error('the client has disconnected'));
    socket.destroy();
  });

  it('drops a client that sends requests without waiting for the answers', async () => {
    let asked = 0;
    await using here = await serving({
      handle: async () => (asked++, textResponse(200, 'ok')),
    });
    const socket = here.dial().on('error', () => {});
    await once(socket, 'secureConnect');
    socket.write('GET / HTTP/1.1\r\nhost: test\r\n\r\n'.repeat(300));
    await new Promise((resolve) => socket.once('close', resolve).resume());
    expect(asked).toBeLessThan(10);
  });

  it('answers what the handler rejects by its head without waiting for the body', async () => {
    await using here = await serving({ accept: () => ({ refusal: textResponse(404, 'not here') }) });
    const socket = here.dial();
    await once(socket, 'secureConnect');
    socket.write('POST /other HTTP/1.1\r\nhost: test\r\ncontent-length: 100000\r\n\r\n');
    const [head] = (await once(socket, 'data')) as [Buffer];
    expect(head.toString()).toMatch(/^HTTP\/1\.1 404 /);
    socket.destroy();
  });

  it('drops a body that is not finished where another needs the room, and answers 503 where there is none', async () => {
    const [begun, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await using here = await serving(
      {
        handle: async ({ body }) => {
          begun.resolve();
          await go.promise;
          return textResponse(200, String(body.length));
        },
      },
      { limits: { bodyBytes: 900 } },
    );
    const slow = here.dial().on('error', () => {});
    const dropped = closed(slow);
    await once(slow, 'secureConnect');
    slow.write(`POST / HTTP/1.1\r\nhost: test\r\ncontent-length: 900\r\n\r\n${'x'.repeat(800)}`);
    const running = here.send({}, 'x'.repeat(600));
    await Promise.all([begun.promise, dropped]);
    expect((await here.send({}, 'x'.repeat(600))).status).toBe(503);
    go.resolve();
    expect((await running).text).toBe('600');
    expect((await here.send({}, 'x'.repeat(900))).status).toBe(200);
  });

  it('cuts off a connection that has not begun its handshake', async () => {
    const here = await serving({}, { drainMs: 20 });
    const socket = connectTcp(here.server.address.port, '127.0.0.1');
    const cutOff = closed(socket);
    await once(socket, 'connect');
    // Connections are accepted in their order: after this one is answered the other is in.
    await here.send();
    here.stop();
    await Promise.all([here.server.ended, cutOff]);
  });

  it.each<[string, (first: ServingCertificate) => CertificateSource, string]>([
    [
      'ends',
      (only) =>
        async function* () {
          yield only;
        },
      'the certificates of test have expired',
    ],
    [
      'fails',
      (only) =>
        async function* () {
          yield only;
          throw new Error('the disk is gone');
        },
      'the disk is gone',
    ],
  ])('logs that the source of certificates %s right after the first, and serves that', async (_title, source, why) => {
    await using here = await serving({}, { source });
    expect((await here.send()).status).toBe(200);
    expect(here.log.entries.filter(({ level }) => level === 'error')).toMatchObject([
      { message: 'cannot watch the serving certificate; keeping the current one', error: new Error(why) },
    ]);
  });

  it('logs that a connection cannot be accepted, and goes on', async () => {
    const listen = vi.spyOn(Server.prototype, 'listen');
    await using here = await serving();
    const [server] = listen.mock.contexts as [Server];
    listen.mockRestore();
    const error = Object.assign(new Error('accept EMFILE'), { code: 'EMFILE' });
    server.emit('error', error);
    expect(here.log.entries).toContainEqual(expect.objectContaining({ level: 'error', error }));
    expect((await here.send()).status).toBe(200);
  });
});

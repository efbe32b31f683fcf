import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { ClusterRole, ClusterRoleBinding, Pod } from '@isthmus/api';
import { openWebSocket, systemClock } from '@isthmus/kube';
import type { OpenWebSocket } from '@isthmus/kube';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ContainerStreams } from '../core/container-streams.ts';
import { createSandbox } from '../sandbox.ts';
import type { Sandbox } from '../sandbox.ts';
import type { KeyPair } from './authority.ts';
import type { HttpsSandbox } from './serve-https.ts';
import { serveHttps } from './serve-https.ts';
import { openSpdy } from './testing/open-spdy.ts';

let onKill = () => {};

/**
 * A container in which every program answers with its words, then with its input in capitals, and
 * ends with the length of that.
 */
const containers: ContainerStreams = {
  log: (_, run) =>
    run === 'previous'
      ? undefined
      : {
          lines: () => [
            { atMs: 0, text: 'one\n' },
            { atMs: 1_000, text: 'two\n' },
          ],
          follow(onLine, onEnd) {
            onLine({ atMs: 2_000, text: 'three\n' });
            onEnd();
            return () => {};
          },
        },
  async exec({ container }, { command, onStdout, onStderr }) {
    if (container === 'stopped') return undefined;
    const ended = Promise.withResolvers<number>();
    const encoder = new TextEncoder();
    let input = '';
    void onStdout(encoder.encode(command.join(' ')));
    return {
      write: (bytes) => void (input += new TextDecoder().decode(bytes)),
      endInput() {
        void onStderr(encoder.encode(input.toUpperCase()));
        ended.resolve(input.length);
      },
      kill() {
        onKill();
        ended.resolve(137);
      },
      exited: ended.promise,
    };
  },
};

describe('programs in the containers of a sandbox, over HTTPS', () => {
  let sandbox: Sandbox;
  let server: HttpsSandbox;
  let admin: KeyPair;

  beforeAll(async () => {
    sandbox = createSandbox({ name: 'test', clock: systemClock(), containers });
    const spec = {
      nodeName: 'n',
      containers: [
        { name: 'app', image: 'a' },
        { name: 'stopped', image: 'a' },
      ],
    };
    sandbox.admin.put(Pod, { apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'default', name: 'p' }, spec });
    server = await serveHttps(sandbox);
    admin = await server.authority.issueClient({ user: 'admin', groups: ['system:masters'] });
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  const open = async (
    query: string,
    { as = admin, protocol = 'v5.channel.k8s.io', pod = 'p', subresource = 'exec' } = {},
  ) => {
    const seen: (readonly [channel: number, text: string])[] = [];
    const answer = await openWebSocket({
      server: server.url,
      caPem: server.caData,
      clientCertificate: { certPem: as.certData, keyPem: as.keyData },
      userAgent: 'test',
      path: `/api/v1/namespaces/default/pods/${pod}/${subresource}?${query}`,
      protocol,
      onMessage: ([channel = 0, ...bytes]) => seen.push([channel, new TextDecoder().decode(Uint8Array.from(bytes))]),
    });
    return { answer, seen };
  };
  const message = (channel: number, text: string) => Uint8Array.of(channel, ...new TextEncoder().encode(text));
  const all = 'stdin=true&stdout=true&stderr=true';

  test('get their words and their input, and answer with both streams and the code', async () => {
    const { answer, seen } = await open(`container=app&command=echo&command=a%20b&${all}`);
    const socket = answer as OpenWebSocket;
    socket.send(message(0, 'inp'));
    socket.send(message(0, 'ut'));
    socket.send(Uint8Array.of(255, 0));
    await socket.closed;
    expect(seen.slice(0, 2)).toEqual([
      [1, 'echo a b'],
      [2, 'INPUT'],
    ]);
    expect(JSON.parse(seen[2]?.[1] ?? '')).toMatchObject({
      status: 'Failure',
      reason: 'NonZeroExitCode',
      details: { causes: [{ reason: 'ExitCode', message: '5' }] },
    });
  });

  test('end with a client whose message is too large', async () => {
    const killed = Promise.withResolvers<void>();
    onKill = () => killed.resolve();
    const { answer } = await open(`container=app&command=true&${all}`);
    const socket = answer as OpenWebSocket;
    socket.send(new Uint8Array(1024 * 1024 + 1));
    await Promise.all([killed.promise, socket.closed]);
  });

  test('are refused for a request that has no key of WebSocket', async () => {
    const { certData: cert, keyData: key } = admin;
    const headers = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-protocol': 'v5.channel.k8s.io' };
    const path = `/api/v1/namespaces/default/pods/p/exec?container=app&command=true&${all}`;
    const asking = request(`${server.url}${path}`, { ca: server.caData, cert, key, headers, agent: false });
    asking.end();
    const [answer] = (await once(asking, 'response')) as [IncomingMessage];
    answer.resume();
    expect(answer.statusCode).toBe(400);
  });

  test('have no input where none is asked for, and end well with 0', async () => {
    const { answer, seen } = await open('container=app&command=true&stdout=1&stderr=1', {
      protocol: 'v4.channel.k8s.io',
    });
    await (answer as OpenWebSocket).closed;
    expect(seen.at(-1)).toEqual([3, '{"metadata":{},"status":"Success"}']);
  });

  test('are reported where the container does not run', async () => {
    const { answer, seen } = await open(`container=stopped&command=true&${all}`);
    await (answer as OpenWebSocket).closed;
    expect(JSON.parse(seen.at(-1)?.[1] ?? '')).toMatchObject({ message: 'container not found ("stopped")' });
  });

  test.each([
    [`command=true&${all}`, 'p', 400, 'a container name must be specified for pod p, choose one of: [app stopped]'],
    [`container=none&command=true&${all}`, 'p', 400, 'container none is not valid for pod p'],
    ['container=app&command=true', 'p', 400, 'you must specify at least one of stdin, stdout, stderr'],
    [`container=app&${all}`, 'p', 400, 'you must specify at least one command for the container'],
    [`command=true&${all}`, 'q', 404, 'pods "q" not found'],
  ])('are refused with %s of Pod %s', async (query, pod, status, why) => {
    const { answer } = await open(query, { pod });
    expect(answer).toMatchObject({ status, body: expect.stringContaining(JSON.stringify(why).slice(1, -1)) as string });
  });

  test('are refused for a client that speaks another protocol', async () => {
    const { answer } = await open(`container=app&command=true&${all}`, { protocol: 'v1.channel.k8s.io' });
    expect(answer).toMatchObject({ status: 400, body: expect.stringContaining('v5.channel.k8s.io') as string });
    const spdy = openSpdy(server, admin, `container=app&command=true&${all}`, 'channel.k8s.io');
    await expect(spdy).rejects.toThrow('the client must offer one of v4.channel.k8s.io');
  });

  test('run for a client of SPDY, on a stream for each of input, outputs and status', async () => {
    const client = await openSpdy(server, admin, `container=app&command=echo&command=a&${all}`);
    await client.open('error', 'stdin', 'stdout', 'stderr');
    client.send('stdin', 'inp');
    client.ping(7);
    client.send('stdin', 'ut', true);
    expect(await client.ended).toMatchObject({
      streams: { stdout: 'echo a', stderr: 'INPUT', error: expect.stringContaining('exit status 5') as string },
      lasts: ['error', 'stderr', 'stdin', 'stdout'],
      replies: 4,
      pongs: [7],
    });
  });

  test('do not end for a client of SPDY that wants less, and end with one that goes', async () => {
    const brief = await openSpdy(server, admin, 'container=app&command=true&stdout=true&stderr=true&tty=true');
    await brief.open('error', 'stdout', 'stderr');
    expect((await brief.ended).streams).toEqual({ stdout: 'true', error: '{"metadata":{},"status":"Success"}' });
    const killed = Promise.withResolvers<void>();
    onKill = () => killed.resolve();
    const gone = await openSpdy(server, admin, `container=app&command=true&${all}`);
    await gone.open('error', 'stdin', 'stdout', 'stderr');
    await gone.until('stdout', 'true');
    gone.leave();
    await killed.promise;
    const broken = await openSpdy(server, admin, `container=app&command=true&${all}`);
    broken.garbage();
    expect((await broken.ended).streams).toEqual({});
  });

  test('are the only streams, as a client that wants to attach is answered', async () => {
    const { answer } = await open(`container=app&${all}`, { subresource: 'attach' });
    const why = 'pods/attach of p: this sandbox has only log and exec of Pods';
    expect(answer).toMatchObject({ status: 400, body: expect.stringContaining(why) as string });
  });

  test('need the right to create them, which a reader of Pods does not have', async () => {
    const reader = await server.authority.issueClient({ user: 'reader', groups: [] });
    const rules = [{ apiGroups: [''], resources: ['pods', 'pods/exec', 'pods/log'], verbs: ['get'] }];
    sandbox.admin.put(ClusterRole, { ...rbac, kind: 'ClusterRole', metadata: { name: 'reader' }, rules });
    sandbox.admin.put(ClusterRoleBinding, {
      ...rbac,
      kind: 'ClusterRoleBinding',
      metadata: { name: 'reader' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'reader' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'reader' }],
    });
    const { answer } = await open(`container=app&command=true&${all}`, { as: reader });
    expect(answer).toMatchObject({
      status: 403,
      body: expect.stringContaining('cannot create resource \\"pods/exec\\"') as string,
    });
  });

  test('leave logs, as text or as a stream that ends with the run', async () => {
    const log = async (query: Readonly<Record<string, string>>) => {
      const path = '/api/v1/namespaces/default/pods/p/log';
      const request = { method: 'GET', path, query: { container: 'app', ...query } } as const;
      const { status, body } = await sandbox.answer(request, {
        kind: 'user',
        user: { username: 'a', groups: ['system:masters'] },
      });
      let text = '';
      if (typeof body === 'string') text = body;
      else for await (const bytes of body) text += new TextDecoder().decode(bytes);
      return { status, text };
    };
    expect(await log({})).toEqual({ status: 200, text: 'one\ntwo\n' });
    expect(await log({ follow: 'true', tailLines: '1' })).toEqual({ status: 200, text: 'two\nthree\n' });
    expect(await log({ limitBytes: '5' })).toEqual({ status: 200, text: 'one\nt' });
    expect((await log({ previous: 'true' })).text).toContain('previous terminated container');
    expect((await log({ tailLines: 'all' })).status).toBe(400);
  });
});

const rbac = { apiVersion: 'rbac.authorization.k8s.io/v1' } as const;

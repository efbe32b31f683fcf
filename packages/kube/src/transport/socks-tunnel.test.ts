import { createServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { connect, createServer as createTcpServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { createAuthority } from '@isthmus/sandbox';
import { describe, expect, it } from 'vitest';
import { noCredentials } from './credentials.ts';
import { httpsTransport } from './https-transport.ts';

const { signal } = new AbortController();

async function listening(server: Server) {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => void open.add(socket));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

interface SocksServer {
  /** The method that it chooses: 0 without login, 2 with user and password, 255 none. */
  readonly method?: number;
  readonly reply?: number;
  readonly loginStatus?: number;
  /** The address that it reports: of each type. */
  readonly bound?: readonly number[];
  /** Its answers come byte by byte. */
  readonly slow?: boolean;
}

/**
 * A SOCKS 5 server that leads every name to loopback, and what it was asked: in bytes as RFC 1928
 * has them.
 */
function socksServer({
  method = 0,
  reply = 0,
  loginStatus = 0,
  bound = [1, 127, 0, 0, 1],
  slow = false,
}: SocksServer = {}) {
  const asked: string[] = [];
  const server = createTcpServer((socket) => {
    socket.on('error', () => {});
    const answer = (...bytes: readonly number[]) => {
      for (const part of slow ? bytes.map((one) => [one]) : [bytes]) socket.write(Buffer.from(part));
    };
    const stages = [
      (data: Buffer) => {
        asked.push(`methods ${[...data.subarray(2)].join(' ')}`);
        answer(5, method);
        if (method !== 2) stages.splice(0, 1);
      },
      (data: Buffer) => {
        const length = data[1] ?? 0;
        asked.push(`login ${data.subarray(2, 2 + length).toString()} ${data.subarray(3 + length).toString()}`);
        answer(1, loginStatus);
      },
      (data: Buffer) => {
        const port = data.readUInt16BE(data.length - 2);
        asked.push(
          `connect ${data[3]} ${data[3] === 3 ? data.subarray(5, -2).toString() : [...data.subarray(4, -2)].join('.')}`,
        );
        if (reply !== 0) return answer(5, reply, 0, 1, 0, 0, 0, 0, 0, 0);
        const onward = connect(port, '127.0.0.1', () => {
          answer(5, 0, 0, ...bound, 0, 80);
          onward.pipe(socket).pipe(onward);
        });
        onward.on('error', () => socket.destroy());
      },
    ];
    socket.on('data', (data: Buffer) => {
      const stage = stages.shift();
      stage?.(data);
      if (stages.length === 0) socket.removeAllListeners('data');
    });
  });
  return { server, asked };
}

async function textOf(server: string, proxyUrl: string, caPem?: string) {
  const transport = httpsTransport({ server, caPem, credentials: noCredentials(), userAgent: 'isthmus', proxyUrl });
  try {
    let text = '';
    const { body } = await transport.send({ method: 'GET', path: '/version' }, signal);
    for await (const chunk of body) text += Buffer.from(chunk).toString('utf8');
    return text;
  } finally {
    transport.close();
  }
}

describe('a transport with a SOCKS 5 proxy', () => {
  it('reaches a server over TLS by a name that only the proxy can look up, with a user and password', async () => {
    const authority = await createAuthority('north');
    const { certData: cert, keyData: key } = await authority.issueServing('north', ['north.internal']);
    await using target = await listening(
      createHttpsServer({ cert, key }, (request, response) => response.end(`${request.headers.host} ${request.url}`)),
    );
    const { server, asked } = socksServer({ method: 2, slow: true, bound: [3, 3, 97, 98, 99] });
    await using at = await listening(server);
    const proxyUrl = `socks5://me:p%40ss@127.0.0.1:${at.port}`;
    const text = await textOf(`https://north.internal:${target.port}`, proxyUrl, authority.caData);
    expect(text).toBe(`north.internal:${target.port} /version`);
    expect(asked).toEqual(['methods 0 2', 'login me p@ss', 'connect 3 north.internal']);
  });

  it.each<[string, string, readonly number[]]>([
    ['127.0.0.1', 'connect 1 127.0.0.1', [4, ...Array.from({ length: 16 }, () => 0)]],
    ['[::1]', 'connect 4 0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.1', [1, 0, 0, 0, 0]],
    ['[fd00:1::2:3]', 'connect 4 253.0.0.1.0.0.0.0.0.0.0.0.0.2.0.3', [1, 0, 0, 0, 0]],
  ])('asks for the address %s as bytes, without a login', async (host, line, bound) => {
    await using target = await listening(createServer((_request, response) => response.end('ok')));
    const { server, asked } = socksServer({ bound });
    await using at = await listening(server);
    expect(await textOf(`http://${host}:${target.port}`, `socks5h://127.0.0.1:${at.port}`)).toBe('ok');
    expect(asked).toEqual(['methods 0', line]);
  });

  it.each<[string, SocksServer, string, string]>([
    ['a refused connection', { reply: 5 }, '', 'it refused the connection to 127.0.0.1:1: the connection was refused'],
    ['an unknown refusal', { reply: 99 }, '', 'it refused the connection to 127.0.0.1:1: code 99'],
    ['a missing login', { method: 255 }, '', 'it requires a login; put user and password into proxy-url'],
    ['a wrong login', { method: 2, loginStatus: 1 }, 'me:secret@', 'it rejected the user and password in proxy-url'],
    ['another way to log in', { method: 255 }, 'me:secret@', 'it does not accept a login with a password'],
  ])('reports %s, and never the password', async (_title, options, login, message) => {
    await using at = await listening(socksServer(options).server);
    const error = await textOf('http://127.0.0.1:1', `socks5://${login}127.0.0.1:${at.port}`).catch(String);
    expect(error).toContain(`http://127.0.0.1:1: proxy socks5://127.0.0.1:${at.port}: ${message}`);
    expect(error).not.toContain('secret');
  });

  it('reports a proxy that is not there, one that speaks another protocol, and one that hangs up', async () => {
    const failure = (port: number) => textOf('http://127.0.0.1:2', `socks5://127.0.0.1:${port}`).catch(String);
    expect(await failure(1)).toContain('proxy socks5://127.0.0.1:1: connect ECONNREFUSED');
    await using other = await listening(
      createTcpServer((socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
    );
    expect(await failure(other.port)).toContain('it does not answer as a SOCKS 5 proxy');
    await using mute = await listening(createTcpServer((socket) => void socket.end()));
    expect(await failure(mute.port)).toContain('it closed the connection');
  });
});

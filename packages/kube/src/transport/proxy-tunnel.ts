// One of the modules that open connections: a connection to an API server through a proxy.
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import type { Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { hostPort, urlHost } from '@isthmus/machinery';
import { request as httpRequest } from '../world/node-http.ts';
import { openSocksTunnel } from './socks-tunnel.ts';

/** A proxy that is asked for tunnels: over HTTP (RFC 9110 §9.3.6) or SOCKS 5 (RFC 1928). */
export interface Proxy {
  readonly protocol: 'http' | 'socks5';
  readonly secure: boolean;
  readonly host: string;
  readonly port: number;
  readonly authorization: string | undefined;
  readonly login: { readonly user: string; readonly password: string } | undefined;
  /** For messages: without user and password. */
  readonly name: string;
}

/**
 * Reads the address of a proxy. Throws an Error that shows the expected form, and never repeats a
 * password.
 */
export function parseProxyUrl(text: string): Proxy {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.hostname === '')
    throw new Error('proxy-url is not a URL; it must look like http://proxy.example.com:3128');
  const usualPort = usualPorts[url.protocol];
  if (usualPort === undefined)
    throw new Error(`proxy-url has the scheme ${url.protocol.slice(0, -1)}; only http, https and socks5 are supported`);
  const protocol = url.protocol.startsWith('socks') ? 'socks5' : 'http';
  const [user, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
  const login = user === '' && password === '' ? undefined : { user, password };
  if (protocol === 'socks5' && login !== undefined && [user, password].some((one) => Buffer.byteLength(one) > 255))
    throw new Error('proxy-url has a user or password of more than 255 bytes, which SOCKS 5 does not allow');
  return {
    protocol,
    secure: url.protocol === 'https:',
    host: urlHost(url),
    port: url.port === '' ? usualPort : Number(url.port),
    authorization:
      login === undefined ? undefined : `Basic ${Buffer.from(`${user}:${password}`, 'utf8').toString('base64')}`,
    login,
    name: `${url.protocol}//${url.host}`,
  };
}

/** By scheme. As in Go, `socks5` leaves the look-up of names to the proxy, too. */
const usualPorts: Readonly<Record<string, number>> = {
  'http:': 80,
  'https:': 443,
  'socks5:': 1080,
  'socks5h:': 1080,
};

interface TunnelTarget {
  readonly host: string;
  readonly port: number;
  /**
   * The settings of the API server: as in client-go, a proxy with TLS is verified by the same
   * authority.
   */
  readonly tls: { readonly secureContext: SecureContext; readonly rejectUnauthorized: boolean } | undefined;
}

/**
 * Opens a connection through the proxy, and calls `done` once, in the way of Node's agents. Errors:
 * those of the network, and refusals of the proxy with their status; each names the proxy.
 */
export function openTunnel(
  proxy: Proxy,
  { host, port, tls }: TunnelTarget,
  done: (error: Error | undefined, socket?: Socket) => void,
): void {
  const authority = hostPort(host, port);
  const failed = (why: string, cause?: NodeJS.ErrnoException) =>
    Object.assign(new Error(`proxy ${proxy.name}: ${why}`, { cause }), {
      code: cause?.code ?? 'ERR_PROXY_TUNNEL',
      isOfProxy: true,
    });
  let isOver = false;
  const end = (error: Error | undefined, socket?: Socket) => {
    if (isOver) return socket?.destroy();
    isOver = true;
    done(error, socket);
  };
  if (proxy.protocol === 'socks5') {
    const options = { proxy, target: { host, port, name: authority }, answersWithinMs };
    return openSocksTunnel(options, (error, socket) => {
      if (socket === undefined) end(failed(error?.message ?? 'it closed the connection', error));
      else end(undefined, socket);
    });
  }
  const send = proxy.secure ? httpsRequest : httpRequest;
  const asking = send({
    host: proxy.host,
    port: proxy.port,
    method: 'CONNECT',
    path: authority,
    agent: false,
    timeout: answersWithinMs,
    headers: {
      host: authority,
      ...(proxy.authorization === undefined ? {} : { 'proxy-authorization': proxy.authorization }),
    },
    // Otherwise the name in the header, that of the API server, would be expected in the
    // certificate.
    ...(proxy.secure ? { ALPNProtocols: ['http/1.1'], servername: isIP(proxy.host) === 0 ? proxy.host : '' } : {}),
    ...(proxy.secure && tls !== undefined
      ? { secureContext: tls.secureContext, rejectUnauthorized: tls.rejectUnauthorized }
      : {}),
  });
  asking.on('error', (error: NodeJS.ErrnoException) => end(failed(error.message, error)));
  asking.on('timeout', () => asking.destroy(new Error(`no answer in ${answersWithinMs / 1000} s`)));
  // Only a proxy that does not know CONNECT answers it as another request.
  asking.on('response', (answer: IncomingMessage) => {
    answer.destroy();
    end(failed(`it answered ${answer.statusCode} to CONNECT ${authority}`));
  });
  asking.on('connect', (answer: IncomingMessage, socket: Socket, head: Buffer) => {
    if (answer.statusCode === 200) {
      socket.setTimeout(0);
      if (head.length > 0) socket.unshift(head);
      return void end(undefined, socket);
    }
    socket.destroy();
    const hint = answer.statusCode === 407 ? '; put user and password into proxy-url' : '';
    end(failed(`it answered ${answer.statusCode} to CONNECT ${authority}${hint}`));
  });
  asking.end();
}

/** How long a proxy may be silent before the tunnel is open. */
const answersWithinMs = 30_000;

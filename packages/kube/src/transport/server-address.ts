import { urlHost } from '@isthmus/machinery';

/**
 * The address of an API server.
 */
export interface ServerAddress {
  readonly secure: boolean;
  readonly host: string;
  readonly port: number;
  readonly hostHeader: string;
  /** Without a slash at its end. */
  readonly basePath: string;
  /** For messages. */
  readonly name: string;
}

/**
 * Reads a server address. Throws an Error that shows the expected form, without repeating a user or
 * password of the address.
 */
export function parseServerAddress(server: string): ServerAddress {
  const url = URL.canParse(server) ? new URL(server) : undefined;
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new Error(`the server address "${redacted(server)}" is not a URL; it must look like https://host:6443`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new Error(
      `the server address of ${url.host} contains a user or password; API servers accept tokens or client certificates`,
    );
  }
  const secure = url.protocol === 'https:';
  const basePath = url.pathname.replace(/\/+$/, '');
  return {
    secure,
    host: urlHost(url),
    port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
    hostHeader: url.host,
    basePath,
    name: `${url.protocol}//${url.host}${basePath}`,
  };
}

function redacted(server: string): string {
  return server.replace(/^.*@/s, '…@').slice(0, 200);
}

/**
 * The address on which a server listens; `host` undefined: on all addresses of the machine.
 */
export interface BindAddress {
  readonly host: string | undefined;
  readonly port: number;
}

const LOOPBACK = '127.0.0.1';

/**
 * Reads a bind address as Kubernetes' controllers write it. `:8080` is all addresses (Antrea's
 * default for both of its endpoints in its configuration file), `127.0.0.1:8080` and `[::1]:8080`
 * are one address, and `0` or an empty text is no address (undefined). A port alone, `8080`, is the
 * loopback address. Port 0 behind a host is any free port.
 *
 * Errors: throws why the text is not valid.
 */
export function parseBindAddress(text: string): BindAddress | undefined {
  if (text === '' || text === '0') return undefined;
  const found =
    /^(?:(?<ip6>\[[0-9a-fA-F:.]+\])|(?<host>[^:[\]/\s]*))(?<colon>:)(?<port>\d{1,5})$|^(?<only>\d{1,5})$/.exec(
      text,
    )?.groups;
  const port = Number(found?.['port'] ?? found?.['only']);
  if (found === undefined || !(port <= 65_535)) {
    throw new Error(
      `the bind address ${JSON.stringify(text.slice(0, 100))} is not valid; use ":8080", "127.0.0.1:8080", "[::1]:8080", or "0" to disable it`,
    );
  }
  if (found['only'] !== undefined) return { host: LOOPBACK, port };
  const host = found['ip6']?.slice(1, -1) ?? found['host'];
  return { host: host === '' ? undefined : host, port };
}

/** Whether only processes of the same host reach the address. */
export function isLoopback({ host }: BindAddress): boolean {
  return host === 'localhost' || host === '::1' || (host?.startsWith('127.') ?? false);
}

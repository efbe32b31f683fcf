import type { Clock } from '@isthmus/machinery';
import type { Log } from '../log/log.ts';
import type { BindAddress } from './bind-address.ts';
import type { HealthServer } from './health-server.ts';
import type { HttpRequestHead, HttpResponse } from './http-handler.ts';
import { whenAborted } from '../waiting/abort.ts';
import { startHttpsServer } from './https-server.ts';
import { selfSignedCertificate } from './self-signed.ts';

export interface SecureServerOptions {
  readonly clock: Clock;
  readonly log: Log;
}

/** Prometheus needs one connection, and a user with curl another. */
const mostConnections = 50;

/**
 * Serves answers without bodies in their requests over HTTPS, with a certificate that it makes
 * itself, until it is disposed: tokens are not sent in the clear. Errors: those of
 * {@link startHttpsServer}.
 */
export async function startSecureServer(
  bind: BindAddress,
  handler: (request: HttpRequestHead) => Promise<HttpResponse>,
  { clock, log }: SecureServerOptions,
): Promise<HealthServer> {
  const end = new AbortController();
  const { address, ended } = await startHttpsServer({
    name: 'metrics',
    bind,
    async *certificates(signal) {
      yield selfSignedCertificate({ commonName: 'isthmus', dnsName: 'isthmus-metrics', nowMs: clock.now() });
      await whenAborted(signal);
    },
    handler: {
      accept: () => ({ bodyLimit: 0 }),
      handle: ({ method, url, headers }) => handler({ method, url, headers }),
    },
    signal: end.signal,
    clock,
    log,
    drainMs: 1_000,
    limits: { connections: mostConnections },
  });
  return {
    address,
    async [Symbol.asyncDispose]() {
      end.abort(new Error('the server is closed'));
      await ended;
    },
  };
}

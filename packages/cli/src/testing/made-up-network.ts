import type { HealthRequest, HealthResponse, HttpRequestHead, Transport } from '@isthmus/kube';
import type { Network } from '../world/io.ts';

/** A network whose connections all lead to one transport, and which tests ask on its ports. */
export interface MadeUpNetwork {
  readonly network: Network;
  /** Asks the server that listens on `port`. */
  ask(port: number, url: string, headers?: Readonly<Record<string, string>>): Promise<HealthResponse>;
}

/**
 * A network with `transport` at the other end of every connection. `given` replaces parts of it.
 */
export function madeUpNetwork(transport: Transport, given: Partial<Network> | undefined): MadeUpNetwork {
  const servers = new Map<number, (request: HealthRequest) => Promise<HealthResponse>>();
  const secure = new Map<number, (request: HttpRequestHead) => Promise<HealthResponse>>();
  return {
    network: {
      connect: async () => transport,
      dial: () => transport,
      openWebSocket: () => Promise.reject(new Error('connect ECONNREFUSED 192.0.2.1:6443')),
      createAuthority: () => Promise.reject(new Error('no authority is made up here')),
      addressesOf: () => Promise.reject(new Error('there is no network')),
      openDirect: () => Promise.reject(new Error('there is no network')),
      serveNames: () => Promise.reject(new Error('no names are served here')),
      serve: () => Promise.reject(new Error('nothing is served here')),
      async listen(bind, handler) {
        servers.set(bind.port, handler);
        return {
          address: { host: bind.host ?? '0.0.0.0', port: bind.port },
          [Symbol.asyncDispose]: async () => void servers.delete(bind.port),
        };
      },
      async listenSecurely(bind, handler) {
        secure.set(bind.port, handler);
        return {
          address: { host: bind.host ?? '0.0.0.0', port: bind.port },
          [Symbol.asyncDispose]: async () => void secure.delete(bind.port),
        };
      },
      ...given,
    },
    async ask(port, url, headers) {
      const secureHandler = secure.get(port);
      if (secureHandler !== undefined) return secureHandler({ method: 'GET', url, headers: headers ?? {} });
      const handler = servers.get(port);
      if (handler === undefined) throw new Error(`nobody listens on port ${port}`);
      return handler({ method: 'GET', url });
    },
  };
}

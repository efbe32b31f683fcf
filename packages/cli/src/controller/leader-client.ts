import type { SessionSpec } from '@isthmus/controlplane';
import type { Client, Transport, World } from '@isthmus/kube';
import { changingToken, countExchanges, createClient } from '@isthmus/kube';
import type { Network } from '../world/io.ts';

export interface LeaderClientOptions {
  /** The present token of the spec, which is renewed. */
  readonly token: () => string;
  readonly network: Network;
  readonly userAgent: string;
  readonly world: World;
}

/**
 * A member's client to the API server of its leader, with the server and credentials of its
 * ClusterSet and Secret.
 *
 * Guarantees: never throws. Where the spec allows no connection (its certificate authority or token
 * is not valid), every call fails with the reason. It then shows where a failing leader shows, and
 * the next Secret gets another client.
 */
export function leaderClient(spec: SessionSpec, options: LeaderClientOptions): Client {
  const { world } = options;
  return createClient({
    transport: transportTo(spec, options),
    clock: world.clock,
    server: `the leader's API server ${spec.server}`,
    onExchange: countExchanges(world.metrics, 'leader'),
  });
}

function transportTo(spec: SessionSpec, { network, userAgent, token }: LeaderClientOptions): Transport {
  try {
    return network.dial({
      server: spec.server,
      caPem: spec.caPem,
      credentials: changingToken(token),
      userAgent,
    });
  } catch (error) {
    return { send: () => Promise.reject(error), close() {} };
  }
}

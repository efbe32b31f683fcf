import type { SessionSpec } from '@isthmus/controlplane';
import type { Client, Transport, World } from '@isthmus/kube';
import { countExchanges, createClient, staticToken } from '@isthmus/kube';
import type { Network } from '../world/io.ts';

export interface LeaderClientOptions {
  readonly network: Network;
  readonly userAgent: string;
  readonly world: World;
}

/**
 * A member's client to the API server of its leader, with what its ClusterSet and Secret say.
 *
 * Guarantees: never throws. Where no connection can be made of the spec (a certificate authority or token that is none) every call fails with the
 * reason, so that it shows where a failing leader shows, and the next Secret gets another client.
 */
export function leaderClient(spec: SessionSpec, { network, userAgent, world }: LeaderClientOptions): Client {
  return createClient({
    transport: transportTo(spec, network, userAgent),
    clock: world.clock,
    server: `the leader's API server ${spec.server}`,
    onExchange: countExchanges(world.metrics, 'leader'),
  });
}

function transportTo(spec: SessionSpec, network: Network, userAgent: string): Transport {
  try {
    return network.dial({
      server: spec.server,
      caPem: spec.caPem,
      credentials: staticToken(spec.token),
      userAgent,
    });
  } catch (error) {
    return { send: () => Promise.reject(error), close() {} };
  }
}

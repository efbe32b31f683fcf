// The base of row 1: what no controller can do better. It knows every object beforehand, waits for
// nothing but the answer, watches nothing, compares nothing, and decodes no answer.
import type { ApiRequest, Client } from '@isthmus/kube';
import { inParallel } from './in-parallel.ts';

/** Writes to one API server. Each inner list is written in order: an object, then its status. */
export interface BareWrites {
  readonly client: Client;
  readonly chains: readonly (readonly ApiRequest[])[];
}

/**
 * Writes everything to all API servers at once, `parallelism` requests in flight at each. Returns
 * the milliseconds it took.
 */
export async function writeBare(servers: readonly BareWrites[], parallelism: number): Promise<number> {
  const from = performance.now();
  await Promise.all(
    servers.map(({ client, chains }) =>
      inParallel(chains, parallelism, async (chain) => {
        for (const request of chain) await client.request(request);
      }),
    ),
  );
  return performance.now() - from;
}

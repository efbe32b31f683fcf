import { seededRandom } from '@isthmus/machinery';
import type { ServedType, Standin, VirtualClock } from '@isthmus/testkit';
import { createStandin, createVirtualClock } from '@isthmus/testkit';
import type { Client } from '../../client/client.ts';
import { createClient } from '../../client/create-client.ts';
import type { MemoryLog } from '../../log.ts';
import { memoryLog } from '../../log.ts';
import type { CacheOptions, RunnableCache } from '../create-cache.ts';
import { createCache } from '../create-cache.ts';
import { Thing } from './thing.ts';
import type { Way } from './way.ts';
import { createWay } from './way.ts';

/** One stand-in server in virtual time, and a way to it that can be broken. */
export interface TestCluster extends AsyncDisposable {
  readonly clock: VirtualClock;
  readonly server: Standin;
  readonly way: Way;
  readonly client: Client;
  readonly log: MemoryLog;
  readonly signal: AbortSignal;
  /** A running cache of Things. */
  cache(options?: Partial<CacheOptions<Thing>>): RunnableCache<Thing>;
  stop(): void;
}

export interface TestClusterOptions {
  /** Kinds beside Things. */
  readonly types?: readonly ServedType[];
  /** A clock that is shared with another cluster. */
  readonly clock?: VirtualClock;
}

export function createTestCluster(options: TestClusterOptions = {}): TestCluster {
  const { types = [], clock = createVirtualClock({ startMs: Date.UTC(2026, 10, 21) }) } = options;
  const server = createStandin({ name: 'test', clock, types: [{ ...Thing, statusSubresource: false }, ...types] });
  server.admin.put({ ...namespaces, statusSubresource: false }, { metadata: { name: 'shop' } });
  const way = createWay(server.transport(), clock);
  const client = createClient({ transport: way, clock });
  const log = memoryLog();
  const stop = new AbortController();
  const runs: Promise<void>[] = [];
  return {
    clock,
    server,
    way,
    client,
    log,
    signal: stop.signal,
    cache(options = {}) {
      const cache = createCache<Thing>({ client, type: Thing, clock, random: seededRandom(1), log, ...options });
      runs.push(cache.run(stop.signal));
      return cache;
    },
    stop: () => stop.abort(new Error('the test is over')),
    async [Symbol.asyncDispose]() {
      stop.abort(new Error('the test is over'));
      await Promise.all(runs);
    },
  };
}

const namespaces = { group: '', version: 'v1', kind: 'Namespace', plural: 'namespaces', namespaced: false };

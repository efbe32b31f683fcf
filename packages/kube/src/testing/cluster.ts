import { seededRandom } from '@isthmus/machinery';
import type { Sandbox } from '@isthmus/sandbox';
import { createSandbox } from '@isthmus/sandbox';
import type { VirtualClock } from '@isthmus/fleet-sim';
import { clusterAdmin, createVirtualClock, putDefinition } from '@isthmus/fleet-sim';
import type { Client } from '../client/client.ts';
import { createClient } from '../client/create-client.ts';
import type { MemoryLog } from '../log/log.ts';
import { memoryLog } from '../log/log.ts';
import type { CacheOptions, RunnableCache } from '../cache/create-cache.ts';
import { createCache } from '../cache/create-cache.ts';
import { Thing } from './thing.ts';
import type { BreakableTransport } from './breakable-transport.ts';
import { breakableTransport } from './breakable-transport.ts';

/** A sandbox that serves Things, in virtual time, and a way to it that can be broken. */
export interface TestCluster extends AsyncDisposable {
  readonly clock: VirtualClock;
  readonly server: Sandbox;
  readonly transport: BreakableTransport;
  readonly client: Client;
  readonly log: MemoryLog;
  readonly signal: AbortSignal;
  /** A running cache of Things. */
  cache(options?: Partial<CacheOptions<Thing>>): RunnableCache<Thing>;
  stop(): void;
}

export interface TestClusterOptions {
  /** A clock that is shared with another cluster. */
  readonly clock?: VirtualClock;
}

export async function createTestCluster(options: TestClusterOptions = {}): Promise<TestCluster> {
  const { clock = createVirtualClock({ startMs: Date.UTC(2026, 10, 21) }) } = options;
  const server = createSandbox({ name: 'test', clock });
  putDefinition(server, Thing);
  server.admin.put(namespaces, { metadata: { name: 'shop' } });
  await clock.settle();
  const transport = breakableTransport(server.transport(clusterAdmin), clock);
  const client = createClient({ transport, clock });
  const log = memoryLog();
  const stop = new AbortController();
  const runs: Promise<void>[] = [];
  return {
    clock,
    server,
    transport,
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

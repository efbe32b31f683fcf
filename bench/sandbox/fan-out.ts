// How fast one write reaches many watches of its kind.
import { ConfigMap, Namespace } from '@isthmus/api';
import type { Client } from '@isthmus/kube';
import { inParallel } from '../in-parallel.ts';
import { pause } from '../pause.ts';
import { configMap } from './requests.ts';

export interface FanOut {
  readonly watches: number;
  /** Milliseconds until all of them were open. */
  readonly openMs: number;
  /**
   * Milliseconds from sending each write until the last watch had reported it, one write after the
   * other.
   */
  readonly lastMs: readonly number[];
  /** Events that reached their watches per second, of writes that do not wait for each other. */
  readonly perSecond: number;
}

export interface FanOutOptions {
  readonly client: Client;
  readonly watches: number;
  readonly writes: number;
  readonly signal: AbortSignal;
}

const namespace = 'watched';
const burst = 50;

export async function measureFanOut(options: FanOutOptions): Promise<FanOut> {
  const { client, watches, writes, signal: over } = options;
  const end = new AbortController();
  const signal = AbortSignal.any([over, end.signal]);
  await client.create(Namespace, { metadata: { name: namespace } });
  const { resourceVersion } = await client.list(ConfigMap, { namespace });
  /** The events still to come, by object. */
  const missing = new Map<string, { left: number; readonly arrived: () => void }>();
  const follow = async (onOpen: () => void): Promise<void> => {
    const watch = { namespace, resourceVersion, timeoutSeconds: watchSeconds, idleMs: watchSeconds * 1000, onOpen };
    for await (const event of client.watch(ConfigMap, { ...watch, signal })) {
      if (event.type === 'BOOKMARK') continue;
      const awaited = missing.get(event.object.metadata.name);
      if (awaited !== undefined && --awaited.left === 0) awaited.arrived();
    }
    throw new Error('the API server has ended a watch');
  };
  const followers: Promise<void>[] = [];
  const { promise: failed, reject } = Promise.withResolvers<never>();
  failed.catch(() => {});
  const from = performance.now();
  await inParallel(Array.from({ length: watches }), 32, async () => {
    const { promise: opened, resolve } = Promise.withResolvers<void>();
    const follower = follow(resolve);
    follower.catch(reject);
    followers.push(follower);
    await Promise.race([opened, failed]);
  });
  const openMs = performance.now() - from;
  const write = async (index: number): Promise<void> => {
    const object = configMap(namespace, index, 0);
    const everywhere = new Promise<void>((arrived) => missing.set(object.metadata.name, { left: watches, arrived }));
    await client.create(ConfigMap, object, { signal });
    await Promise.race([everywhere, failed]);
  };
  try {
    const lastMs: number[] = [];
    for (let index = 0; index < warmUp + writes; index++) {
      // Lets what the last write left behind come to rest.
      await pause(5);
      const sentAt = performance.now();
      await write(index);
      if (index >= warmUp) lastMs.push(performance.now() - sentAt);
    }
    const burstFrom = performance.now();
    await Promise.all(Array.from({ length: burst }, (_, index) => write(warmUp + writes + index)));
    const [ms, events] = [performance.now() - burstFrom, burst * watches];
    return { watches, openMs, lastMs, perSecond: (1000 * events) / ms };
  } finally {
    end.abort(new Error('over'));
    await Promise.allSettled(followers);
  }
}

const watchSeconds = 1800;
const warmUp = 10;

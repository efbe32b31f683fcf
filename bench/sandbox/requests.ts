// Requests per second, one verb after the other, as many in flight as keep either server busy.
import { ConfigMap, Namespace } from '@isthmus/api';
import type { Client } from '@isthmus/kube';
import { inParallel } from '../in-parallel.ts';
import type { ProcessUsage } from '../machine.ts';

export const measuredVerbs = ['create', 'get', 'list', 'update'] as const;

export type MeasuredVerb = (typeof measuredVerbs)[number];

/** How fast one verb was answered. */
export interface Rate {
  readonly perSecond: number;
  /**
   * Milliseconds of processor time of the server per request; undefined where it shares its process
   * with the client.
   */
  readonly serverMs: number | undefined;
}

export type Rates = Readonly<Record<MeasuredVerb, Rate>>;

export interface RequestsOptions {
  readonly client: Client;
  /** The use of the server; undefined where it shares its process with the client. */
  readonly usage?: (() => Pick<ProcessUsage, 'cpuSeconds'>) | undefined;
  readonly signal: AbortSignal;
}

/** How many ConfigMaps the list, the gets and the updates are of. */
export const listedObjects = 500;
/** How many requests are in flight. */
export const requestsInFlight = 16;

const [filled, grown] = ['filled', 'grown'] as const;
const warmUpMs = 500;
const measuredMs = 1_500;

export async function measureRequests({ client, usage, signal }: RequestsOptions): Promise<Rates> {
  for (const name of [filled, grown]) await client.create(Namespace, { metadata: { name } });
  const indexes = Array.from({ length: listedObjects }, (_, index) => index);
  await inParallel(indexes, requestsInFlight, async (index) => {
    await client.create(ConfigMap, configMap(filled, index, 0), { signal });
  });
  const nameOf = (index: number) => configMap(filled, index % listedObjects, 0).metadata;
  const work: Readonly<Record<MeasuredVerb, (index: number) => Promise<unknown>>> = {
    create: (index) => client.create(ConfigMap, configMap(grown, index, 0), { signal }),
    get: (index) => client.get(ConfigMap, nameOf(index), { signal }),
    list: () => client.list(ConfigMap, { namespace: filled, signal }),
    // Each is another one than before: a write of what is there already costs less.
    update: (index) => client.update(ConfigMap, configMap(filled, index % listedObjects, index + 1), { signal }),
  };
  const rates = new Map<MeasuredVerb, Rate>();
  for (const verb of measuredVerbs) {
    const counter = { next: 0 };
    await repeat(work[verb], counter, warmUpMs);
    const [from, before, cpu] = [performance.now(), counter.next, usage?.().cpuSeconds];
    await repeat(work[verb], counter, measuredMs);
    const [ms, count] = [performance.now() - from, counter.next - before];
    const used = cpu === undefined || usage === undefined ? undefined : usage().cpuSeconds - cpu;
    const serverMs = used === undefined ? undefined : (1000 * used) / count;
    rates.set(verb, { perSecond: (1000 * count) / ms, serverMs });
  }
  return Object.fromEntries(rates) as Rates;
}

/**
 * Works for so long, and waits for what is then in flight. Without timers: answers in memory come
 * before any timer.
 */
async function repeat(
  work: (index: number) => Promise<unknown>,
  counter: { next: number },
  forMs: number,
): Promise<void> {
  const until = performance.now() + forMs;
  const lane = async () => {
    while (performance.now() < until) await work(counter.next++);
  };
  await Promise.all(Array.from({ length: requestsInFlight }, lane));
}

/** Some 600 bytes, as the real server answers it. */
export function configMap(namespace: string, index: number, revision: number): ConfigMap {
  const lines = Array.from({ length: 8 }, (_, line) => `setting.${line}=value ${line} of ${index}`);
  return {
    metadata: {
      name: `c-${String(index).padStart(5, '0')}`,
      namespace,
      labels: { app: `app-${index % 10}`, tier: 'bench' },
    },
    data: { 'app.properties': lines.join('\n'), revision: String(revision) },
  };
}

import type { Client } from '@isthmus/kube';
import { listRequest } from '@isthmus/kube';
import type { KubernetesObject, ResourceType } from '@isthmus/machinery';
import { errorMessage } from '@isthmus/machinery';
import { pause } from './pause.ts';

/** A collection that something is to arrive in. */
export interface Awaited<T extends KubernetesObject> {
  readonly client: Client;
  readonly type: ResourceType<T>;
  readonly namespace: string;
  readonly labelSelector?: string | undefined;
  readonly signal: AbortSignal;
}

/**
 * The objects of a collection as they are now and as they change, until `signal` aborts. Deleted
 * ones come without `after`.
 */
export async function* changesOf<T extends KubernetesObject>(
  { client, type, namespace, labelSelector, signal }: Awaited<T>,
  listed: () => void = () => {},
): AsyncGenerator<{ readonly name: string; readonly after: T | undefined }> {
  const { items, resourceVersion } = await client.list(type, { namespace, labelSelector, signal });
  for (const object of items) yield { name: object.metadata.name, after: object };
  listed();
  const watch = {
    namespace,
    labelSelector,
    resourceVersion,
    timeoutSeconds: watchSeconds,
    idleMs: watchSeconds * 1000,
  };
  for await (const event of client.watch(type, { ...watch, signal })) {
    if (event.type === 'BOOKMARK') continue;
    yield { name: event.object.metadata.name, after: event.type === 'DELETED' ? undefined : event.object };
  }
  throw new Error(`the API server has ended the watch of ${type.plural}`);
}

/**
 * The moment (performance.now) at which `count` objects of the collection satisfied `arrived`, as a
 * watch saw it. Errors: the reason of `signal`, with how many there were by then.
 */
export async function whenArrived<T extends KubernetesObject>(
  awaited: Awaited<T>,
  count: number,
  arrived: (object: T) => boolean = () => true,
): Promise<number> {
  const there = new Set<string>();
  try {
    for await (const { name, after } of changesOf(awaited)) {
      if (after !== undefined && arrived(after)) there.add(name);
      else there.delete(name);
      if (there.size >= count) return performance.now();
    }
  } catch (error) {
    const why = errorMessage(error);
    throw new Error(`${there.size} of ${count} ${awaited.type.plural} in ${awaited.namespace} arrived: ${why}`, {
      cause: error,
    });
  }
  throw new Error(`the watch of ${awaited.type.plural} has ended`);
}

/**
 * The same for many objects, by polling: a watch would cost the API servers about as much as one of
 * those that are measured. Counts first, which is cheap, and reads everything only when enough is
 * there. Late by {@link pollMs} and one list at most.
 */
export async function whenManyArrived<T extends KubernetesObject>(
  awaited: Awaited<T>,
  count: number,
  arrived: (object: T) => boolean = () => true,
): Promise<number> {
  const { client, type, namespace, labelSelector, signal } = awaited;
  let there = 0;
  while (!signal.aborted) {
    // A count is given only of whole collections.
    if (labelSelector !== undefined || (await countOf(awaited)) >= count) {
      there = (await client.list(type, { namespace, labelSelector, signal })).items.filter(arrived).length;
      if (there >= count) return performance.now();
    }
    await pause(pollMs);
  }
  const why = errorMessage(signal.reason);
  throw new Error(`${there} of ${count} ${type.plural} in ${namespace} arrived: ${why}`, { cause: signal.reason });
}

async function countOf<T extends KubernetesObject>({ client, type, namespace, signal }: Awaited<T>): Promise<number> {
  const { text } = await client.request(listRequest(type, { namespace, limit: 1 }), { signal });
  const { items, metadata } = JSON.parse(text) as CountedPage;
  return (items ?? []).length + (metadata.remainingItemCount ?? 0);
}

/** The part of a page that shows how many objects there are (metav1.ListMeta). */
interface CountedPage {
  readonly items?: readonly unknown[] | null | undefined;
  readonly metadata: { readonly remainingItemCount?: number | undefined };
}

const watchSeconds = 1800;
const pollMs = 100;

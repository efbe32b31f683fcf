import type { Client } from '@isthmus/kube';
import type { KubernetesObject, ResourceType } from '@isthmus/machinery';

export interface Awaited<T extends KubernetesObject> {
  readonly client: Client;
  readonly type: ResourceType<T>;
  readonly namespace: string;
  readonly labelSelector?: string | undefined;
  readonly signal: AbortSignal;
}

/** The objects of a collection as they are now and as they change, until `signal` aborts. Deleted ones come without `after`. */
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
 * The moment (performance.now) at which `count` objects of the collection satisfied `arrived`, as a watch saw it. Errors: the reason of
 * `signal`, with how many there were by then.
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
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`${there.size} of ${count} ${awaited.type.plural} in ${awaited.namespace} arrived: ${why}`, {
      cause: error,
    });
  }
  throw new Error(`the watch of ${awaited.type.plural} has ended`);
}

const watchSeconds = 1800;

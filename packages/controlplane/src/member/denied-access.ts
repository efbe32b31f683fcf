import type { Client, WatchEvent, WatchOptions, WriteOptions } from '@isthmus/kube';
import { askReview, isForbidden } from '@isthmus/kube';
import type { Clock, KubernetesObject, ResourceType } from '@isthmus/machinery';
import { resourceNameOf, sleep } from '@isthmus/machinery';
import type { DeniedRequests } from '../own-cluster/own-cluster.ts';

/** Finds the requests that this cluster denies the controller. */
export interface DeniedAccess extends DeniedRequests {
  /** A client whose denied requests are recorded. */
  readonly client: Client;
  /** Checks if denied requests are allowed again, until `signal` aborts. */
  run(signal: AbortSignal): Promise<void>;
}

/** `spec.resourceAttributes` of a SelfSubjectAccessReview. */
interface Attributes {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string | undefined;
  readonly namespace?: string | undefined;
  /** A rule may allow it for this name only. */
  readonly name?: string | undefined;
}

type Place = Pick<Attributes, 'namespace' | 'subresource' | 'name'>;

/**
 * How often to check if a denied request is allowed again. A first denial counts after it as well:
 * an API server that has just started denies what roles allow, until it has read them.
 */
export const lookAgainMs = 5_000;
/** How long it may take to read again the objects that are allowed again. */
const readAgainMs = 1_000;

/**
 * Records the requests that the API server denies by its authorisation. Admission also answers 403,
 * but only for one object. So each 403 is checked with a SelfSubjectAccessReview, and again five
 * seconds later. If the API server does not answer both, nothing is recorded. `onAllowed` is called
 * when a request is allowed again.
 */
export function createDeniedAccess(client: Client, clock: Clock, onAllowed: () => void): DeniedAccess {
  const denied = new Map<string, Attributes>();
  /** Denied once. */
  const suspected = new Map<string, Attributes>();
  const asked = new Set<string>();
  const listeners = new Set<() => void>();
  let wake = (): void => {};
  /**
   * Also resolves when `signal` aborts. While every request is allowed there is nothing to check.
   */
  const somethingIsDenied = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const done = () => {
        signal.removeEventListener('abort', done);
        resolve();
      };
      wake = done;
      signal.addEventListener('abort', done);
    });
  const changed = () => {
    for (const listener of listeners) listener();
  };

  /** Every authenticated user may send this review. Undefined if the API server does not answer. */
  async function isAllowed(resourceAttributes: Attributes, signal?: AbortSignal): Promise<boolean | undefined> {
    try {
      const { allowed } = await askReview(client, 'SelfSubjectAccessReview', { resourceAttributes }, { signal });
      return typeof allowed === 'boolean' ? allowed : undefined;
    } catch {
      return undefined;
    }
  }

  async function note(what: string, attributes: Attributes): Promise<void> {
    if (denied.has(what) || suspected.has(what) || asked.has(what)) return;
    asked.add(what);
    const allowed = await isAllowed(attributes);
    asked.delete(what);
    if (allowed !== false) return;
    suspected.set(what, attributes);
    wake();
  }

  /** Asks a second time about what was denied once. */
  async function confirm(signal: AbortSignal): Promise<void> {
    const before = denied.size;
    for (const [what, attributes] of suspected) {
      const allowed = await isAllowed(attributes, signal);
      if (signal.aborted) return;
      suspected.delete(what);
      if (allowed === false) denied.set(what, attributes);
      // What failed meanwhile is tried again.
      if (allowed === true) onAllowed();
    }
    if (denied.size > before) changed();
  }

  /** Observes the result of a call without delaying it. */
  function noted<R>(verb: string, { group, plural }: ResourceType, at: Place, call: Promise<R>): Promise<R> {
    call.catch((error: unknown) => {
      if (!isForbidden(error)) return;
      const { namespace, subresource, name: objectName } = at;
      const name = resourceNameOf({ group, plural: subresource === undefined ? plural : `${plural}/${subresource}` });
      void note(`${verb} ${name}`, { verb, group, resource: plural, subresource, namespace, name: objectName });
    });
    return call;
  }

  return {
    list: () => [...denied.keys()].toSorted(),
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async run(signal) {
      while (!signal.aborted) {
        if (denied.size === 0 && suspected.size === 0) await somethingIsDenied(signal);
        await sleep(clock, lookAgainMs, signal).catch(() => undefined);
        const waiting = [...denied];
        await confirm(signal);
        const allowed: string[] = [];
        for (const [what, attributes] of waiting) {
          if (signal.aborted) return;
          if ((await isAllowed(attributes, signal)) === true) allowed.push(what);
        }
        if (allowed.length === 0) continue;
        onAllowed();
        // By then, denied objects have been read again, and do not count as missing.
        await sleep(clock, readAgainMs, signal).catch(() => undefined);
        for (const what of allowed) denied.delete(what);
        changed();
      }
    },
    client: notingClient(client, noted),
  };
}

type Noted = <R>(verb: string, type: ResourceType, at: Place, call: Promise<R>) => Promise<R>;

/** A client that passes the result of each call to `noted`. */
function notingClient(client: Client, noted: Noted): Client {
  return {
    ...client,
    get: (type, ref, options) => noted('get', type, placeOf(ref), client.get(type, ref, options)),
    list: (type, options = {}) => noted('list', type, { namespace: options.namespace }, client.list(type, options)),
    watch: (type, options) => watchNoted(client, noted, type, options),
    create: (type, object, options = {}) =>
      noted(
        'create',
        type,
        { ...placeOf(object.metadata, options), name: undefined },
        client.create(type, object, options),
      ),
    update: (type, object, options = {}) =>
      noted('update', type, placeOf(object.metadata, options), client.update(type, object, options)),
    patch: (type, ref, patch, options = {}) =>
      noted('patch', type, placeOf(ref, options), client.patch(type, ref, patch, options)),
    delete: (type, ref, options) => noted('delete', type, placeOf(ref), client.delete(type, ref, options)),
  };
}

function watchNoted<T extends KubernetesObject>(
  client: Client,
  noted: Noted,
  type: ResourceType<T>,
  options: WatchOptions,
): AsyncIterable<WatchEvent<T>> {
  const at = { namespace: options.namespace };
  return {
    [Symbol.asyncIterator]() {
      const events = client.watch(type, options)[Symbol.asyncIterator]();
      return {
        next: () => noted('watch', type, at, events.next()),
        return: () => events.return?.() ?? Promise.resolve({ done: true, value: undefined }),
      };
    },
  };
}

function placeOf({ namespace, name }: Pick<Place, 'namespace' | 'name'>, { subresource }: WriteOptions = {}): Place {
  return { namespace, subresource, name };
}

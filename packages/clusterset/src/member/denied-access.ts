import type { Client, WatchEvent, WatchOptions } from '@isthmus/kube';
import { isForbidden } from '@isthmus/kube';
import type { Clock, KubernetesObject, ResourceType } from '@isthmus/machinery';
import { resourceNameOf, sleep } from '@isthmus/machinery';
import type { DeniedRequests } from '../exchange/member/own-cluster.ts';

/** Finds out what this cluster does not let the controller do. */
export interface DeniedAccess extends DeniedRequests {
  /** A client whose forbidden requests are noted. */
  readonly client: Client;
  /** Looks whether what was denied is allowed now, until `signal` aborts. */
  run(signal: AbortSignal): Promise<void>;
}

interface Denied {
  readonly what: string;
  readonly attributes: Attributes;
}

/** `spec.resourceAttributes` of a SelfSubjectAccessReview. */
interface Attributes {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string | undefined;
  readonly namespace?: string | undefined;
}

/** How often it is looked whether something denied is allowed again. */
const lookAgainMs = 5_000;

/**
 * Notes what the API server forbids by its authorisation. Admission answers 403 as well, for one object and not for all; so each 403 is checked with a
 * SelfSubjectAccessReview. An API server that does not answer that is not noted.
 */
export function createDeniedAccess(client: Client, clock: Clock): DeniedAccess {
  const denied = new Map<string, Denied>();
  const asked = new Set<string>();
  const listeners = new Set<() => void>();
  const changed = () => {
    for (const listener of listeners) listener();
  };

  /** Every authenticated user may ask. Undefined: there is no answer. */
  async function isAllowed(attributes: Attributes, signal?: AbortSignal): Promise<boolean | undefined> {
    const apiVersion = 'authorization.k8s.io/v1';
    const kind = 'SelfSubjectAccessReview';
    try {
      const { text } = await client.request(
        {
          method: 'POST',
          path: `/apis/${apiVersion}/selfsubjectaccessreviews`,
          headers: { 'content-type': 'application/json', accept: 'application/json' },
          body: JSON.stringify({ apiVersion, kind, spec: { resourceAttributes: attributes } }),
        },
        { signal },
      );
      const { status } = JSON.parse(text) as { readonly status?: { readonly allowed?: boolean } };
      return status?.allowed;
    } catch {
      return undefined;
    }
  }

  async function note(what: string, attributes: Attributes): Promise<void> {
    if (denied.has(what) || asked.has(what)) return;
    asked.add(what);
    const allowed = await isAllowed(attributes);
    asked.delete(what);
    if (allowed !== false) return;
    denied.set(what, { what, attributes });
    changed();
  }

  /** Looks at how a call ends, and does not delay it. */
  function noted<R>(
    verb: string,
    { group, plural }: ResourceType,
    at: { readonly namespace?: string | undefined; readonly subresource?: string | undefined },
    call: Promise<R>,
  ): Promise<R> {
    call.catch((error: unknown) => {
      if (!isForbidden(error)) return;
      const { namespace, subresource } = at;
      const name = resourceNameOf({ group, plural: subresource === undefined ? plural : `${plural}/${subresource}` });
      void note(`${verb} ${name}`, { verb, group, resource: plural, subresource, namespace });
    });
    return call;
  }

  function watchNoted<T extends KubernetesObject>(
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

  return {
    list: () => [...denied.keys()].toSorted(),
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async run(signal) {
      while (!signal.aborted) {
        await sleep(clock, lookAgainMs, signal).catch(() => undefined);
        let some = false;
        for (const { what, attributes } of denied.values()) {
          if (signal.aborted) return;
          if ((await isAllowed(attributes, signal)) === true) some = denied.delete(what) || some;
        }
        if (some) changed();
      }
    },
    client: {
      ...client,
      get: (type, ref, options) => noted('get', type, ref, client.get(type, ref, options)),
      list: (type, options = {}) => noted('list', type, { namespace: options.namespace }, client.list(type, options)),
      watch: watchNoted,
      create: (type, object, options = {}) =>
        noted(
          'create',
          type,
          { namespace: object.metadata.namespace, subresource: options.subresource },
          client.create(type, object, options),
        ),
      update: (type, object, options = {}) =>
        noted(
          'update',
          type,
          { namespace: object.metadata.namespace, subresource: options.subresource },
          client.update(type, object, options),
        ),
      patch: (type, ref, patch, options = {}) =>
        noted(
          'patch',
          type,
          { namespace: ref.namespace, subresource: options.subresource },
          client.patch(type, ref, patch, options),
        ),
      delete: (type, ref, options) =>
        noted('delete', type, { namespace: ref.namespace }, client.delete(type, ref, options)),
    },
  };
}

import type { Client, WatchEvent, WatchOptions } from '@isthmus/kube';
import { isNotServed } from '@isthmus/kube';
import type { Clock, KubernetesObject, ResourceType } from '@isthmus/machinery';
import { apiVersionOf, resourceNameOf } from '@isthmus/machinery';

/** A kind that clusters serve in one of two versions with the same fields. */
export interface VersionChoice {
  readonly wanted: ResourceType;
  /** The version to use if the API server does not serve the wanted one. */
  readonly older: ResourceType;
  /**
   * The older version lacks no field that is used. Default: false, and the use of the older version
   * is reported.
   */
  readonly isEquivalent?: boolean | undefined;
}

/** The versions in use. */
export interface ServedVersions {
  /** A client for callers that name the wanted version. It uses the served one. */
  readonly client: Client;
  /**
   * Kinds that are used in an older version that lacks fields, such as
   * `serviceexports.multicluster.x-k8s.io`.
   */
  older(): readonly string[];
  /** Calls `listener` when that changes. Returns the unsubscriber. */
  onChange(listener: () => void): () => void;
}

/** How often to check if the wanted version is served again. */
const lookAgainMs = 10_000;

/**
 * Uses a kind in the version that the API server serves, even if that changes while controllers
 * run. If the answer is *not served*, the request is repeated in the other version, if that one is
 * served. While the older version is in use, the requests check again for the wanted one.
 */
export function createServedVersions(
  client: Client,
  choices: readonly VersionChoice[],
  { monotonic }: Pick<Clock, 'monotonic'>,
): ServedVersions {
  const states = new Map(
    choices.map((choice: VersionChoice) => [
      idOf(choice.wanted),
      { ...choice, isOlder: false, lookedMs: Number.NEGATIVE_INFINITY },
    ]),
  );
  const listeners = new Set<() => void>();
  type State = typeof states extends Map<string, infer S> ? S : never;

  const use = (state: State, isOlder: boolean) => {
    if (state.isOlder === isOlder) return;
    state.isOlder = isOlder;
    for (const listener of listeners) listener();
  };

  /** The type to request now. */
  async function chosen<T extends KubernetesObject>(state: State, type: ResourceType<T>): Promise<ResourceType<T>> {
    if (state.isOlder && monotonic() - state.lookedMs >= lookAgainMs) {
      state.lookedMs = monotonic();
      if (await isServed(client, state.wanted)) use(state, false);
    }
    return inUse(state, type);
  }

  function inUse<T extends KubernetesObject>(state: State, type: ResourceType<T>): ResourceType<T> {
    return state.isOlder ? { ...type, version: state.older.version } : type;
  }

  /** Whether another version is in use after the answer *not served*. */
  async function isOtherServed(state: State, asked: ResourceType): Promise<boolean> {
    state.lookedMs = monotonic();
    const isOlder = !(await isServed(client, state.wanted)) && (await isServed(client, state.older));
    use(state, isOlder);
    return inUse(state, state.wanted).version !== asked.version;
  }

  function call<T extends KubernetesObject, R>(
    type: ResourceType<T>,
    send: (type: ResourceType<T>) => Promise<R>,
  ): Promise<R> {
    const state = states.get(idOf(type));
    return state === undefined ? send(type) : inServedVersion(state, type, send);
  }

  async function inServedVersion<T extends KubernetesObject, R>(
    state: State,
    type: ResourceType<T>,
    send: (type: ResourceType<T>) => Promise<R>,
  ): Promise<R> {
    const asked = await chosen(state, type);
    try {
      return await send(asked);
    } catch (error) {
      if (!isNotServed(error) || !(await isOtherServed(state, asked))) throw error;
      return send(inUse(state, type));
    }
  }

  /** If the kind is not served, the watch fails, and the next watch uses the other version. */
  async function* watchServed<T extends KubernetesObject>(
    state: State,
    type: ResourceType<T>,
    options: WatchOptions,
  ): AsyncGenerator<WatchEvent<T>> {
    const asked = await chosen(state, type);
    try {
      for await (const event of client.watch(asked, options))
        yield event.type === 'BOOKMARK' ? event : { ...event, object: as(type, event.object) };
    } catch (error) {
      if (isNotServed(error)) await isOtherServed(state, asked);
      throw error;
    }
  }

  return {
    older: () =>
      [...states.values()].flatMap(({ wanted, isOlder, isEquivalent }) =>
        isOlder && isEquivalent !== true ? [resourceNameOf(wanted)] : [],
      ),
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    client: clientInVersions(client, call, (type, options) => {
      const state = states.get(idOf(type));
      return state === undefined ? client.watch(type, options) : watchServed(state, type, options);
    }),
  };
}

/** A client whose requests go through `call`, which uses the current version. */
function clientInVersions(
  client: Client,
  call: <T extends KubernetesObject, R>(
    type: ResourceType<T>,
    send: (served: ResourceType<T>) => Promise<R>,
  ) => Promise<R>,
  watch: Client['watch'],
): Client {
  return {
    ...client,
    get: (type, ref, options) => call(type, async (served) => as(type, await client.get(served, ref, options))),
    list: (type, options) =>
      call(type, async (served) => {
        if (served === type) return client.list(served, options);
        const into = options?.into;
        const list = await client.list(served, {
          ...options,
          into: into && { ...into, add: (item) => into.add(as(type, item)) },
        });
        return { ...list, items: list.items.map((item) => as(type, item)) };
      }),
    watch,
    create: (type, object, options) =>
      call(type, async (served) => as(type, await client.create(served, object, options))),
    update: (type, object, options) =>
      call(type, async (served) => as(type, await client.update(served, object, options))),
    patch: (type, ref, patch, options) =>
      call(type, async (served) => as(type, await client.patch(served, ref, patch, options))),
    delete: (type, ref, options) =>
      call(type, async (served) => {
        const left = await client.delete(served, ref, options);
        return left === undefined ? undefined : as(type, left);
      }),
  };
}

async function isServed(client: Client, type: ResourceType): Promise<boolean> {
  try {
    const { text } = await client.request({ method: 'GET', path: `/apis/${type.group}/${type.version}` });
    const { resources = [] } = JSON.parse(text) as { readonly resources?: readonly { readonly name: string }[] };
    return resources.some(({ name }) => name === type.plural);
  } catch (error) {
    if (isNotServed(error)) return false;
    throw error;
  }
}

/** The object in the wanted version: the caller sees no other version. */
function as<T extends KubernetesObject>(type: ResourceType<T>, object: T): T {
  const apiVersion = apiVersionOf(type);
  return object.apiVersion === apiVersion ? object : { ...object, apiVersion };
}

function idOf({ group, version, plural }: Pick<ResourceType, 'group' | 'version' | 'plural'>): string {
  return `${group}/${version}/${plural}`;
}

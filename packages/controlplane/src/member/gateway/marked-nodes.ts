import { Annotation, Node } from '@isthmus/api';
import type { Client, ReadCache, RunnableCache, World } from '@isthmus/kube';
import { createCache, isUnreadable } from '@isthmus/kube';
import type { KubernetesObject } from '@isthmus/machinery';
import { ignoredMarks } from './ignored-marks.ts';

/**
 * The whole Nodes that users have marked as gateways: with their addresses, and whether they are
 * ready.
 */
export interface MarkedNodes {
  /** Sorted by name. Nodes that have not been read yet are missing. */
  list(): readonly Node[];
  /** Nodes with an annotation that was meant to make them gateways but has no effect. */
  ignored(): readonly KubernetesObject[];
  /** Whether all marked Nodes have been read. */
  readonly synced: boolean;
  /** Whether the Nodes may not be read, as with older manifests. */
  readonly isRefused: boolean;
  /** Whether any Node is marked. */
  readonly isAny: boolean;
  /** Calls `listener` when any of this may have changed. Returns the unsubscriber. */
  readonly onChange: (listener: () => void) => () => void;
  run(signal: AbortSignal): Promise<void>;
}

interface Watched {
  readonly cache: RunnableCache<Node>;
  readonly end: AbortController;
}

/**
 * Finds the marked Nodes by the metadata of all Nodes. Each marked Node has its own watch for the
 * whole object: a cluster has few gateways, and the status of a Node is large.
 */
export function createMarkedNodes(nodes: ReadCache<KubernetesObject>, client: Client, world: World): MarkedNodes {
  const watched = new Map<string, Watched>();
  const others = new Map<string, KubernetesObject>();
  const listeners = new Set<() => void>();
  const notify = () => listeners.forEach((listener) => listener());
  let running: AbortSignal | undefined;
  const follow = (name: string) => {
    if (running === undefined || watched.has(name)) return;
    const cache = createCache<Node>({
      ...world,
      client,
      type: Node,
      name: 'gateway-node',
      fieldSelector: `metadata.name=${name}`,
    });
    const end = new AbortController();
    watched.set(name, { cache, end });
    cache.subscribe(notify);
    cache.onState(notify);
    void cache.run(AbortSignal.any([running, end.signal]));
  };
  const forget = (name: string) => {
    watched.get(name)?.end.abort(new Error('the Node is no longer marked'));
    watched.delete(name);
  };
  nodes.subscribe(({ before, after }) => {
    const { name } = (after ?? before)?.metadata ?? { name: '' };
    const mark = after?.metadata.annotations?.[Annotation.gateway];
    const wasIgnored = others.delete(name);
    const had = watched.has(name) || wasIgnored;
    if (mark === 'true') follow(name);
    else forget(name);
    const isIgnored = after !== undefined && ignoredMarks(after).length > 0;
    if (isIgnored) others.set(name, after);
    if (had || isIgnored || mark !== undefined) notify();
  });
  nodes.onState(notify);
  return {
    list: () => [...watched.values()].flatMap(({ cache }) => cache.list()),
    ignored: () => [...others.values()],
    get synced() {
      return nodes.synced && [...watched.values()].every(({ cache }) => cache.synced);
    },
    get isRefused() {
      return !nodes.synced && isUnreadable(nodes.state);
    },
    get isAny() {
      return watched.size > 0;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async run(signal) {
      running = signal;
      for (const { metadata } of nodes.list())
        if (metadata.annotations?.[Annotation.gateway] === 'true') follow(metadata.name);
      await new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    },
  };
}

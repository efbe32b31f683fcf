import type { ClusterProbes } from '@isthmus/api';
import type { Address } from '@isthmus/machinery';
import { Annotation, Label, Lease, gatewayLeaseName, parseDirectProbes, parseProbes, yes } from '@isthmus/api';
import type { Client, ObservedLease, World } from '@isthmus/kube';
import { createCache, isNotFound, isUnreadable, leaseLeftMs, observeLease } from '@isthmus/kube';
import { equal } from '@isthmus/machinery';
import { dataPlaneOf } from '@isthmus/wire';

/** What the agent on a Node that can be a gateway publishes in its Lease (docs/spec/wire.md §8.4). Nothing of it has been checked. */
export interface CandidateLease {
  readonly isAlive: boolean;
  /** Its address for other clusters. */
  readonly gatewayIP: string | undefined;
  /** Its WireGuard public key. */
  readonly publicKey: string | undefined;
  /** What carries the packets of its cluster. */
  readonly dataPlane: string | undefined;
  /** Where its agent answers probes that take no tunnel. */
  readonly directProbes: readonly Address[];
  /** What its probes say about other clusters; undefined: it does not report them. */
  readonly probes: readonly ClusterProbes[] | undefined;
}

/** The Leases of the Nodes that can be gateways. */
export interface CandidateLeases {
  /** Undefined: the Node has none. */
  of(node: string): CandidateLease | undefined;
  /** Whether they have been read, or may not be. */
  readonly isRead: boolean;
  /** Calls `listener` when any of this is another; a renewal changes nothing. Returns the unsubscriber. */
  readonly onChange: (listener: () => void) => () => void;
  /** From now on they are wanted: a cluster without gateways is not asked for them. */
  follow(): void;
  run(signal: AbortSignal): Promise<void>;
}

interface Seen {
  readonly lease: Lease;
  readonly observed: ObservedLease;
  readonly cancel: () => void;
  readonly isAlive: boolean;
  /** Read once: they are long, and asked for with each other cluster. */
  readonly probes: readonly ClusterProbes[] | undefined;
}

/** A Lease that claims to hold longer holds so long. */
const longestMs = 60_000;

/**
 * Follows the Leases in the Namespace. A Lease expires when its record has not changed for its duration, by the clock of this process: that of the
 * Node is never read. Before it counts as expired the API server is asked, so that a watch that lags, or an API server that is away, ends no
 * candidate.
 */
export function createCandidateLeases(
  client: Client,
  { namespace, world }: { readonly namespace: string; readonly world: World },
): CandidateLeases {
  const { clock } = world;
  const cache = createCache<Lease>({
    ...world,
    client,
    type: Lease,
    name: 'gateway-leases',
    namespace,
    labelSelector: `${Label.gatewayLease}=${yes}`,
  });
  const seen = new Map<string, Seen>();
  const listeners = new Set<() => void>();
  const notify = () => listeners.forEach((listener) => listener());
  const wanted = Promise.withResolvers<void>();
  let running: AbortSignal | undefined;

  const note = (lease: Lease) => {
    const { name } = lease.metadata;
    const before = seen.get(name);
    const shownBefore = before && shownOf(before);
    const nowMs = clock.monotonic();
    const observed = observeLease(before?.observed, lease, nowMs);
    const leftMs = Math.min(leaseLeftMs(lease, observed, nowMs), observed.atMs + longestMs - nowMs);
    const isExpired = before?.observed === observed && !before.isAlive;
    before?.cancel();
    const isAlive = leftMs > 0 && !isExpired;
    const cancel = isAlive ? clock.after(leftMs, () => void confirm(lease, observed)) : () => {};
    const text = lease.metadata.annotations?.[Annotation.probes];
    const isSame = before !== undefined && before.lease.metadata.annotations?.[Annotation.probes] === text;
    const probes = isSame ? before.probes : parseProbes(text);
    const now = { lease, observed, cancel, isAlive, probes };
    seen.set(name, now);
    if (!equal(shownBefore, shownOf(now))) notify();
  };

  /** Asks the API server whether the Lease has expired. One that cannot be asked is asked again. */
  const confirm = async (lease: Lease, observed: ObservedLease): Promise<void> => {
    const isSame = () => seen.get(lease.metadata.name)?.observed === observed;
    const signal = running;
    if (signal === undefined || signal.aborted) return;
    try {
      cache.wrote(await client.get(Lease, { namespace, name: lease.metadata.name }, { signal }));
    } catch (error) {
      if (!isSame() || signal.aborted || isNotFound(error)) return;
      const known = seen.get(lease.metadata.name);
      if (known !== undefined)
        seen.set(lease.metadata.name, {
          ...known,
          cancel: clock.after(retryMs, () => void confirm(lease, observed)),
        });
      return;
    }
    const known = seen.get(lease.metadata.name);
    if (!isSame() || known === undefined) return;
    seen.set(lease.metadata.name, { ...known, isAlive: false });
    notify();
  };

  cache.subscribe(({ before, after }) => {
    if (after !== undefined) return note(after);
    const { name = '' } = before?.metadata ?? {};
    seen.get(name)?.cancel();
    if (seen.delete(name)) notify();
  });
  cache.onState(notify);

  return {
    of(node) {
      const found = seen.get(gatewayLeaseName(node));
      return found && shownOf(found);
    },
    get isRead() {
      return cache.synced || isUnreadable(cache.state);
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    follow: () => wanted.resolve(),
    async run(signal) {
      running = signal;
      signal.addEventListener('abort', () => wanted.resolve(), { once: true });
      await wanted.promise;
      await cache.run(signal);
      seen.forEach(({ cancel }) => cancel());
    },
  };
}

const retryMs = 2_000;

function shownOf({ lease, isAlive, probes }: Pick<Seen, 'lease' | 'isAlive' | 'probes'>): CandidateLease {
  const { [Annotation.gatewayIP]: gatewayIP, [Annotation.publicKey]: publicKey } = lease.metadata.annotations ?? {};
  const directProbes = parseDirectProbes(lease.metadata.annotations?.[Annotation.directProbes]);
  return { isAlive, gatewayIP, publicKey, dataPlane: dataPlaneOf(lease), directProbes, probes };
}

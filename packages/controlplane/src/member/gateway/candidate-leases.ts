import type { ClusterProbes, LocalRange, SmallPath } from '@isthmus/api';
import type { Address } from '@isthmus/machinery';
import {
  Annotation,
  Label,
  Lease,
  gatewayLeaseName,
  parseDirectProbes,
  parseLocalRanges,
  parseProbes,
  parseSmallPaths,
  yes,
} from '@isthmus/api';
import type { Client, ObservedLease, World } from '@isthmus/kube';
import { createCache, isNotFound, isUnreadable, leaseLeftMs, observeLease } from '@isthmus/kube';
import { equal } from '@isthmus/machinery';
import { dataPlaneOf } from '@isthmus/wire';

/**
 * The content of the Lease in which the agent on a possible gateway Node publishes itself
 * (docs/spec/wire.md §8.4). It has not been checked.
 */
export interface CandidateLease {
  readonly isAlive: boolean;
  /** Its address for other clusters. */
  readonly gatewayIP: string | undefined;
  /** Its WireGuard public key. */
  readonly publicKey: string | undefined;
  /** The data plane that carries the packets of its cluster. */
  readonly dataPlane: string | undefined;
  /** The addresses where its agent answers probes outside a tunnel. */
  readonly directProbes: readonly Address[];
  /** What the Node reaches by itself. The kernel keeps it when the agent ends. */
  readonly localRanges: readonly LocalRange[];
  /** The results of its probes of other clusters; undefined: it does not report them. */
  readonly probes: readonly ClusterProbes[] | undefined;
  /** The gateways of other clusters to which its agent loses large packets. */
  readonly smallPaths: readonly SmallPath[];
}

/** The Leases of the Nodes that can be gateways. */
export interface CandidateLeases {
  /** Undefined: the Node has no Lease. */
  of(node: string): CandidateLease | undefined;
  /** Whether they have been read, or may not be read. */
  readonly isRead: boolean;
  /**
   * Calls `listener` when any of this changes. A renewal is not a change. Returns the unsubscriber.
   */
  readonly onChange: (listener: () => void) => () => void;
  /** Begins to read the Leases. A cluster without gateways is not asked for them. */
  follow(): void;
  run(signal: AbortSignal): Promise<void>;
}

interface Seen {
  readonly lease: Lease;
  readonly observed: ObservedLease;
  readonly cancel: () => void;
  readonly isAlive: boolean;
  /** Parsed once: they are long, and each other cluster needs them. */
  readonly probes: readonly ClusterProbes[] | undefined;
}

/** The limit on the duration of a Lease: a longer one is cut to it. */
const longestMs = 60_000;

/**
 * Follows the Leases in the Namespace. A Lease expires when its record has not changed for its
 * duration. This process's clock counts; the Node's clock is never read. Before a Lease counts as
 * expired, the API server is asked. So neither a delayed watch nor an unavailable API server ends a
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

  /**
   * Asks the API server whether the Lease has expired. If it does not answer, it is asked again.
   */
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
  const localRanges = parseLocalRanges(lease.metadata.annotations?.[Annotation.localRanges]);
  const smallPaths = parseSmallPaths(lease.metadata.annotations?.[Annotation.smallPaths]);
  const dataPlane = dataPlaneOf(lease);
  return { isAlive, gatewayIP, publicKey, dataPlane, directProbes, localRanges, probes, smallPaths };
}

import { Node } from '@isthmus/api';
import type { Client, ReadCache, World } from '@isthmus/kube';
import { isNotFound, isUnreadable } from '@isthmus/kube';
import type { Address, Cidr, KubernetesObject } from '@isthmus/machinery';
import { addressText, parseAddress, parseCidr, sleep } from '@isthmus/machinery';
import type { RangeSet } from './range-set.ts';
import { rangeSetOf } from './range-set.ts';

/** The addresses of the Nodes of this cluster, and the ranges of their Pods. */
export interface OwnNodes {
  /** Whether a Node has that address, in canonical form. */
  has(address: string): boolean;
  /** Whether the Pod CIDRs of a Node, by its spec, contain that address. */
  hasPod(address: Address): boolean;
  /**
   * Whether the Nodes have been read. Also true if they cannot be read, as with manifests of an
   * earlier release: nothing is known of them then.
   */
  readonly isKnown: boolean;
  /** Calls `listener` when any of this may have changed. Returns the unsubscriber. */
  readonly onChange: (listener: () => void) => () => void;
  run(signal: AbortSignal): Promise<void>;
}

interface NodeFacts {
  readonly uid: string | undefined;
  readonly addresses: readonly string[];
  readonly podCIDRs: readonly Cidr[];
}

/** How long to wait after a failure, and for a Node that has no address yet. */
const againMs = 60_000;
/** Addresses of a Node rarely change. */
const refreshMs = 3_600_000;
/** How many Nodes are read at once. */
const atOnce = 16;

/**
 * Reads each Node once when it appears, and again every hour. `nodes` has the metadata of all
 * Nodes: a watch of whole Nodes would send each heartbeat of each kubelet.
 */
export function createOwnNodes(nodes: ReadCache<KubernetesObject>, client: Client, world: World): OwnNodes {
  const facts = new Map<string, NodeFacts>();
  const listeners = new Set<() => void>();
  const notify = () => listeners.forEach((listener) => listener());
  let addresses: ReadonlySet<string> | undefined;
  let ranges: RangeSet | undefined;
  let wake = (): void => undefined;
  let isFailing = false;
  const isUnread = ({ metadata: { name, uid } }: KubernetesObject) => facts.get(name)?.uid !== uid;
  const note = (name: string, found: NodeFacts | undefined) => {
    if (found === undefined) facts.delete(name);
    else facts.set(name, found);
    addresses = undefined;
    ranges = undefined;
  };
  nodes.subscribe(({ before, after }) => {
    if (after === undefined) note(before?.metadata.name ?? '', undefined);
    else if (isUnread(after)) wake();
  });
  nodes.onState(() => {
    wake();
    notify();
  });
  const read = async ({ metadata: { name, uid } }: KubernetesObject, signal: AbortSignal) => {
    try {
      note(name, factsOf(uid, await client.get(Node, { name }, { signal })));
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  };
  const readAll = async (wanted: readonly KubernetesObject[], signal: AbortSignal) => {
    for (let at = 0; at < wanted.length; at += atOnce)
      await Promise.all(wanted.slice(at, at + atOnce).map((node) => read(node, signal)));
  };
  return {
    has(address) {
      addresses ??= new Set([...facts.values()].flatMap((one) => one.addresses));
      return addresses.has(address);
    },
    hasPod(address) {
      ranges ??= rangeSetOf([...facts.values()].flatMap(({ podCIDRs }) => podCIDRs));
      return ranges.has(address);
    },
    get isKnown() {
      if (isUnreadable(nodes.state) || isFailing) return true;
      return nodes.synced && !nodes.list().some(isUnread);
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async run(signal) {
      let refreshedMs = world.clock.monotonic();
      while (!signal.aborted) {
        const woken = new Promise<void>((resolve) => (wake = resolve));
        const nowMs = world.clock.monotonic();
        const isRefresh = nowMs - refreshedMs >= refreshMs;
        if (isRefresh) refreshedMs = nowMs;
        const isWanted = (node: KubernetesObject) =>
          isRefresh || isUnread(node) || facts.get(node.metadata.name)?.addresses.length === 0;
        try {
          await readAll(nodes.list().filter(isWanted), signal);
          isFailing = false;
        } catch (error) {
          isFailing = true;
          world.log.debug('the Nodes of this cluster cannot be read', { why: String(error) });
        }
        notify();
        const isIncomplete = isFailing || [...facts.values()].some((one) => one.addresses.length === 0);
        const end = new AbortController();
        const pause = sleep(world.clock, isIncomplete ? againMs : refreshMs, AbortSignal.any([signal, end.signal]));
        await Promise.race([pause.catch(() => undefined), woken]);
        end.abort(new Error('a Node appeared'));
      }
    },
  };
}

function factsOf(uid: string | undefined, { spec, status }: Node): NodeFacts {
  const { podCIDR, podCIDRs = podCIDR === undefined ? [] : [podCIDR] } = spec ?? {};
  const addresses = (status?.addresses ?? []).flatMap(({ address }) => parseAddress(address) ?? []).map(addressText);
  return { uid, addresses, podCIDRs: podCIDRs.flatMap((text) => parseCidr(text) ?? []) };
}

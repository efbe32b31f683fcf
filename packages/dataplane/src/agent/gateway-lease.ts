import type { ClusterProbes, LocalRange, SmallPath } from '@isthmus/api';
import {
  Annotation,
  Label,
  Lease,
  directProbesText,
  gatewayLeaseName,
  localRangesText,
  probesText,
  smallPathsText,
  yes,
} from '@isthmus/api';
import type { Access, Client, Reconciler } from '@isthmus/kube';
import { again, atStart, defineReconciler, isAlreadyExists, isNotFound } from '@isthmus/kube';
import type { Address, Clock } from '@isthmus/machinery';
import { equal, rfc3339Micro } from '@isthmus/machinery';

export interface GatewayLeaseOptions {
  readonly client: Client;
  /** The Namespace of the member's controller, which reads the Lease. */
  readonly namespace: string;
  readonly node: string;
  readonly clock: Clock;
  /**
   * The capabilities of the Node as a gateway now. Undefined: the Node is not a gateway, or its
   * network is not written.
   */
  readonly offer: () => GatewayOffer | undefined;
  /**
   * The probes of gateways of other clusters by this Node. Default: no probes, and none are
   * reported.
   */
  readonly probes?: (() => readonly ClusterProbes[]) | undefined;
  /**
   * The gateways of other clusters to which large packets are lost. Default: none.
   */
  readonly smallPaths?: (() => readonly SmallPath[]) | undefined;
  /**
   * What the Node reaches by itself. A change is published with the next renewal. Default: nothing.
   */
  readonly localRanges?: (() => readonly LocalRange[]) | undefined;
  /**
   * Called after each attempt, with why the Lease could not be written, or with undefined after a
   * success. Default: not called.
   */
  readonly onWritten?: ((error: unknown) => void) | undefined;
}

export interface GatewayOffer {
  /** Undefined: packets between gateways are not encrypted. */
  readonly publicKey: string | undefined;
  /** The CNI whose eBPF programs bypass nft on the Node. Default: none. */
  readonly bypassedBy?: string | undefined;
  /** The addresses at which the Node answers packets that come without a tunnel. Default: none. */
  readonly directProbes?: readonly Address[] | undefined;
}

/**
 * The permissions that the agent of a Node needs for its Lease. An admission policy restricts them
 * to the Lease of its own Node.
 */
export const gatewayLeaseAccess: readonly Access[] = [
  { at: 'local', type: Lease, scope: 'own', verbs: ['create', 'patch'] },
];

/**
 * The longest that a controller trusts a Lease. An agent that is replaced, or whose image is
 * pulled, remains a gateway for so long.
 */
const durationSeconds = 60;
const renewMs = 10_000;
/** How often the agent checks whether the offer has changed. */
const lookMs = 1_000;

/** The value by which members know that other clusters reach their Pods (docs/spec/wire.md §9). */
const ourDataPlane = 'isthmus';

const theOnly = 'lease';

/**
 * Publishes in a Lease that this Node is alive as a gateway (docs/spec/wire.md §8.4, §9). The Lease
 * has the WireGuard public key of the Node, what carries its packets, and the gateways of other
 * clusters that answer. It is written at once when the key changes or a gateway comes or goes, and
 * otherwise every ten seconds.
 *
 * When the Node stops being a gateway, the Lease is given back, so the controller need not wait
 * until it expires. When the agent stops, the Lease is kept: the kernel continues to forward, and
 * the next run renews it.
 */
export function gatewayLease(options: GatewayLeaseOptions): Reconciler {
  const { client, namespace, node, clock, offer, probes, onWritten = () => {} } = options;
  const { smallPaths = () => [], localRanges = () => [] } = options;
  const ref = { namespace, name: gatewayLeaseName(node) };
  let published: { readonly offer: GatewayOffer; readonly answers: string; readonly atMs: number } | undefined;

  async function publish(
    { publicKey, bypassedBy, directProbes = [] }: GatewayOffer,
    found: readonly ClusterProbes[] | undefined,
    small: string,
  ) {
    const metadata = {
      labels: { [Label.gatewayLease]: yes },
      // A null removes the annotation.
      annotations: {
        [Annotation.dataPlane]: ourDataPlane,
        [Annotation.publicKey]: publicKey ?? null,
        [Annotation.bypassedBy]: bypassedBy ?? null,
        [Annotation.directProbes]: directProbesText(directProbes) || null,
        [Annotation.probes]: found === undefined ? null : probesText(found),
        [Annotation.smallPaths]: small || null,
        [Annotation.localRanges]: localRangesText(localRanges()) || null,
      },
    };
    const spec = {
      holderIdentity: node,
      leaseDurationSeconds: durationSeconds,
      renewTime: rfc3339Micro(clock.now()),
    };
    const patch = () => client.patch(Lease, ref, { type: 'merge', body: { metadata, spec } });
    try {
      await patch();
    } catch (error) {
      if (!isNotFound(error)) throw error;
      const annotations = Object.fromEntries(
        Object.entries(metadata.annotations).flatMap(([name, value]) =>
          value === null ? [] : [[name, value] as const],
        ),
      );
      await client
        .create(Lease, { metadata: { ...ref, labels: metadata.labels, annotations }, spec })
        .catch(async (refused: unknown) => {
          if (!isAlreadyExists(refused)) throw refused;
          await patch();
        });
    }
  }

  async function giveBack(): Promise<void> {
    try {
      await client.patch(Lease, ref, { type: 'merge', body: { spec: { holderIdentity: '' } } });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  return defineReconciler({
    name: 'gateway-lease',
    concurrency: 1,
    sources: [atStart(theOnly)],
    access: gatewayLeaseAccess,
    async reconcile() {
      const now = offer();
      const nowMs = clock.monotonic();
      const found = probes?.();
      const small = smallPathsText(smallPaths());
      const answers = `${answersOf(found)}; ${small}`;
      const isDue =
        now !== undefined &&
        (published === undefined ||
          !equal(published.offer, now) ||
          published.answers !== answers ||
          nowMs - published.atMs >= renewMs);
      if (isDue) {
        try {
          await publish(now, found, small);
        } catch (error) {
          onWritten(error);
          throw error;
        }
        onWritten(undefined);
        published = { offer: now, answers, atMs: nowMs };
      } else if (now === undefined && published !== undefined) {
        await giveBack();
        published = undefined;
      }
      if (now === undefined) onWritten(undefined);
      return again(lookMs, 'the Lease of the gateway is renewed');
    },
  });
}

/**
 * The part of the probes whose change is written at once. Times and losses wait for the next
 * renewal.
 */
function answersOf(found: readonly ClusterProbes[] = []): string {
  return found.map(({ clusterID, answering, silent }) => `${clusterID} ${answering} ${silent}`).join(', ');
}

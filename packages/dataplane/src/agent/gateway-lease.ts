import type { ClusterProbes } from '@isthmus/api';
import { Annotation, Label, Lease, directProbesText, gatewayLeaseName, probesText, yes } from '@isthmus/api';
import type { Access, Client, Reconciler } from '@isthmus/kube';
import { again, atStart, defineReconciler, isAlreadyExists, isNotFound } from '@isthmus/kube';
import type { Address, Clock } from '@isthmus/machinery';
import { equal, rfc3339Micro } from '@isthmus/machinery';

export interface GatewayLeaseOptions {
  readonly client: Client;
  /** Of the member's controller, which reads the Lease. */
  readonly namespace: string;
  readonly node: string;
  readonly clock: Clock;
  /** What the Node can do as a gateway now; undefined: it is none, or its network is not written. */
  readonly offer: () => GatewayOffer | undefined;
  /** What the Node knows of the gateways of other clusters. Default: nothing, and none is reported. */
  readonly probes?: (() => readonly ClusterProbes[]) | undefined;
  /** Learns why the Lease could not be written, or, with undefined, that it was. Default: nobody does. */
  readonly onWritten?: ((error: unknown) => void) | undefined;
}

export interface GatewayOffer {
  /** Undefined: packets between gateways are not encrypted. */
  readonly publicKey: string | undefined;
  /** The CNI whose eBPF programs bypass nft on the Node. Default: none. */
  readonly bypassedBy?: string | undefined;
  /** Where it answers what comes without a tunnel. Default: nowhere. */
  readonly directProbes?: readonly Address[] | undefined;
}

/** What the agent of a Node may do with its Lease. An admission policy keeps it to the one of its own Node. */
export const gatewayLeaseAccess: readonly Access[] = [
  { at: 'local', type: Lease, scope: 'own', verbs: ['create', 'patch'] },
];

/** The longest that a controller trusts a Lease: an agent that is replaced, or whose image is pulled, stays a gateway for so long. */
const durationSeconds = 60;
const renewMs = 10_000;
/** How often it is looked whether the offer is another. */
const lookMs = 1_000;

/** By which members know that other clusters reach their Pods (docs/spec/wire.md §9). */
const ourDataPlane = 'isthmus';

const theOnly = 'lease';

/**
 * Publishes in a Lease that this Node is alive as a gateway, its WireGuard public key, what carries its packets, and which gateways of other clusters answer (docs/spec/wire.md §8.4, §9): at once when the
 * key is another or a gateway comes or goes, and else every ten seconds. When it is no gateway any more, the Lease is given back, so that the controller need not wait until it expires. When the agent stops, it is
 * not: the kernel goes on forwarding, and the next run renews it.
 */
export function gatewayLease(options: GatewayLeaseOptions): Reconciler {
  const { client, namespace, node, clock, offer, probes, onWritten = () => {} } = options;
  const ref = { namespace, name: gatewayLeaseName(node) };
  let published: { readonly offer: GatewayOffer; readonly answers: string; readonly atMs: number } | undefined;

  async function publish(
    { publicKey, bypassedBy, directProbes = [] }: GatewayOffer,
    found: readonly ClusterProbes[] | undefined,
  ) {
    const metadata = {
      labels: { [Label.gatewayLease]: yes },
      // Null: absent.
      annotations: {
        [Annotation.dataPlane]: ourDataPlane,
        [Annotation.publicKey]: publicKey ?? null,
        [Annotation.bypassedBy]: bypassedBy ?? null,
        [Annotation.directProbes]: directProbesText(directProbes) || null,
        [Annotation.probes]: found === undefined ? null : probesText(found),
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
      const answers = answersOf(found);
      const isDue =
        now !== undefined &&
        (published === undefined ||
          !equal(published.offer, now) ||
          published.answers !== answers ||
          nowMs - published.atMs >= renewMs);
      if (isDue) {
        try {
          await publish(now, found);
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

/** What is worth a write of its own: times and losses wait for the next renewal. */
function answersOf(found: readonly ClusterProbes[] = []): string {
  return found.map(({ clusterID, answering, silent }) => `${clusterID} ${answering} ${silent}`).join(', ');
}

import type { ClusterClaim, ClusterSet, Secret, VirtualPodCIDR } from '@isthmus/api';
import { Annotation, Finalizer, virtualPodCIDRsText } from '@isthmus/api';
import { equal } from '@isthmus/machinery';
import { claimMismatch, memberClusterID } from '@isthmus/wire';
import type { Membership } from '../membership.ts';
import { decideMembership } from '../membership.ts';

/** The Secret that the ClusterSet names, as far as it is known. */
export type SecretLook =
  | { readonly kind: 'unread' }
  /** The API server of this cluster does not allow the controller to read it. */
  | { readonly kind: 'denied' }
  | { readonly kind: 'read'; readonly secret: Secret | undefined };

export interface JoiningInput {
  /** The ClusterSet that is served. */
  readonly served: ClusterSet | undefined;
  readonly claims: readonly ClusterClaim[];
  readonly secret: SecretLook;
  /**
   * The cluster ID under which the leader currently accepts this cluster; undefined while it does
   * not.
   */
  readonly connectedAs: string | undefined;
  /**
   * The virtual ranges of this cluster. Undefined, the default: not known, so the recorded ranges
   * stay.
   */
  readonly virtual?: readonly VirtualPodCIDR[] | undefined;
  readonly decodeBase64: (text: string) => string;
}

export type JoiningDecision =
  /** It is not known yet which membership the ClusterSet asks for. */
  | { readonly kind: 'wait' }
  | {
      readonly kind: 'decided';
      readonly membership: Membership;
      /**
       * Whether the membership may begin. The ClusterSet must match `wanted` first: its finalizer
       * ensures that imports are removed again.
       */
      readonly mayBegin: boolean;
      /** The wanted served ClusterSet, without its status. Undefined: leave it unchanged. */
      readonly wanted: ClusterSet | undefined;
      /** The field that a ClusterClaim contradicts. */
      readonly mismatch: string | undefined;
    };

/**
 * Decides the membership of this cluster, and the changes that its ClusterSet needs first. A Secret
 * is not needed to clean up when the cluster leaves.
 */
export function decideJoining(input: JoiningInput): JoiningDecision {
  const { claims, secret, connectedAs, decodeBase64 } = input;
  const served = input.served === undefined ? undefined : joinedClusterSet(input.served, connectedAs);
  if (secret.kind === 'unread' && served?.metadata.deletionTimestamp === undefined) return { kind: 'wait' };
  const found = secret.kind === 'read' ? secret.secret : secret.kind === 'denied' ? secret.kind : undefined;
  const membership = decideMembership({ clusterSet: served, claims, secret: found, decodeBase64 });
  const isHeld = served === undefined || (served.metadata.finalizers ?? []).includes(Finalizer.leave);
  const joins = served !== undefined && membership.kind !== 'leaving';
  return {
    kind: 'decided',
    membership,
    mayBegin: isHeld || membership.kind === 'leaving',
    wanted: joins ? translatedClusterSet(heldClusterSet(served, claims), input.virtual) : undefined,
    mismatch: joins ? claimMismatch(served, claims) : undefined,
  };
}

/**
 * Adds the ID that the cluster joined with. From then on this ID counts, even if the spec changes.
 * An ID that the leader has not accepted is not recorded, so that the spec can name another.
 */
function joinedClusterSet(served: ClusterSet, connectedAs: string | undefined): ClusterSet {
  const { metadata } = served;
  if (connectedAs === undefined || metadata.annotations?.[Annotation.joinedAs] !== undefined) return served;
  return {
    ...served,
    metadata: { ...metadata, annotations: { ...metadata.annotations, [Annotation.joinedAs]: connectedAs } },
  };
}

/** Adds the virtual ranges, which the agents of this cluster read there. */
function translatedClusterSet(clusterSet: ClusterSet, virtual: JoiningInput['virtual']): ClusterSet {
  if (virtual === undefined) return clusterSet;
  const { metadata } = clusterSet;
  const { [Annotation.virtualPodCIDRs]: _, ...others } = metadata.annotations ?? {};
  const text = virtualPodCIDRsText(virtual);
  const annotations = text === '' ? others : { ...others, [Annotation.virtualPodCIDRs]: text };
  if (equal(annotations, metadata.annotations ?? {})) return clusterSet;
  return { ...clusterSet, metadata: { ...metadata, annotations } };
}

/**
 * Adds the finalizer, which ensures that everything is removed again. Also adds the cluster ID to
 * the spec if a claim has it.
 */
function heldClusterSet(served: ClusterSet, claims: readonly ClusterClaim[]): ClusterSet {
  const { metadata, spec } = served;
  const id = memberClusterID(served, claims);
  const lacksID = spec !== undefined && id.kind === 'known' && id.fromClaim;
  return {
    ...served,
    metadata: { ...metadata, finalizers: [...new Set([...(metadata.finalizers ?? []), Finalizer.leave])] },
    spec: lacksID ? { ...spec, clusterID: id.clusterID } : spec,
  };
}

/** The finalizers of a ClusterSet without ours. */
export function releasedFinalizers({ metadata }: ClusterSet): readonly string[] {
  return (metadata.finalizers ?? []).filter((name) => name !== Finalizer.leave);
}

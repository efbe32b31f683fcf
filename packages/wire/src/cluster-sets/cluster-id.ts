import type { ClusterClaim, ClusterSet, ReasonOn, leaderClusterSetStatus, memberClusterSetStatus } from '@isthmus/api';
import { Annotation, ClusterClaimName, clusterIDErrors } from '@isthmus/api';

/**
 * The cluster's own ID: spec.clusterID, or the claim that ClusterSets before Antrea 1.13 used
 * (docs/spec/membership.md §2). An ID becomes a label value, and part of object names and of a
 * finalizer. `clusterIDErrors` has the rules for it (docs/spec/wire.md §5).
 */
export type ClusterIDChoice =
  | {
      readonly kind: 'known';
      readonly clusterID: string;
      /** It came from a claim: write it into the spec. */ readonly fromClaim: boolean;
    }
  | { readonly kind: 'unknown'; readonly reason: ReasonOfBoth; readonly message: string };

/** The reasons that the ClusterSet of a leader and that of a member may report. */
type ReasonOfBoth = ReasonOn<typeof leaderClusterSetStatus, 'Ready=False'> &
  ReasonOn<typeof memberClusterSetStatus, 'Ready=False'>;

/**
 * Chooses the cluster ID of `clusterSet` from its spec and the ClusterClaims of its Namespace. The
 * spec wins.
 */
export function chooseClusterID(clusterSet: ClusterSet, claims: readonly ClusterClaim[]): ClusterIDChoice {
  const written = clusterSet.spec?.clusterID ?? '';
  const clusterID = written === '' ? claimed(claims, isClusterIDClaim) : written;
  const name = clusterSet.metadata.name;
  if (clusterID === undefined) {
    return {
      kind: 'unknown',
      reason: 'ClusterIDNotSet',
      message: `ClusterSet ${name}: spec.clusterID is not set. Set it to the ID of this cluster.`,
    };
  }
  const problems = clusterIDErrors(clusterID);
  if (problems.length > 0) {
    return {
      kind: 'unknown',
      reason: 'InvalidClusterID',
      message: `ClusterSet ${name}: cluster ID ${JSON.stringify(clusterID)} is not valid: ${problems.join('; ')}. Choose another ID.`,
    };
  }
  return { kind: 'known', clusterID, fromClaim: written === '' };
}

/**
 * The ID that a member uses: the one that it joined with, for as long as it is a member. The spec
 * decides for the first join, and again for the next join after leaving.
 */
export function memberClusterID(clusterSet: ClusterSet, claims: readonly ClusterClaim[]): ClusterIDChoice {
  const joinedAs = clusterSet.metadata.annotations?.[Annotation.joinedAs];
  if (joinedAs === undefined || clusterIDErrors(joinedAs).length > 0) return chooseClusterID(clusterSet, claims);
  return { kind: 'known', clusterID: joinedAs, fromClaim: (clusterSet.spec?.clusterID ?? '') === '' };
}

/** The message if the spec names another ID than the one that the cluster joined with. */
export function changedClusterID(clusterSet: ClusterSet): string | undefined {
  const joinedAs = clusterSet.metadata.annotations?.[Annotation.joinedAs];
  const written = clusterSet.spec?.clusterID ?? '';
  if (joinedAs === undefined || written === '' || written === joinedAs) return undefined;
  return `spec.clusterID is ${JSON.stringify(written)}, but this cluster joined as ${joinedAs} and remains a member under that ID, which cannot change until it leaves. To join as ${JSON.stringify(written)}, delete the ClusterSet and create it again; otherwise set spec.clusterID back.`;
}

/**
 * The message if a ClusterClaim of the Namespace names another ClusterSet (seeds: claim
 * `clusterSet.k8s.io`), or another cluster ID than the spec. The ClusterSet decides.
 */
export function claimMismatch({ metadata, spec }: ClusterSet, claims: readonly ClusterClaim[]): string | undefined {
  const set = claimed(claims, isClusterSetClaim);
  const id = claimed(claims, isClusterIDClaim);
  const written = spec?.clusterID ?? '';
  const complaints = [
    ...(set === undefined || set === metadata.name
      ? []
      : [
          `ClusterClaim names ClusterSet ${set}, but this ClusterSet is ${metadata.name}. Correct or delete the claim.`,
        ]),
    ...(id === undefined || written === '' || id === written
      ? []
      : [`ClusterClaim names the cluster ${id}, but spec.clusterID is ${written}. Correct or delete the claim.`]),
  ];
  return complaints.length === 0 ? undefined : complaints.join(' ');
}

function claimed(claims: readonly ClusterClaim[], matches: (property: string) => boolean): string | undefined {
  // v1alpha1 names the property in the field `name`, v1alpha2 in metadata.name.
  const claim = claims.find((c) => matches(c.name ?? c.metadata.name) && (c.value ?? '') !== '');
  return claim?.value;
}

const isClusterIDClaim = (property: string) => property === ClusterClaimName.clusterID;
const isClusterSetClaim = (property: string) =>
  property === ClusterClaimName.clusterSet || property === ClusterClaimName.legacyClusterSet;

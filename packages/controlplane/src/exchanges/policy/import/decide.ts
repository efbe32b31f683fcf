import type { ClusterNetworkPolicy, ReasonOn, ResourceImport, memberClusterSetStatus } from '@isthmus/api';
import { Annotation, Label, defaultTier, importedPolicyName, managedByIsthmus, payloadHash, yes } from '@isthmus/api';
import type { Live } from '@isthmus/machinery';
import { canonicalJson } from '@isthmus/machinery';
import { isPolicyPayload, leaderAnnotations, policyPayloadProblem, shown } from '@isthmus/wire';
import { isOurPolicy } from '../local/policies.ts';
import { covers } from './covers.ts';

/** Why a policy is not imported. */
export type PolicyProblem = ReasonOn<typeof memberClusterSetStatus, 'PoliciesNotImported=True'>;

export interface PolicyImportInput {
  /** The name of the policy in the ClusterSet. */
  readonly name: string;
  /** The import on the leader. Undefined: the policy is not published, or no longer published. */
  readonly remote: ResourceImport | undefined;
  /** The object with this name in this cluster, no matter which client created it. */
  readonly current: Live<ClusterNetworkPolicy> | undefined;
  /** Whether this cluster serves policies; undefined: not known yet. */
  readonly hasEngine: boolean | undefined;
  readonly hasTier: (name: string) => boolean;
  /** The Common Area of the session; absent without one. */
  readonly area?: string | undefined;
}

export type PolicyImportDecision =
  | { readonly kind: 'nothing' }
  /** The objects for the decision have not been read. */
  | { readonly kind: 'wait' }
  | { readonly kind: 'withdraw'; readonly object: ClusterNetworkPolicy }
  | { readonly kind: 'import'; readonly object: ClusterNetworkPolicy }
  | {
      readonly kind: 'problem';
      readonly reason: PolicyProblem;
      /** The problem in this cluster and the next step, without a full stop. */
      readonly message: string;
      /** An object that was imported before and must not stay. */
      readonly obsolete?: ClusterNetworkPolicy | undefined;
    };

/**
 * Decides which object this cluster has for one policy of the ClusterSet. A policy is removed if it
 * moves to a Tier that does not exist here, as Antrea's members do. If its Tier is deleted, it
 * stays unchanged.
 */
export function decidePolicyImport(input: PolicyImportInput): PolicyImportDecision {
  const { name, remote, current, hasEngine, area = '' } = input;
  const ours = current !== undefined && isOurPolicy(current) ? current : undefined;
  const payload: unknown = remote?.spec?.clusternetworkpolicy;
  if (remote === undefined) return ours === undefined ? { kind: 'nothing' } : { kind: 'withdraw', object: ours };
  // An import without a payload has no meaning. It does not mean that the policy is withdrawn.
  if (!isPolicyPayload(payload)) return { kind: 'nothing' };
  const unfit = policyPayloadProblem(payload);
  if (unfit !== undefined) {
    const message = `its spec on the leader ${unfit}. Correct its ResourceExport`;
    return { kind: 'problem', reason: rejectedReason(ours), message };
  }
  if (hasEngine === undefined) return { kind: 'wait' };
  const importedName = importedPolicyName(name);
  if (!hasEngine) {
    const message = `this cluster does not serve ClusterNetworkPolicies and Tiers (crd.antrea.io). Install Antrea in it`;
    return { kind: 'problem', reason: 'NoPolicyEngine', message };
  }
  if (current !== undefined && ours === undefined) {
    const message = `ClusterNetworkPolicy ${importedName} was not created by Isthmus and is not changed. Delete or rename it`;
    return { kind: 'problem', reason: 'ForeignPolicy', message };
  }
  const tier = tierOf(payload.tier);
  if (!input.hasTier(tier)) {
    const isKept = ours?.spec?.['tier'] === tier;
    const cure = 'Create it, or change the tier of the policy on the leader';
    if (isKept) {
      const message = `Tier ${shown(tier)} no longer exists in this cluster. ${cure}`;
      return { kind: 'problem', reason: 'TierDeleted', message };
    }
    const message = `Tier ${shown(tier)} does not exist in this cluster. ${cure}`;
    return { kind: 'problem', reason: 'TierNotFound', message, obsolete: ours };
  }
  const wanted: Readonly<Record<string, unknown>> = { ...payload, tier };
  return { kind: 'import', object: imported(importedName, { ours, wanted, remote, area }) };
}

/** Why a policy is not accepted. `current`: the existing object under its name. */
export function rejectedReason(current: ClusterNetworkPolicy | undefined): PolicyProblem {
  return current === undefined ? 'PolicyRejected' : 'PolicyUpdateRejected';
}

/** The Tier of a policy, which may be missing in the policy. */
export function tierOf(tier: unknown): string {
  return typeof tier === 'string' && tier !== '' ? tier : defaultTier;
}

function imported(
  name: string,
  {
    ours,
    wanted,
    remote,
    area,
  }: {
    readonly ours: ClusterNetworkPolicy | undefined;
    readonly wanted: Readonly<Record<string, unknown>>;
    readonly remote: ResourceImport;
    readonly area: string;
  },
): ClusterNetworkPolicy {
  const hash = payloadHash(canonicalJson(wanted));
  const before = ours?.metadata ?? { name };
  // Antrea's webhook names the rules, and may set other fields. Differences of that kind are not
  // repaired.
  const isSame = before.annotations?.[Annotation.importedSpec] === hash && covers(ours?.spec, wanted);
  return {
    ...ours,
    metadata: {
      ...before,
      labels: { ...before.labels, [Label.managedBy]: managedByIsthmus },
      annotations: {
        ...leaderAnnotations(before.annotations ?? {}, remote, area),
        [Annotation.importedPolicy]: yes,
        [Annotation.importedSpec]: hash,
      },
    },
    spec: isSame ? ours?.spec : wanted,
  };
}

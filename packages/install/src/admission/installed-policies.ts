import type { ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding } from '@isthmus/api';
import { equal, firstOf } from '@isthmus/machinery';
import { shown } from '@isthmus/wire';
import { applyManifest } from '@isthmus/controlplane';
import type { AdmissionProblem } from '@isthmus/controlplane';
import type { AdmissionRule } from './admission-rule.ts';
import { admissionName, admissionReaderName, bindingSpec, policySpec } from './policy-specs.ts';

/**
 * A policy and its binding, as the API server returns them; undefined: it has no object of that
 * name.
 */
export interface InstalledRule {
  readonly rule: AdmissionRule;
  readonly policy: ValidatingAdmissionPolicy | undefined;
  readonly binding: ValidatingAdmissionPolicyBinding | undefined;
}

export interface InstalledPolicies {
  readonly namespace: string;
  /** The manifest that has the policies. */
  readonly manifest: string;
  readonly rules: readonly InstalledRule[];
}

/** A message with all names would not be more useful. */
const mostNamed = 5;

/**
 * The problem if not all policies of a controller are in force for its ClusterSet; undefined if
 * they are. An edited policy is compared by the requests that it rejects, not by its messages,
 * which change between releases.
 */
export function admissionProblem({ namespace, manifest, rules }: InstalledPolicies): AdmissionProblem | undefined {
  const found = rules.flatMap((installed) => defectsOf(installed, namespace));
  if (found.length === 0) return undefined;
  const defects = firstOf(found, mostNamed, ({ what }) => what).join('; ');
  return {
    reason: found.some(({ isMissing }) => isMissing) ? 'AdmissionPolicyMissing' : 'AdmissionPolicyChanged',
    message: `The API server does not reject all that it should in Namespace ${namespace}: ${defects}. Apply the manifest of the release of this controller again: ${applyManifest(manifest)}. If they are left out on purpose, end this check: kubectl delete clusterrolebinding ${admissionReaderName(namespace)}`,
  };
}

/** The oldest version with ValidatingAdmissionPolicies, which separate the members of a leader. */
export const oldestKubernetes = '1.30';

/**
 * The report that an API server serves no ValidatingAdmissionPolicies. `version`: its own, with its
 * `v`. They are disabled if its version is new enough.
 */
export function unservedPolicies(input: {
  readonly namespace: string;
  readonly manifest: string;
  readonly version: string;
}): AdmissionProblem {
  const { namespace, manifest, version } = input;
  const cure = isOlder(version)
    ? `Isthmus supports Kubernetes ${oldestKubernetes} and later: upgrade this cluster`
    : 'This version of Kubernetes has them, so they are switched off: remove admissionregistration.k8s.io/v1=false from the --runtime-config of kube-apiserver';
  return {
    reason: 'AdmissionPoliciesNotServed',
    message: `The API server, Kubernetes ${version}, serves no ValidatingAdmissionPolicies, so it does not reject what it should in Namespace ${namespace}. ${cure}, and then apply the manifest again: ${applyManifest(manifest)}. To end this check without doing so: kubectl delete clusterrolebinding ${admissionReaderName(namespace)}`,
  };
}

/** Whether a version such as `v1.29.4-gke.1` is older than the oldest one with these policies. */
function isOlder(version: string): boolean {
  const [major = 0, minor = 0] = oldestKubernetes.split('.').map(Number);
  const [, ownMajor, ownMinor] = /^v?(\d+)\.(\d+)/.exec(version) ?? [];
  return Number(ownMajor) < major || (Number(ownMajor) === major && Number(ownMinor) < minor);
}

interface Defect {
  readonly what: string;
  readonly isMissing: boolean;
}

function defectsOf({ rule, policy, binding }: InstalledRule, namespace: string): readonly Defect[] {
  const name = admissionName(rule, namespace);
  // A policy without its binding has no effect, and neither has a binding without its policy.
  const missing = [
    ...(policy === undefined ? ['ValidatingAdmissionPolicy'] : []),
    ...(binding === undefined ? ['ValidatingAdmissionPolicyBinding'] : []),
  ];
  if (policy === undefined || binding === undefined)
    return [{ what: `${missing.join(' and ')} ${name} missing`, isMissing: true }];
  const { spec } = binding;
  const actions = spec?.validationActions ?? [];
  const defects = [
    ...(equal(judged(policy.spec), judged(policySpec(rule, namespace)))
      ? []
      : [`ValidatingAdmissionPolicy ${name} differs from that of this release`]),
    ...(equal(bound(spec), bound(bindingSpec(rule, namespace)))
      ? []
      : [`ValidatingAdmissionPolicyBinding ${name} differs from that of this release`]),
    ...(actions.includes('Deny')
      ? []
      : [`ValidatingAdmissionPolicyBinding ${name} has validationActions ${shown(actions.join(', '))} without Deny`]),
  ];
  return defects.map((what) => ({ what, isMissing: false }));
}

/**
 * The fields that decide whether a policy rejects a request. Fields that a later API server sets by
 * itself are ignored.
 */
function judged(spec: ValidatingAdmissionPolicy['spec']): unknown {
  const { failurePolicy, paramKind, matchConstraints, matchConditions = [], validations = [] } = spec ?? {};
  const {
    matchPolicy,
    namespaceSelector,
    objectSelector,
    resourceRules = [],
    excludeResourceRules = [],
  } = matchConstraints ?? {};
  return {
    failurePolicy,
    paramKind: { apiVersion: paramKind?.apiVersion, kind: paramKind?.kind },
    matchPolicy,
    namespaceSelector,
    objectSelector: objectSelector ?? {},
    excludeResourceRules,
    resourceRules: resourceRules.map((rule) => ({
      apiGroups: rule.apiGroups,
      apiVersions: rule.apiVersions,
      resources: rule.resources,
      operations: rule.operations,
      scope: rule.scope,
      resourceNames: rule.resourceNames ?? [],
    })),
    matchConditions: matchConditions.map(({ expression }) => expression),
    validations: validations.map(({ expression }) => expression),
  };
}

/** The same for a binding, without its actions: further actions do no harm. */
function bound(spec: ValidatingAdmissionPolicyBinding['spec']): unknown {
  const { policyName, paramRef, matchResources } = spec ?? {};
  return { policyName, paramRef, matchResources };
}

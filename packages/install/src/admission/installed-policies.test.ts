import type { ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding } from '@isthmus/api';
import { describe, expect, it } from 'vitest';
import type { InstalledRule } from './installed-policies.ts';
import { admissionProblem, unservedPolicies } from './installed-policies.ts';
import { admissionName, bindingSpec, policySpec } from './policy-specs.ts';
import { leaderRules, memberRules } from './rules.ts';

const namespace = 'area';
const name = 'area-isthmus-own-exports';
const installed = (rules = leaderRules): readonly InstalledRule[] =>
  rules.map((rule) => ({
    rule,
    policy: { metadata: { name: admissionName(rule, namespace) }, spec: policySpec(rule, namespace) },
    binding: { metadata: { name: admissionName(rule, namespace) }, spec: bindingSpec(rule, namespace) },
  }));
const problemOf = (rules: readonly InstalledRule[]) =>
  admissionProblem({ namespace, manifest: 'deploy/leader.yaml', rules });
/** All policies, with a change to that of own exports. */
const withOne = (change: (one: InstalledRule) => Partial<InstalledRule>) =>
  problemOf(installed().map((one) => (one.rule.name === 'own-exports' ? { ...one, ...change(one) } : one)));
const cure =
  'Apply the manifest of the release of this controller again: kubectl apply -f deploy/leader.yaml, with the settings that you changed in it (with Helm: helm upgrade). If they are left out on purpose, end this check: kubectl delete clusterrolebinding area-isthmus-read-admission';
const policyWith = (spec: ValidatingAdmissionPolicy['spec']) =>
  withOne(({ policy }) => ({ policy: { metadata: { name }, spec: { ...policy?.spec, ...spec } } }));
const bindingWith = (spec: ValidatingAdmissionPolicyBinding['spec']) =>
  withOne(({ binding }) => ({ binding: { metadata: { name }, spec: { ...binding?.spec, ...spec } } }));
const constraints = policySpec(leaderRules[1] ?? expect.fail('no rule'), namespace).matchConstraints;

describe('the policies of a controller', () => {
  it.each([
    ['leader', leaderRules],
    ['member', memberRules],
  ])('of a %s cause no report as the manifests have them', (_, rules) => {
    expect(problemOf(installed(rules))).toBeUndefined();
  });

  it.each<[string, Partial<InstalledRule>]>([
    ['ValidatingAdmissionPolicy', { policy: undefined }],
    ['ValidatingAdmissionPolicyBinding', { binding: undefined }],
    ['ValidatingAdmissionPolicy and ValidatingAdmissionPolicyBinding', { policy: undefined, binding: undefined }],
  ])('of which a %s is missing are reported, with the next step', (what, change) => {
    expect(withOne(() => change)).toEqual({
      reason: 'AdmissionPolicyMissing',
      message: `The API server does not reject all that it should in Namespace area: ${what} ${name} missing. ${cure}`,
    });
  });

  it('are named up to five', () => {
    const none = installed().map(({ rule }) => ({ rule, policy: undefined, binding: undefined }));
    expect(problemOf(none)?.message).toMatch(/own-announcement missing; and 16 more\. Apply /);
  });

  it.each<[string, ReturnType<typeof problemOf>]>([
    ['another expression', policyWith({ validations: [{ expression: 'true' }] })],
    ['another condition', policyWith({ matchConditions: [{ name: 'judged', expression: 'false' }] })],
    ['failurePolicy Ignore', policyWith({ failurePolicy: 'Ignore' })],
    ['parameters of another kind', policyWith({ paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } })],
    [
      'a selector of objects',
      policyWith({ matchConstraints: { ...constraints, objectSelector: { matchLabels: { a: 'b' } } } }),
    ],
    [
      'excluded objects',
      policyWith({ matchConstraints: { ...constraints, excludeResourceRules: constraints?.resourceRules } }),
    ],
    ['no spec', withOne(() => ({ policy: { metadata: { name } } }))],
  ])('are reported as changed with %s', (_, problem) => {
    expect(problem).toEqual({
      reason: 'AdmissionPolicyChanged',
      message: `The API server does not reject all that it should in Namespace area: ValidatingAdmissionPolicy ${name} differs from that of this release. ${cure}`,
    });
  });

  it.each<[string, ReturnType<typeof problemOf>, string]>([
    ['that only warns', bindingWith({ validationActions: ['Warn'] }), 'has validationActions "Warn" without Deny'],
    ['of another policy', bindingWith({ policyName: 'mine' }), 'differs from that of this release'],
    ['for fewer objects', bindingWith({ matchResources: { objectSelector: {} } }), 'differs from that of this release'],
  ])('are reported as changed with a binding %s', (_, problem, what) => {
    expect(problem?.reason).toBe('AdmissionPolicyChanged');
    expect(problem?.message).toContain(`ValidatingAdmissionPolicyBinding ${name} ${what}. Apply `);
  });

  it('may have other messages, and do more than reject', () => {
    const validations = policySpec(leaderRules[1] ?? expect.fail('no rule'), namespace).validations;
    expect(policyWith({ validations: validations?.map((one) => ({ ...one, message: 'no' })) })).toBeUndefined();
    expect(bindingWith({ validationActions: ['Deny', 'Audit'] })).toBeUndefined();
  });
});

describe('an API server that serves no policies', () => {
  const report = (version: string) => unservedPolicies({ namespace, manifest: 'deploy/leader.yaml', version });
  const before = (version: string) =>
    `The API server, Kubernetes ${version}, serves no ValidatingAdmissionPolicies, so it does not reject what it should in Namespace area. `;
  const after =
    ', and then apply the manifest again: kubectl apply -f deploy/leader.yaml, with the settings that you changed in it (with Helm: helm upgrade). To end this check without doing so: kubectl delete clusterrolebinding area-isthmus-read-admission';

  it.each(['v1.29.14', 'v1.29.4-gke.1', 'v1.9.0', 'v0.30.1'])(
    'of version %s is reported as older than supported, with the versions and the next step',
    (version) => {
      expect(report(version)).toEqual({
        reason: 'AdmissionPoliciesNotServed',
        message: `${before(version)}Isthmus supports Kubernetes 1.30 and later: upgrade this cluster${after}`,
      });
    },
  );

  it.each(['v1.30.0', 'v1.36.3+isthmus', 'v2.0.0'])(
    'of version %s is reported as one with the policies switched off',
    (version) => {
      expect(report(version).message).toBe(
        `${before(version)}This version of Kubernetes has them, so they are switched off: remove admissionregistration.k8s.io/v1=false from the --runtime-config of kube-apiserver${after}`,
      );
    },
  );
});

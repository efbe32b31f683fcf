import type { KubernetesObject } from '@isthmus/machinery';
import type { JsonSchema } from '@isthmus/schema';
import { describe, expect, it } from 'vitest';
import { shippedPolicies } from '../policy/shipped/shipped-policies.ts';
import { schemaWith, widgets, withField } from '../crd/testing/definitions.ts';
import { manifestFindings } from './manifest-findings.ts';
import type { ManifestContext } from './manifest-findings.ts';

const enumOf = (...values: readonly string[]) => withField({ type: 'string', enum: values });
const object = (apiVersion: string, kind: string, more: object = {}): KubernetesObject => ({
  apiVersion,
  kind,
  metadata: { namespace: 'ns', name: 'x' },
  ...more,
});
const widget = (a: unknown) => object('example.com/v1', 'Widget', { spec: { a } });

function rules(objects: readonly KubernetesObject[], context: Partial<ManifestContext>) {
  const found = manifestFindings(objects, { live: [], coming: [], policies: shippedPolicies(), ...context });
  return found.map(({ rule, severity }) => [rule, severity]);
}

describe('the check of manifests', () => {
  it('an enum value that the live CRD of that step does not have blocks, and the finding proposes another order of the steps', () => {
    const context = { live: [enumOf('a')], coming: [enumOf('a', 'b')], policies: [] };
    const [finding, ...more] = manifestFindings([widget('b')], context);
    expect(more).toEqual([]);
    expect(finding).toMatchObject({
      rule: 'manifest.refused',
      severity: 'block',
      subject: { object: 'Widget ns/x', path: 'spec.a' },
    });
    expect(finding?.why).toContain(
      'Unsupported value: "b": supported values: "a", by the CRD that is live at this step',
    );
    expect(finding?.unblock).toContain('apply the CRDs in a separate step');
    const [always] = manifestFindings([widget('c')], context);
    expect(always?.unblock).toContain('correct the object');
    expect(manifestFindings([widget('a')], context)).toEqual([]);
  });

  it('takes a CRD that the manifests bring for live where none is', () => {
    expect(rules([widget('b')], { coming: [enumOf('b')] })).toEqual([]);
    expect(rules([widget('b')], { coming: [enumOf('a')] })).toEqual([['manifest.refused', 'block']]);
  });

  it('accepts a status that the CRD rejects where the status is a subresource, because API servers drop it', () => {
    const status: JsonSchema = { type: 'object', required: ['phase'], properties: { phase: { type: 'string' } } };
    const schema = schemaWith({}, {}, { properties: { status } });
    const empty = object('example.com/v1', 'Widget', { status: {} });
    expect(rules([empty], { live: [widgets([{ schema, subresources: { status: {} } }])] })).toEqual([]);
    expect(rules([empty], { live: [widgets([{ schema }])] })).toEqual([['manifest.refused', 'block']]);
  });

  it('reports fields that are pruned, versions that are not served and kinds that are not defined', () => {
    const live = [enumOf('a')];
    expect(rules([object('example.com/v1', 'Widget', { spec: { a: 'a', odd: 1 } })], { live })).toEqual([
      ['manifest.pruned', 'warn'],
    ]);
    expect(rules([object('example.com/v2', 'Widget')], { live })).toEqual([['manifest.version-not-served', 'block']]);
    expect(rules([object('other.example.com/v1', 'Thing')], { live })).toEqual([['manifest.unknown-kind', 'warn']]);
    expect(
      rules([object('apps/v1', 'Deployment'), object('networking.k8s.io/v1', 'Ingress'), object('v1', 'Service')], {
        live,
      }),
    ).toEqual([]);
  });

  it('reports unknown kinds and versions of Kubernetes itself, and where the kind is', () => {
    const at = (kubernetes: string | undefined, ...lines: readonly string[]) => {
      const objects = lines.map((line) => object(line.split(' ')[0] ?? '', line.split(' ')[1] ?? ''));
      return manifestFindings(objects, { live: [], coming: [], policies: shippedPolicies(), kubernetes });
    };
    expect(at('1.34', 'v1 Pod', 'apps/v9 Deployment')).toEqual([
      {
        rule: 'manifest.unknown-kind',
        severity: 'block',
        subject: { object: 'Deployment ns/x' },
        why: 'Kubernetes 1.36 has no Deployment in apps/v9; the kind exists in apps/v1',
        unblock: 'correct its apiVersion or its kind',
        index: 1,
      },
    ]);
    expect(at('1.36', 'v1 ClusterRole')[0]?.why).toMatch(/the kind exists in rbac.authorization.k8s.io\/v1$/);
    // Where nothing is stable, the others are reported; what is gone is not.
    expect(at('1.36', 'v1 StorageVersion')[0]?.why).toMatch(/the kind exists in internal.apiserver.k8s.io\/v1alpha1$/);
    expect(at('1.20', 'batch/v1 Ingress')[0]?.why).toMatch(/the kind exists in networking.k8s.io\/v1$/);
    const twice = (one: readonly [string, string]) => [one, one];
    const severities = (kubernetes?: string) =>
      at(kubernetes, 'v1 Deployment', 'batch/v1 Jop').map(({ severity, unblock }) => [severity, unblock]);
    expect(severities('1.36')).toEqual(twice(['block', 'correct its apiVersion or its kind']));
    // The served kinds of other minors are not known.
    const newer = 'correct its apiVersion or its kind; a Kubernetes newer than 1.36 may serve it';
    for (const kubernetes of [undefined, '1.37']) expect(severities(kubernetes)).toEqual(twice(['warn', newer]));
    const older = 'correct its apiVersion or its kind; a Kubernetes older than 1.24 may serve it';
    expect(severities('1.20')).toEqual(twice(['warn', older]));
    // What comes with the next minor is known by what it replaces.
    expect(at('1.37', 'certificates.k8s.io/v1 ClusterTrustBundle')).toEqual([]);
    expect(at('1.36', 'certificates.k8s.io/v1 ClusterTrustBundle')).toMatchObject([{ severity: 'block' }]);
    expect(
      at('1.34', 'v1 Pod', 'v1 PodList', 'policy/v1 PodDisruptionBudget', 'networking.k8s.io/v1 ServiceCIDR'),
    ).toEqual([]);
  });

  it('leaves what is gone to the table of what was removed, also where the policies given have none', () => {
    const gone = [
      object('policy/v1beta1', 'PodSecurityPolicy'),
      object('autoscaling/v2beta2', 'HorizontalPodAutoscaler'),
      object('networking.k8s.io/v1alpha1', 'ClusterCIDR'),
    ];
    expect(rules(gone, { kubernetes: '1.24', policies: [] })).toEqual([]);
    expect(rules(gone, {})).toEqual([]);
  });

  it('reports built-in versions that the minor to go to does not serve', () => {
    const old = [object('policy/v1beta1', 'PodDisruptionBudget')];
    expect(rules(old, { kubernetes: '1.25' })).toEqual([['D6', 'block']]);
    expect(rules(old, { kubernetes: '1.24' })).toEqual([['D6', 'warn']]);
    expect(rules(old, {})).toEqual([]);
  });

  it('judges at the version that the object is written in', () => {
    const v2 = {
      name: 'v2',
      schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', required: ['z'] } } } },
    };
    expect(rules([object('example.com/v2', 'Widget', { spec: {} })], { live: [widgets([{}, v2])] })).toEqual([
      ['manifest.refused', 'block'],
    ]);
  });
});

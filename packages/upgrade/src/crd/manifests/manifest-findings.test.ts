import type { KubernetesObject } from '@isthmus/machinery';
import { describe, expect, it } from 'vitest';
import { shippedPolicies } from '../../policy/shipped/shipped-policies.ts';
import { widgets, withField } from '../testing/definitions.ts';
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
  it('106 · a value of an enum that the CRD does not know that is live at that step: blocked, and the order of the steps is what to change', () => {
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
    expect(finding?.unblock).toContain('apply the CRDs as a step of their own');
    const [always] = manifestFindings([widget('c')], context);
    expect(always?.unblock).toContain('put the object right');
    expect(manifestFindings([widget('a')], context)).toEqual([]);
  });

  it('takes a CRD that the manifests bring for live where none is', () => {
    expect(rules([widget('b')], { coming: [enumOf('b')] })).toEqual([]);
    expect(rules([widget('b')], { coming: [enumOf('a')] })).toEqual([['manifest.refused', 'block']]);
  });

  it('tells fields that are pruned, versions that are not served and kinds that nobody defines', () => {
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

  it('tells kinds and versions of Kubernetes itself that never were, and where the kind is', () => {
    const [finding, ...more] = manifestFindings([object('apps/v9', 'Deployment')], {
      live: [],
      coming: [],
      policies: shippedPolicies(),
      kubernetes: '1.34',
    });
    expect(more).toEqual([]);
    expect(finding).toEqual({
      rule: 'manifest.unknown-kind',
      severity: 'block',
      subject: { object: 'Deployment ns/x' },
      why: 'Kubernetes 1.36 knows no Deployment in apps/v9; it knows one in apps/v1',
      unblock: 'correct its apiVersion or its kind',
    });
    const unknown = (kubernetes?: string) =>
      rules([object('v1', 'Deployment'), object('batch/v1', 'Jop')], { kubernetes });
    expect(unknown('1.36')).toEqual([
      ['manifest.unknown-kind', 'block'],
      ['manifest.unknown-kind', 'block'],
    ]);
    // A newer Kubernetes may have what is not known here.
    for (const kubernetes of [undefined, '1.37'])
      expect(unknown(kubernetes)).toEqual([
        ['manifest.unknown-kind', 'warn'],
        ['manifest.unknown-kind', 'warn'],
      ]);
    const known = ['v1 Pod', 'v1 PodList', 'policy/v1 PodDisruptionBudget', 'networking.k8s.io/v1 ServiceCIDR'];
    // What is gone is judged by the table of what was removed.
    const gone = ['policy/v1beta1 PodSecurityPolicy', 'autoscaling/v2beta1 HorizontalPodAutoscaler'];
    const objects = [...known, ...gone].map((line) => object(line.split(' ')[0] ?? '', line.split(' ')[1] ?? ''));
    expect(rules(objects, {})).toEqual([]);
  });

  it('tells built-in versions that the minor to go to does not serve', () => {
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

import { describe, expect, it } from 'vitest';
import { deprecatedUse } from './deprecated-use.ts';
import { shippedPolicies } from '../shipped/shipped-policies.ts';
import { definition } from '../testing/definition.ts';

const policies = shippedPolicies();
const definitions = [definition('IPPool', ['v1alpha2 warned', 'v1beta1 stored'], { stored: ['v1alpha2', 'v1beta1'] })];
const pool = (name: string, apiVersion: string, ...managers: readonly (readonly [string, string])[]) => ({
  apiVersion,
  kind: 'IPPool',
  metadata: { name, managedFields: managers.map(([manager, written]) => ({ manager, apiVersion: written })) },
});

describe('versions that are deprecated and still used', () => {
  it('are reported with the objects, who wrote them, and what they may still be stored in', () => {
    const objects = [
      pool('a', 'crd.antrea.io/v1beta1', ['helm', 'crd.antrea.io/v1alpha2'], ['agent', 'crd.antrea.io/v1beta1']),
      pool('b', 'crd.antrea.io/v1alpha2', ['kubectl', 'crd.antrea.io/v1alpha2']),
      pool('c', 'crd.antrea.io/v1beta1', ['agent', 'crd.antrea.io/v1beta1']),
    ];
    expect(deprecatedUse({ objects, definitions, cluster: 'east' }, policies).map(({ why }) => why)).toEqual([
      'objects of ippools.crd.antrea.io may still be stored in v1alpha2, which is deprecated',
      '2 objects (a, b; written by helm, kubectl) use v1alpha2 of IPPool, which is deprecated: use another one',
    ]);
    expect(deprecatedUse({ objects: objects.slice(2), definitions: [] }, policies)).toEqual([]);
  });

  it('are reported, and block, where the CRD to come does not serve them at all', () => {
    const objects = [
      pool('a', 'crd.antrea.io/v1beta1', ['helm', 'crd.antrea.io/v1alpha2']),
      pool('b', 'crd.antrea.io/v1beta1'),
    ];
    const reported = (coming: typeof definitions) =>
      deprecatedUse(
        { objects, definitions: coming, before: [definition('IPPool', ['v1alpha2', 'v1beta1 stored'])] },
        policies,
      );
    expect(reported([definition('IPPool', ['v1beta1 stored'])])).toMatchObject([
      {
        rule: 'D6',
        severity: 'block',
        subject: { object: 'ippools.crd.antrea.io', path: 'v1alpha2' },
        why: '1 object (a; written by helm) uses v1alpha2 of IPPool, which the new CRD does not serve',
        unblock: 'write them in v1beta1 first: in files, in Git, and with the named clients',
      },
    ]);
    expect(reported([definition('IPPool', ['v1alpha2', 'v1beta1 stored'])])).toEqual([]);
    expect(reported([])).toEqual([]);
  });

  it.each([
    ['1.20', []],
    ['1.21', ['warn']],
    ['1.24', ['warn']],
    ['1.25', ['block']],
    ['1.36', ['block']],
    [undefined, []],
  ])('of a built-in kind are judged by the minor %s', (kubernetes, severities) => {
    const objects = [{ apiVersion: 'batch/v1beta1', kind: 'CronJob', metadata: { namespace: 'x', name: 'y' } }];
    const found = deprecatedUse({ objects, definitions: [], kubernetes }, policies);
    expect(found.map(({ severity }) => severity)).toEqual(severities);
  });

  it.each([
    [
      '1.29',
      'flowcontrol.apiserver.k8s.io/v1beta1',
      'write them in flowcontrol.apiserver.k8s.io/v1beta3',
      'FlowSchema',
    ],
    ['1.32', 'flowcontrol.apiserver.k8s.io/v1beta1', 'write them in flowcontrol.apiserver.k8s.io/v1', 'FlowSchema'],
    ['1.31', 'resource.k8s.io/v1alpha2', 'write them in resource.k8s.io/v1alpha3', 'ResourceClaim'],
    ['1.36', 'resource.k8s.io/v1alpha2', 'write them in resource.k8s.io/v1', 'ResourceClaim'],
  ])('name what %s serves instead of %s: %s', (kubernetes, apiVersion, unblock, kind) => {
    const objects = [{ apiVersion, kind, metadata: { name: 'o' } }];
    const found = deprecatedUse({ objects, definitions: [], kubernetes }, policies);
    expect(found.map((one) => one.unblock)).toEqual([unblock]);
  });

  it('name what to use instead, where there is something', () => {
    const objects = [
      { apiVersion: 'policy/v1beta1', kind: 'PodSecurityPolicy', metadata: { name: 'p' } },
      { apiVersion: 'policy/v1beta1', kind: 'PodDisruptionBudget', metadata: { namespace: 'n', name: 'p' } },
    ];
    expect(deprecatedUse({ objects, definitions: [], kubernetes: '1.25' }, policies)).toMatchObject([
      {
        why: '1 object (n/p) uses policy/v1beta1 of PodDisruptionBudget, which Kubernetes 1.25 does not serve: it was removed in 1.25',
        unblock: 'write them in policy/v1',
      },
      { unblock: 'stop using PodSecurityPolicy' },
    ]);
  });
});

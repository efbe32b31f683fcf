import type { ClusterNetworkPolicy, ResourceImport } from '@isthmus/api';
import type { Live } from '@isthmus/machinery';
import { isLive } from '@isthmus/machinery';
import { policyImportKeys } from '@isthmus/wire';
import { describe, expect, it } from 'vitest';
import type { PolicyImportInput } from './decide.ts';
import { decidePolicyImport } from './decide.ts';

const payload = { priority: 1, tier: 'securityops', ingress: [{ action: 'Drop' }] };
const remoteWith = (clusternetworkpolicy: unknown): ResourceImport => ({
  metadata: { name: 'strict-antreaclusternetworkpolicy' },
  spec: { kind: 'AntreaClusterNetworkPolicy', name: 'strict', clusternetworkpolicy: clusternetworkpolicy as never },
});
const remote = remoteWith(payload);
const decide = (change: Partial<PolicyImportInput> = {}) =>
  decidePolicyImport({
    name: 'strict',
    remote,
    current: undefined,
    hasEngine: true,
    hasTier: (name) => ['securityops', 'application'].includes(name),
    area: 'north/area',
    ...change,
  });
const imported = (from: ResourceImport = remote): Live<ClusterNetworkPolicy> => {
  const decision = decide({ remote: from });
  if (decision.kind !== 'import' || !isLive(decision.object)) throw new Error(decision.kind);
  return decision.object;
};
const antreas: Live<ClusterNetworkPolicy> = {
  metadata: { name: 'antrea-mc-strict', annotations: { 'multicluster.antrea.io/imported-acnp': 'true' } },
  spec: payload,
};
const foreign: Live<ClusterNetworkPolicy> = { metadata: { name: 'antrea-mc-strict' }, spec: payload };

describe('a policy that the leader publishes', () => {
  it('is imported with its spec, the label of ours and the annotation of Antrea', () => {
    expect(imported()).toMatchObject({
      metadata: {
        name: 'antrea-mc-strict',
        labels: { 'app.kubernetes.io/managed-by': 'isthmus' },
        annotations: { 'multicluster.antrea.io/imported-acnp': 'true' },
      },
      spec: payload,
    });
  });

  it('is not changed where the cluster filled in defaults', () => {
    const ingress = [{ action: 'Drop', name: 'ingress-drop-1', enableLogging: false }];
    const current = { ...imported(), spec: { ...payload, ingress } };
    expect(decide({ current })).toEqual({ kind: 'import', object: current });
  });

  it.each([
    ['a rule was changed here', { ...payload, ingress: [{ action: 'Allow' }] }],
    ['a rule was added here', { ...payload, ingress: [{ action: 'Drop' }, { action: 'Allow' }] }],
    ['the spec was removed here', undefined],
  ])('is repaired where %s', (_, spec) => {
    expect(decide({ current: { ...imported(), spec } })).toMatchObject({ kind: 'import', object: { spec: payload } });
  });

  it('loses a field that the leader does not publish any more', () => {
    const current = imported(remoteWith({ ...payload, egress: [{ action: 'Drop' }] }));
    const decision = decide({ current });
    expect(decision.kind === 'import' ? decision.object.spec : decision).toEqual(payload);
  });

  it('is in the Tier application where it names none', () => {
    expect(imported(remoteWith({ priority: 1 })).spec).toEqual({ priority: 1, tier: 'application' });
    expect(decide({ remote: remoteWith({ priority: 1 }), hasTier: () => false })).toMatchObject({
      reason: 'TierNotFound',
    });
  });

  it('takes over what a member of Antrea imported', () => {
    expect(decide({ current: antreas })).toMatchObject({
      kind: 'import',
      object: { metadata: { labels: { 'app.kubernetes.io/managed-by': 'isthmus' } } },
    });
  });

  it.each([
    ['nobody marked', foreign],
    [
      'another tool claims',
      {
        ...antreas,
        metadata: { ...antreas.metadata, labels: { 'app.kubernetes.io/managed-by': 'helm' } },
      },
    ],
  ])('does not touch a policy of its name that %s', (_, current) => {
    expect(decide({ current })).toMatchObject({ kind: 'problem', reason: 'ForeignPolicy' });
    expect(decide({ current, remote: undefined })).toEqual({ kind: 'nothing' });
  });

  it('is withdrawn with its import, also one of Antrea', () => {
    const current = imported();
    expect(decide({ current, remote: undefined })).toEqual({ kind: 'withdraw', object: current });
    expect(decide({ current: antreas, remote: undefined })).toEqual({ kind: 'withdraw', object: antreas });
    expect(decide({ remote: undefined })).toEqual({ kind: 'nothing' });
  });
});

describe('a policy whose Tier does not exist', () => {
  const other = remoteWith({ ...payload, tier: 'none-such' });

  it('is not imported, with the Tier in the message', () => {
    expect(decide({ remote: other })).toEqual({
      kind: 'problem',
      reason: 'TierNotFound',
      message:
        'Tier "none-such" does not exist in this cluster. Create it, or change the tier of the policy on the leader',
      obsolete: undefined,
    });
  });

  it('is removed where it moved to that Tier, and stays where the Tier was deleted', () => {
    const current = imported();
    expect(decide({ remote: other, current })).toMatchObject({ reason: 'TierNotFound', obsolete: current });
    expect(decide({ current, hasTier: () => false })).toMatchObject({
      reason: 'TierDeleted',
      message:
        'Tier "securityops" no longer exists in this cluster. Create it, or change the tier of the policy on the leader',
    });
  });
});

describe('a cluster without policies', () => {
  it('reports NoPolicyEngine, and waits while it is not known', () => {
    expect(decide({ hasEngine: false })).toMatchObject({ kind: 'problem', reason: 'NoPolicyEngine' });
    expect(decide({ hasEngine: undefined })).toEqual({ kind: 'wait' });
    expect(decide({ hasEngine: false, remote: undefined })).toEqual({ kind: 'nothing' });
  });
});

describe('an import of the wrong shape', () => {
  it.each([undefined, null, [], 'text', 7])('with the payload %j changes nothing', (value) => {
    expect(decide({ remote: remoteWith(value), current: imported() })).toEqual({ kind: 'nothing' });
  });

  it.each([undefined, '', 7, '__proto__', 'UPPER', 'a'.repeat(300)])('with the name %j has no key', (name) => {
    const { metadata, spec } = remote;
    expect(policyImportKeys({ metadata, spec: { ...spec, name: name as string } })).toEqual([]);
  });

  it.each([60, 100_000])('nested %i levels deep is rejected, and what was imported before stays', (levels) => {
    const deep: unknown = JSON.parse(`${'{"ingress":['.repeat(levels / 2)}${']}'.repeat(levels / 2)}`);
    const message = 'its spec on the leader is nested more than 50 levels deep. Correct its ResourceExport';
    expect(decide({ remote: remoteWith(deep) })).toEqual({ kind: 'problem', reason: 'PolicyRejected', message });
    expect(decide({ remote: remoteWith(deep), current: imported() })).toEqual({
      kind: 'problem',
      reason: 'PolicyUpdateRejected',
      message,
    });
  });

  it('with keys such as __proto__ is carried as it is', () => {
    const hostile: unknown = JSON.parse('{"priority":1,"tier":"securityops","__proto__":{"x":1},"constructor":[{}]}');
    const object = imported(remoteWith(hostile));
    expect(JSON.parse(JSON.stringify(object.spec))).toEqual(hostile);
    expect(decide({ remote: remoteWith(hostile), current: object })).toEqual({ kind: 'import', object });
  });
});

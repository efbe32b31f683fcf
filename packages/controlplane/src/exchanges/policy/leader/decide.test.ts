import type { ResourceExport, ResourceImport } from '@isthmus/api';
import { conditionOf } from '@isthmus/machinery';
import type { ExportGroup } from '@isthmus/wire';
import { unknownReaders } from '@isthmus/wire';
import { describe, expect, it } from 'vitest';
import { decidePolicy, policyMerge } from './decide.ts';

const spec = { priority: 1, tier: 'securityops' };
const exported = (
  name: string,
  change: Partial<NonNullable<ResourceExport['spec']>> = {},
  metadata: Partial<ResourceExport['metadata']> = {},
): ResourceExport => ({
  metadata: { name, namespace: 'area', creationTimestamp: '2026-11-21T10:00:00Z', ...metadata },
  spec: { kind: 'AntreaClusterNetworkPolicy', name: 'strict', clusterNetworkPolicy: spec, ...change },
});
const published = (change: Partial<ResourceImport['metadata']> = {}): ResourceImport => ({
  metadata: {
    name: 'strict-antreaclusternetworkpolicy',
    namespace: 'area',
    labels: { 'app.kubernetes.io/managed-by': 'isthmus' },
    ...change,
  },
  spec: { kind: 'AntreaClusterNetworkPolicy', name: 'strict', clusternetworkpolicy: spec },
});
const group = (change: Partial<ExportGroup>): ExportGroup => ({
  exports: [],
  imports: [],
  readers: unknownReaders,
  now: '2026-11-21T12:00:00Z',
  incompleteForMs: new Map(),
  refused: new Map(),
  pruned: [],
  ...change,
});
const decide = (change: Partial<ExportGroup>) => decidePolicy(group(change));
const said = (decision: ReturnType<typeof decidePolicy>) =>
  decision.statuses.map(
    ({ object, conditions: [first] }) =>
      `${object.metadata.name} ${first?.type}: ${first?.reason ?? ''} ${first?.message ?? ''}`,
  );

describe('a policy that an administrator exports', () => {
  it('is published with the same spec', () => {
    const { wanted, unwanted, statuses } = decide({ exports: [exported('a')] });
    expect(wanted.map(({ metadata, spec: is }) => [metadata.name, is])).toEqual([
      [
        'strict-antreaclusternetworkpolicy',
        { kind: 'AntreaClusterNetworkPolicy', name: 'strict', clusternetworkpolicy: spec },
      ],
    ]);
    expect(unwanted).toEqual([]);
    expect(conditionOf(statuses[0]?.conditions, 'Succeeded')?.status).toBe('True');
  });

  it('gets the finalizer and the labels that a webhook of Antrea gives it, once', () => {
    const [amended] = decide({ exports: [exported('a')] }).amended ?? [];
    expect(amended?.wanted.metadata).toMatchObject({
      finalizers: ['resourceexport.antrea.io/finalizer'],
      labels: { sourceKind: 'AntreaClusterNetworkPolicy', sourceName: 'strict', sourceNamespace: '' },
    });
    expect(decide({ exports: [amended?.wanted ?? exported('a')] }).amended).toEqual([]);
    const older = { finalizers: ['resourceexport.finalizers.antrea.io'] };
    expect(decide({ exports: [exported('a', {}, older)] }).amended?.[0]?.wanted.metadata.finalizers).toEqual(
      older.finalizers,
    );
  });

  it('is withdrawn before its export is released', () => {
    const deleting = exported(
      'a',
      {},
      { deletionTimestamp: '2026-11-21T11:00:00Z', finalizers: ['resourceexport.antrea.io/finalizer'] },
    );
    const { wanted, unwanted, released } = decide({ exports: [deleting], imports: [published()] });
    expect([wanted, unwanted, released]).toEqual([[], [published()], [deleting]]);
    expect(decide({ imports: [published()] }).unwanted).toEqual([published()]);
  });

  it.each([
    ['as Antrea published it', published({ labels: undefined }), [], 1],
    ['under the label of another tool', published({ labels: { 'app.kubernetes.io/managed-by': 'x' } }), [], 0],
  ])('takes over the import %s, or leaves it alone', (_, present, unwanted, wanted) => {
    const decision = decide({ exports: [exported('a')], imports: [present] });
    expect([decision.unwanted, decision.wanted.length]).toEqual([unwanted, wanted]);
  });

  it('stays as it was published while its export is not valid', () => {
    const decision = decide({ exports: [exported('a', { namespace: 'shop' })], imports: [published()] });
    expect([decision.wanted, decision.unwanted]).toEqual([[], []]);
    expect(said(decision)).toEqual([
      'a Failure: ConvergeFailure Not published: spec.namespace is "shop", but a ClusterNetworkPolicy has no Namespace. Remove spec.namespace.',
    ]);
  });

  it('shows the clusters that do not import it', () => {
    const importProblemsOf: ExportGroup['importProblemsOf'] = ({ name, namespace }) =>
      name === 'strict' && namespace === undefined
        ? [{ clusterID: 'east', reason: 'TierNotFound', message: 'Tier "securityops" does not exist in this cluster' }]
        : [];
    const [answer] = decide({ exports: [exported('a')], importProblemsOf }).statuses;
    expect(conditionOf(answer?.conditions, 'ImportFailed')?.message).toBe(
      'Not imported in east (TierNotFound): Tier "securityops" does not exist in that cluster.',
    );
  });

  it('shows what the API server of the leader answers', () => {
    const refused = new Map([['strict-antreaclusternetworkpolicy', 'too large']]);
    expect(said(decide({ exports: [exported('a')], refused }))).toEqual([
      'a Failure: ImportRejected Not published: too large',
    ]);
  });
});

describe('several exports of one policy', () => {
  const younger = exported(
    'a',
    { clusterNetworkPolicy: { priority: 2 } },
    { creationTimestamp: '2026-11-21T10:00:01Z' },
  );
  const older = exported('b');

  it.each([[[younger, older]], [[older, younger]]])('publish the oldest, in any order', (exports) => {
    const decision = decide({ exports });
    expect(decision.wanted.map((one) => one.spec?.clusternetworkpolicy)).toEqual([spec]);
    expect(said(decision)).toContain(
      'a Failure: ConvergeFailure ResourceExport b already exports policy strict. Delete one of the two.',
    );
  });

  it('release the one that is deleted, and publish the other', () => {
    const deleting = {
      ...older,
      metadata: { ...older.metadata, deletionTimestamp: 'now', finalizers: ['resourceexport.antrea.io/finalizer'] },
    };
    const decision = decide({ exports: [deleting, younger], imports: [published()] });
    expect([decision.released, decision.unwanted]).toEqual([[deleting], []]);
    expect(decision.wanted[0]?.spec?.clusternetworkpolicy).toEqual({ priority: 2 });
  });
});

describe('an export that names no policy', () => {
  it.each([
    ['a missing name', { name: undefined }, 'spec.name is missing'],
    ['an empty name', { name: '' }, 'spec.name is missing'],
    ['a name of another type', { name: 7 as never }, 'spec.name is missing'],
    ['__proto__', { name: '__proto__' }, 'spec.name "__proto__" is not valid: a lowercase RFC 1123 subdomain'],
    [
      'a name that is too long',
      { name: 'a'.repeat(227) },
      'has 227 characters; the name of an exported policy has at most 226',
    ],
    ['no policy', { clusterNetworkPolicy: undefined }, 'spec.clusterNetworkPolicy is missing'],
    ['a policy that is a list', { clusterNetworkPolicy: [] as never }, 'spec.clusterNetworkPolicy is missing'],
    [
      'a policy that is too deep',
      { clusterNetworkPolicy: JSON.parse(`${'{"ingress":['.repeat(50_000)}${']}'.repeat(50_000)}`) as never },
      'spec.clusterNetworkPolicy is nested more than 50 levels deep',
    ],
  ])('is rejected for %s', (_, change, why) => {
    const object = exported('a', change);
    expect(policyMerge.exportKeys(object)).toHaveLength(1);
    const decision = decide({ exports: [object] });
    expect([decision.wanted, decision.amended]).toEqual([[], []]);
    expect(said(decision)[0]).toContain(why);
  });

  it('shares no key with any policy, and constructor is a name like others', () => {
    expect(policyMerge.exportKeys(exported('strict', { name: '' }))).toEqual(['/strict']);
    expect(policyMerge.exportKeys(exported('a', { name: 'constructor' }))).toEqual(['constructor']);
    expect(decide({ exports: [exported('a', { name: 'constructor' })] }).wanted).toHaveLength(1);
  });
});

import type { ClusterClaim, ClusterSet } from '@isthmus/api';
import { describe, expect, it } from 'vitest';
import { chooseClusterID, claimMismatch } from './cluster-id.ts';

const clusterSet = (clusterID?: string): ClusterSet => ({
  metadata: { name: 'fleet' },
  spec: { clusterID, leaders: [{ clusterID: 'north' }] },
});
/** v1alpha2: the name of the object is the kind of the claim. */
const claim = (name: string, value?: string): ClusterClaim => ({ metadata: { name }, value: value ?? '' });
/** v1alpha1: a field is the kind of the claim. */
const oldClaim = (property: string, value: string): ClusterClaim => ({
  metadata: { name: 'east-membercluster-id' },
  name: property,
  value,
});

describe('the ID of the own cluster', () => {
  it('is the value of the ClusterClaim where the spec has none', () => {
    expect(chooseClusterID(clusterSet(), [claim('id.k8s.io', 'east')])).toEqual({
      kind: 'known',
      clusterID: 'east',
      fromClaim: true,
    });
  });

  it('is not set where neither exists, and the ClusterSet reports it', () => {
    expect(chooseClusterID(clusterSet(), [])).toEqual({
      kind: 'unknown',
      reason: 'ClusterIDNotSet',
      message: 'ClusterSet fleet: spec.clusterID is not set. Set it to the ID of this cluster.',
    });
  });

  it('is the one in the spec where both exist', () => {
    expect(chooseClusterID(clusterSet('west'), [claim('id.k8s.io', 'east')])).toEqual({
      kind: 'known',
      clusterID: 'west',
      fromClaim: false,
    });
  });

  it.each([
    ['a claim of v1alpha1', clusterSet(), [oldClaim('id.k8s.io', 'east')], 'east'],
    ['an empty ID in the spec', clusterSet(''), [oldClaim('id.k8s.io', 'east')], 'east'],
    ['other claims before it', clusterSet(), [claim('clusterset.k8s.io', 'fleet'), claim('id.k8s.io', 'east')], 'east'],
    ['an empty claim before it', clusterSet(), [claim('id.k8s.io', ''), oldClaim('id.k8s.io', 'east')], 'east'],
  ])('is found with %s', (_, object, claims, clusterID) => {
    expect(chooseClusterID(object, claims)).toMatchObject({ kind: 'known', clusterID });
  });

  it('is not that of a v1alpha1 claim whose object only happens to be named so', () => {
    const claims = [{ metadata: { name: 'id.k8s.io' }, name: 'clusterSet.k8s.io', value: 'fleet' }];
    expect(chooseClusterID(clusterSet(), claims)).toMatchObject({ kind: 'unknown', reason: 'ClusterIDNotSet' });
  });

  it.each(['East', 'a_b', 'a b', '-a', 'a'.repeat(64), 'a/b', '../etc'])('rejects %s with the reason', (id) => {
    const choice = chooseClusterID(clusterSet(id), []);
    expect(choice).toMatchObject({ kind: 'unknown', reason: 'InvalidClusterID' });
    expect('message' in choice ? choice.message : '').toMatch(
      /^ClusterSet fleet: cluster ID ".*" is not valid: .*\. Choose another ID\.$/,
    );
  });
});

describe('a claim of the ClusterSet', () => {
  it.each([
    ['none', [], undefined],
    ['the same', [claim('clusterset.k8s.io', 'fleet')], undefined],
    ['the same, as v1alpha1 writes it', [oldClaim('clusterSet.k8s.io', 'fleet')], undefined],
    ['another', [claim('clusterset.k8s.io', 'other')], 'other'],
    ['another, as v1alpha1 writes it', [oldClaim('clusterSet.k8s.io', 'other')], 'other'],
  ])('%s', (_, claims, other) => {
    expect(claimMismatch(clusterSet('east'), claims)).toBe(
      other === undefined
        ? undefined
        : `ClusterClaim names ClusterSet ${other}, but this ClusterSet is fleet. Correct or delete the claim.`,
    );
  });

  it.each<[string, ClusterClaim, string | undefined]>([
    ['another', claim('id.k8s.io', 'eastt'), 'eastt'],
    ['another, as v1alpha1', oldClaim('id.k8s.io', 'west'), 'west'],
    ['the same', claim('id.k8s.io', 'east'), undefined],
  ])('of a ClusterClaim is reported where it is not that of the spec: %s', (_, one, other) => {
    expect(claimMismatch(clusterSet('east'), [one])).toBe(
      other === undefined
        ? undefined
        : `ClusterClaim names the cluster ${other}, but spec.clusterID is east. Correct or delete the claim.`,
    );
    expect(claimMismatch(clusterSet(), [one])).toBeUndefined();
  });
});

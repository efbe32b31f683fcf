import { describe, expect, it } from 'vitest';
import { written } from '../../bundle/testing/bundle-of.ts';
import { running, snapshotOf } from '../../fleet/testing/snapshot-of.ts';
import type { Plan } from '../format/plan.ts';
import { loadedOf, planOf } from '../testing/plan-of.ts';

const at = (id: string, upstream: string, more: object = {}) => written({ id, version: { upstream }, ...more });
const ofRule = ({ spec }: Plan, wanted: string) =>
  spec.findings.filter(({ rule }) => rule === wanted).map(({ why, unblock }) => [why, unblock]);

describe('what a component requires', () => {
  const findingsOf = (
    requirement: object,
    { beside = [], bundled = [] }: { beside?: object[]; bundled?: object[] },
  ) => {
    const bundle = loadedOf([at('x', 'v2.0.0', { requires: [requirement] }), ...bundled]);
    const snapshot = snapshotOf({ clusters: [{ name: 'a', components: [running('x', 'v1.0.0'), ...beside] }] });
    return ofRule(planOf(bundle, snapshot), 'plan.requires');
  };

  it('blocks where it is neither in the cluster nor in the bundle', () => {
    expect(findingsOf({ component: 'y' }, {})).toEqual([
      ['x v2.0.0 requires y, and it is neither in the cluster nor in the bundle', 'include y in the bundle'],
    ]);
  });

  it('is judged by what the bundle brings, not by what runs before', () => {
    const more = { beside: [running('y', 'v1.4.0')], bundled: [at('y', 'v1.5.0')] };
    expect(findingsOf({ component: 'y', range: '>=1.5' }, more)).toEqual([]);
    expect(findingsOf({ component: 'y', range: '>=1.6' }, more)).toEqual([
      ['x v2.0.0 requires y >=1.6, and v1.5.0 will run', 'include y >=1.6 in the bundle'],
    ]);
  });

  it('blocks where a contract is required of what stays, since its contracts are not known', () => {
    expect(findingsOf({ component: 'y', contract: 'v1beta2' }, { beside: [running('y', 'v1.4.0')] })).toEqual([
      [
        'x v2.0.0 requires y with the contract v1beta2, and it is not upgraded, so its contracts are unknown',
        'include a version of y that has v1beta2',
      ],
    ]);
  });

  it('blocks where a contract is required of a component that has none, or another', () => {
    const found = (contracts: readonly string[]) =>
      findingsOf({ component: 'y', contract: 'v1beta2' }, { bundled: [at('y', 'v1.5.0', { contracts })] })[0]?.[0];
    expect(found([])).toMatch(/, and v1\.5\.0 has none$/);
    expect(found(['v1beta1', 'v1alpha4'])).toMatch(/, and v1\.5\.0 has v1beta1, v1alpha4$/);
    expect(found(['v1beta1', 'v1beta2'])).toBeUndefined();
  });
});

describe('clusters that did not answer', () => {
  const found = (count: number, unreachableAllowed: number, more: object = {}) => {
    const clusters = Array.from({ length: count }, (_, index) => ({ name: `c${index}`, reachable: false, ...more }));
    return ofRule(
      planOf(loadedOf([at('x', 'v2.0.0')]), snapshotOf({ clusters }), { unreachableAllowed }),
      'plan.unreachable',
    );
  };
  const cure = (whom: string, allowed: number, more = '') =>
    `repair ${whom}${more} and take the snapshot again, set paused: true in the snapshot, or use --max-unreachable ${allowed}; delete clusters from the snapshot that no longer exist`;

  it('block where they are more than may be unreachable', () => {
    expect(found(1, 0)).toEqual([['a cluster did not answer (c0), and 0 may', cure('it', 1)]]);
    expect(found(2, 1)).toEqual([['2 clusters did not answer (c0, c1), and 1 may', cure('them', 2)]]);
    expect(found(2, 2)).toEqual([]);
    expect(found(1, 0, { notRead: 'refused', context: 'a' })).toEqual([
      ['a cluster did not answer (c0), and 0 may', cure('it', 1)],
    ]);
  });

  it('may be clusters for which a snapshot of live clusters got no context', () => {
    expect(found(1, 0, { notRead: 'no context was given for it' })).toEqual([
      ['a cluster did not answer (c0), and 0 may', cure('it', 1, ', or pass the missing contexts,')],
    ]);
  });

  it('do not block where they are paused', () => {
    expect(found(2, 0, { paused: true })).toEqual([]);
  });

  it('have no changes in the plan where they were never read, since nobody knows what runs there', () => {
    const changesOf = (more: object) => {
      const snapshot = snapshotOf({ clusters: [{ name: 'a', reachable: false, ...more }] });
      return planOf(loadedOf([at('x', 'v2.0.0')]), snapshot).spec.changes.map(({ id, relation }) => [id, relation]);
    };
    expect(changesOf({ notRead: 'refused' })).toEqual([]);
    expect(changesOf({ notRead: 'refused', components: [running('x', 'v1.0.0')] })).toEqual([['a/x', 'major']]);
  });
});

describe('a bundle that names the Kubernetes that was requested, without its components', () => {
  const parts = [at('kube-apiserver', 'v1.32.2', { unit: 'kubernetes', method: 'kubernetes', scope: 'cluster' })];
  const perKubernetes = { '1.35': { components: [at('y', 'v1.5.0')] }, '1.32': { components: parts } };
  const found = (components: object[]) => {
    const snapshot = snapshotOf({ clusters: [{ name: 'a', components }] });
    return ofRule(planOf(loadedOf([], { perKubernetes }), snapshot, { kubernetes: '1.35' }), 'plan.kubernetes');
  };

  it('blocks, with the minors that it has', () => {
    expect(found([running('kube-apiserver', 'v1.32.0')])).toEqual([
      [
        'Kubernetes 1.35 was requested, but the bundle bundle-7 (number 7) does not have it for this cluster; it has 1.32',
        'choose a minor that the bundle has (--kubernetes)',
      ],
    ]);
  });

  it('blocks, and proposes to leave out the flag where the bundle has no Kubernetes at all', () => {
    const snapshot = snapshotOf({ clusters: [{ name: 'a', components: [running('kube-apiserver', 'v1.32.0')] }] });
    const plan = planOf(loadedOf([at('y', 'v1.5.0')]), snapshot, { kubernetes: '1.35' });
    expect(ofRule(plan, 'plan.kubernetes')).toEqual([
      [
        'Kubernetes 1.35 was requested, but the bundle bundle-7 (number 7) does not have it for this cluster',
        'leave out --kubernetes, since the bundle has no components of Kubernetes, or use a bundle that has them',
      ],
    ]);
  });

  it('does not block a cluster whose Kubernetes is not known', () => {
    expect(found([running('y', 'v1.4.0')])).toEqual([]);
  });
});

describe('a note that facts can settle', () => {
  const done = { facts: { 'antrea-mc/member-credentials': 'present' } };
  const fleet = (...members: readonly object[]) =>
    snapshotOf({
      clusters: [
        { name: 'north', roles: ['leader'], clusterSet: 's', components: [running('mc-leader', 'v2.6.0')] },
        ...members.map((more, at) => ({
          name: `m${at}`,
          roles: ['member'],
          clusterSet: 's',
          components: [running('mc-member', 'v2.6.0')],
          ...more,
        })),
      ],
      clusterSets: [{ name: 's', leader: 'north', members: members.map((_, member) => `m${member}`) }],
    });
  const bundle = loadedOf([
    at('mc-leader', 'v2.7.0', { roles: ['leader'] }),
    at('mc-member', 'v2.7.0', { roles: ['member'] }),
  ]);
  const reported = (...members: readonly object[]) =>
    ofRule(planOf(bundle, fleet(...members)), 'mc.member-credentials').length;

  it('is not reported where every member has the fact, and is where one lacks it or nobody looked', () => {
    expect(reported(done, done)).toBe(0);
    expect(reported(done, {})).toBe(1);
    expect(reported(done, { facts: { 'antrea-mc/member-credentials': 'absent' } })).toBe(1);
    expect(reported()).toBe(1);
  });
});

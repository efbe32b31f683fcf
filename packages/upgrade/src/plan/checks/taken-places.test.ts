import { describe, expect, it } from 'vitest';
import { written } from '../../bundle/testing/bundle-of.ts';
import { running, snapshotOf } from '../../fleet/testing/snapshot-of.ts';
import { loadedOf, planOf } from '../testing/plan-of.ts';

/** What is found where a bundle of one component meets a cluster with another one. */
function found(id: string, ...installed: readonly object[]) {
  const bundle = loadedOf([written({ id, version: { upstream: 'v2.7.0' } })]);
  const { spec } = planOf(bundle, snapshotOf({ clusters: [{ name: 'a', components: installed }] }));
  const about = spec.findings.filter(({ rule }) => rule === 'plan.taken-place');
  return { outcome: spec.outcome, found: about.map(({ why }) => why) };
}

describe('a component whose place another one has', () => {
  it.each([
    ['mc-leader', 'isthmus-leader'],
    ['isthmus-member', 'mc-member'],
  ])('blocks: %s where %s runs', (id, occupant) => {
    expect(found(id, running(occupant, 'v0.1.0'))).toEqual({
      outcome: 'blocked',
      found: [`the plan would install ${id}, but ${occupant} runs in this cluster and has objects of the same names`],
    });
  });

  it('is upgraded where it runs itself, and installed where the other role runs', () => {
    expect(found('mc-leader', running('mc-leader', 'v2.6.0')).found).toEqual([]);
    expect(found('mc-leader', running('isthmus-member', 'v0.1.0')).found).toEqual([]);
  });

  it('is found by its type, whatever its id', () => {
    expect(found('mc-leader', { ...running('our-leader', 'v0.1.0'), type: 'isthmus-leader' }).found).toEqual([
      'the plan would install mc-leader, but our-leader runs in this cluster and has objects of the same names',
    ]);
  });
});

describe('a network plugin', () => {
  const cluster = (components: readonly object[], more: object = {}) => ({ name: 'a', components, ...more });
  const foundIn = (id: string, one: object) => {
    const bundle = loadedOf([written({ id, version: { upstream: 'v2.7.0' } })]);
    const { spec } = planOf(bundle, snapshotOf({ clusters: [one] }));
    return spec.findings
      .filter(({ rule }) => rule === 'plan.taken-place')
      .map(({ severity, why }) => `${severity} ${why}`);
  };

  it.each([
    ['antrea-agent', 'Antrea', 'cilium'],
    ['antrea-controller', 'Antrea', 'calico'],
    ['cilium', 'Cilium', 'antrea-agent'],
  ])('blocks as a second one: %s of %s where %s runs', (id, plugin, other) => {
    expect(foundIn(id, cluster([running(other, 'v1.17.0', ['n1'])]))).toEqual([
      `block the plan would install ${id}, a part of the network plugin ${plugin}, but ${other} runs in this cluster: a cluster has one network plugin`,
    ]);
  });

  it('is completed where another part of it runs', () => {
    expect(foundIn('antrea-controller', cluster([running('antrea-agent', 'v2.7.0', ['n1'])]))).toEqual([]);
  });

  it('is a question where none is recognised, and the Nodes of a cluster that was read are ready', () => {
    const readAt = '2026-11-21T09:00:00Z';
    const kubelet = (ready: boolean) => ({ id: 'kubelet', live: [{ version: 'v1.36.0', node: 'n1', ready }] });
    expect(foundIn('antrea-agent', cluster([kubelet(true)], { readAt }))).toEqual([
      'warn the plan would install antrea-agent, a part of the network plugin Antrea, but Nodes of this cluster are ready, so an unrecognised network plugin may run there',
    ]);
    expect(foundIn('antrea-agent', cluster([kubelet(false)], { readAt }))).toEqual([]);
    expect(foundIn('antrea-agent', cluster([kubelet(true)]))).toEqual([]);
  });
});

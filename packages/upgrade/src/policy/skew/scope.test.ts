import { describe, expect, it } from 'vitest';
import { FleetIndex } from '../../fleet/fleet-index.ts';
import { fleet, inShop, managed } from '../testing/fleet.ts';
import type { Scope } from './scope.ts';
import { inScope, subjectsOf } from './scope.ts';

const clusters = [
  inShop('north', 'leader'),
  inShop('east', 'member'),
  { name: 'far', roles: ['member'], clusterSet: 'other' } as const,
  { name: 'alone', roles: ['member'] } as const,
  managed('admin'),
  managed('work', 'admin'),
  managed('self', 'self'),
];

describe('the versions that a rule compares with', () => {
  const everywhere = ['north', 'east', 'far', 'alone', 'admin', 'work', 'self', 'unlisted'];
  const index = new FleetIndex(
    fleet(clusters, ...everywhere.map((name, at) => `${name}/kubelet v1.${at}.0`), 'kubelet v1.99.0'),
  );
  const programs = 'a program';

  it.each<readonly [string, Scope, readonly string[]]>([
    ['east', 'node', ['east', programs]],
    ['east', 'cluster', ['east', programs]],
    ['east', 'clusterset', ['north', 'east', programs]],
    ['far', 'clusterset', ['far', programs]],
    ['alone', 'clusterset', []],
    ['unlisted', 'clusterset', []],
    ['work', 'management', ['admin']],
    ['admin', 'management', []],
    ['self', 'management', []],
    ['unlisted', 'management', []],
    ['east', 'fleet', [...everywhere, programs]],
    ['', 'fleet', [...everywhere, programs]],
    ['', 'cluster', [...everywhere, programs]],
    ['', 'clusterset', [...everywhere, programs]],
  ])('for a subject in "%s" and the scope %s are those of %j', (cluster, scope, expected) => {
    const found = [...inScope(index, scope, 'kubelet', cluster).values()].flat();
    expect(found.map((one) => one.cluster ?? programs)).toEqual(expected);
  });
});

describe('the clusters that are looked at again', () => {
  const index = new FleetIndex(
    fleet(
      clusters,
      ...['north', 'east', 'far', 'alone', 'work', 'unlisted'].map((cluster) => `${cluster}/proxy v1.0.0`),
      'proxy v1.0.0',
    ),
  );
  const all = ['north', 'east', 'far', 'alone', 'work', 'unlisted', ''];

  it.each<readonly [Scope, string, readonly string[]]>([
    ['cluster', 'east/proxy v1.0.0', ['east']],
    ['cluster', 'east/kubelet v1.0.0', ['east', '']],
    ['cluster', 'kubelet v1.0.0', all],
    ['cluster', 'east/other v1.0.0', []],
    ['cluster', 'other v1.0.0', []],
    ['clusterset', 'east/kubelet v1.0.0', ['north', 'east', '']],
    ['clusterset', 'alone/kubelet v1.0.0', ['']],
    ['management', 'admin/kubelet v1.0.0', ['work', '']],
    ['management', 'east/kubelet v1.0.0', ['']],
    ['management', 'kubelet v1.0.0', ['']],
    ['fleet', 'far/kubelet v1.0.0', all],
  ])('by a rule with the scope %s, after a change of %s, are %j', (scope, changed, expected) => {
    const { instances } = fleet([], changed);
    expect([...subjectsOf({ subject: 'proxy', reference: 'kubelet', scope }, index, instances)]).toEqual(expected);
  });

  it('are all where everything may have changed', () => {
    expect([...subjectsOf({ subject: 'proxy', reference: 'kubelet', scope: 'cluster' }, index)]).toEqual(all);
  });
});

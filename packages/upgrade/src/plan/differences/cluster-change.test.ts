import { describe, expect, it } from 'vitest';
import { componentOf, digest } from '../../bundle/testing/bundle-of.ts';
import type { ClusterSnapshot, InstalledComponent } from '../../fleet/fleet-snapshot.ts';
import { runningOf } from '../../fleet/live-versions.ts';
import { snapshotOf } from '../../fleet/testing/snapshot-of.ts';
import { clientDifference, differenceOf, isAtTarget, recordedDiffers, sortedVersions } from './cluster-change.ts';

const component = (more: object = {}) => componentOf({ id: 'x', version: { upstream: 'v1.2.0' }, ...more });

function clusterWith(installed: object | undefined): ClusterSnapshot {
  const components = installed === undefined ? [] : [{ id: 'x', ...installed }];
  const [cluster] = snapshotOf({ clusters: [{ name: 'c', components }] }).spec.clusters;
  if (cluster === undefined) throw new Error('no cluster');
  return cluster;
}
const installedOf = (fields: object): InstalledComponent => {
  const [one] = clusterWith(fields).components;
  if (one === undefined) throw new Error('no component');
  return one;
};
function difference(installed: object | undefined, more: object = {}) {
  const cluster = clusterWith(installed);
  return differenceOf(component(more), cluster, cluster.components[0]);
}
const live = (...versions: readonly string[]) => versions.map((version, at) => ({ version, name: `r${at}` }));
const image = (digit: number) => ({ image: digest(digit) });

describe('the difference of a component from the bundle', () => {
  const recorded = { version: 'v1.2.0', digests: image(1) };

  it.each<readonly [string, object | undefined, string | undefined]>([
    ['nothing of it', undefined, 'added'],
    ['an entry of it that knows nothing', {}, 'added'],
    ['the target, recorded', { recorded }, undefined],
    ['the target, running', { live: live('v1.2.0') }, undefined],
    ['an older patch', { live: live('v1.1.9') }, 'minor'],
    ['an older major', { live: live('v0.9.0') }, 'major'],
    ['a newer version', { live: live('v1.2.1') }, 'downgrade'],
    ['a version that is none', { live: live('main') }, 'unknown'],
    ['an empty record', { recorded: { version: '' } }, 'unknown'],
    ['the target with other content', { recorded: { version: 'v1.2.0', digests: image(2) } }, 'content-drift'],
    [
      'the target with other content than recorded, seen at work',
      { recorded, live: [{ version: 'v1.2.0', digests: image(2) }] },
      'content-drift',
    ],
    [
      'the recorded target, whose digests were not seen',
      { recorded: { version: 'v1.2.0', digests: image(2) }, live: live('v1.2.0') },
      'content-drift',
    ],
    [
      'the target, and another record, whose digests do not count',
      { recorded: { version: 'v1.1.0', digests: image(2) }, live: live('v1.2.0') },
      undefined,
    ],
    ['several versions: the greatest change counts', { live: live('v1.2.0', 'v1.1.0', 'v0.9.0') }, 'major'],
    ['several versions: a downgrade is the worst', { live: live('v0.9.0', 'v1.3.0', 'main') }, 'downgrade'],
    ['several versions: an unknown one is worse than a major', { live: live('v0.9.0', 'main') }, 'unknown'],
  ])('where a cluster has %s', (_, installed, relation) => {
    expect(difference(installed)?.row.relation).toBe(relation);
  });

  it('has all that is known of a component that is to be added', () => {
    expect(difference(undefined, { type: 't', displayName: 'The X', method: 'helm' })?.row).toEqual({
      id: 'c/x',
      component: 'x',
      type: 't',
      displayName: 'The X',
      cluster: 'c',
      scope: 'cluster',
      from: { version: '', digests: {}, source: 'none', versions: [] },
      to: { version: 'v1.2.0', digests: image(1), source: 'bundle', versions: [] },
      relation: 'added',
      orderKnown: true,
      reasons: ['it is not installed, and the bundle requires it in this cluster'],
      method: 'helm',
    });
  });

  it.each<readonly [string, object, object]>([
    [
      'recorded alone',
      { recorded: { version: 'v1.1.0', digests: image(3) } },
      { version: 'v1.1.0', digests: image(3), source: 'recorded', versions: [] },
    ],
    [
      'recorded and running',
      { recorded: { version: 'v1.1.0', digests: image(3) }, live: live('v1.1.0') },
      { version: 'v1.1.0', digests: image(3), source: 'both', versions: [] },
    ],
    [
      'running, with another record',
      { recorded: { version: 'v1.0.0', digests: image(3) }, live: live('v1.1.0') },
      { version: 'v1.1.0', digests: {}, source: 'live', versions: [] },
    ],
    [
      'running in several versions, oldest first',
      { live: live('v1.1.0', 'v1.0.0', 'v1.1.0') },
      { version: 'v1.0.0', digests: {}, source: 'live', versions: ['v1.0.0', 'v1.1.0'] },
    ],
    ['not known at all', { recorded: { version: '' } }, { version: '', digests: {}, source: 'recorded', versions: [] }],
  ])('shows from what: a version that is %s', (_, installed, from) => {
    expect(difference(installed)?.row.from).toEqual(from);
  });

  it('gives the reason of the change, then that of the record', () => {
    expect(difference({ recorded: { version: 'v1.0.0' }, live: live('v1.1.0') })?.row.reasons).toEqual([
      'v1.2.0 is newer than v1.1.0',
      'the recorded version differs: the recorded version is v1.0.0, but v1.1.0 runs',
    ]);
  });

  it.each<readonly [object, boolean]>([
    [{ live: live('v1.1.0') }, true],
    [{ live: live('main') }, false],
  ])('of %j has a known order: %s', (installed, known) => {
    expect(difference(installed)?.row.orderKnown).toBe(known);
  });

  it.each<readonly [object, string]>([
    [{}, 'cluster'],
    [{ scope: 'node' }, 'node'],
    [{ roles: ['management'] }, 'management'],
    [{ roles: ['management', 'workload'] }, 'cluster'],
    [{ scope: 'node', roles: ['management'] }, 'node'],
  ])('of a component with %j has the scope %s', (more, scope) => {
    expect(difference(undefined, more)?.row.scope).toBe(scope);
  });

  it.each<readonly [object, object, boolean]>([
    [{ live: live('v1.2.0') }, {}, true],
    [{ live: live('v1.1.0') }, {}, false],
    [{ recorded: { version: 'v1.2.0', digests: image(2) }, live: live('v1.2.0') }, {}, false],
  ])('an instance of %j is at the target: %s', (installed, more, expected) => {
    const one = installedOf(installed);
    const [first] = runningOf(one);
    if (first === undefined) throw new Error('nothing runs');
    expect(isAtTarget(first, component(more), one)).toBe(expected);
  });
});

describe('a record that differs from what runs', () => {
  it.each<readonly [object, readonly string[]]>([
    [{ recorded: { version: 'v1.0.0' }, live: live('v1.0.0') }, []],
    [{ recorded: { version: 'v1.0.0' }, live: live('1.0.0') }, []],
    [{ recorded: { version: 'v1.0.0' } }, []],
    [{ live: live('v1.0.0') }, []],
    [{ recorded: { version: '' }, live: live('') }, []],
    [
      { recorded: { version: 'v1.0.0' }, live: live('v1.2.0', 'v1.0.0', 'v1.1.0') },
      ['the recorded version differs: the recorded version is v1.0.0, but v1.1.0, v1.2.0 runs'],
    ],
    [
      { recorded: { version: '' }, live: live('v1.0.0') },
      ['the recorded version differs: nothing is recorded, but v1.0.0 runs'],
    ],
  ])('%j', (installed, expected) => {
    const one = installedOf(installed);
    expect(recordedDiffers(one, runningOf(one))).toEqual(expected);
  });
});

describe('versions that run', () => {
  it.each<readonly [readonly string[], readonly string[]]>([
    [
      ['v1.10.0', 'v1.9.0', '', 'v1.9.0'],
      ['v1.9.0', 'v1.10.0'],
    ],
    [
      ['v1.0.0+b', 'v1.0.0+a'],
      ['v1.0.0+a', 'v1.0.0+b'],
    ],
    [[''], []],
  ])('%j are sorted, each once', (versions, expected) => {
    expect(sortedVersions(runningOf(installedOf({ live: live(...versions) })))).toEqual(expected);
  });
});

describe('the difference of a program of people', () => {
  const client = component({ scope: 'client' });

  it.each<readonly [readonly string[], string | undefined]>([
    [[], undefined],
    [['v1.2.0', 'v1.2.0'], undefined],
    [['v1.2.0', 'v1.1.0'], 'minor'],
    [['v1.1.0', 'v1.3.0'], 'downgrade'],
  ])('of the versions %j is %s', (versions, relation) => {
    const running = runningOf(installedOf({ live: live(...versions) }));
    expect(clientDifference(client, running)?.row.relation).toBe(relation);
  });

  it('names no cluster, and lists several versions', () => {
    const running = runningOf(installedOf({ live: live('v1.1.0', 'v1.0.0') }));
    expect(clientDifference(client, running)).toEqual({
      row: {
        id: 'x',
        component: 'x',
        type: 'x',
        displayName: 'x',
        scope: 'client',
        from: { version: 'v1.0.0', digests: {}, source: 'live', versions: ['v1.0.0', 'v1.1.0'] },
        to: { version: 'v1.2.0', digests: image(1), source: 'bundle', versions: [] },
        relation: 'minor',
        orderKnown: true,
        reasons: ['v1.2.0 is newer than v1.1.0'],
        method: 'apply',
      },
      component: client,
      running,
    });
    expect(clientDifference(client, running.slice(0, 1))?.row.from.versions).toEqual([]);
  });
});

import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { bundleOf, written } from '../bundle/testing/bundle-of.ts';
import { fingerprintOf } from './fingerprint.ts';
import type { Instance } from './fleet-state.ts';
import { fleetProblems } from './fleet-problems.ts';
import { DefinitionPool, withOwnDefinitions } from './shared-definitions.ts';
import { stateOf } from './state-of.ts';
import { running, snapshotOf } from './testing/snapshot-of.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const none = { bundle: bundleOf({}) };

describe('the state of a fleet', () => {
  const versionsOf = (component: object, bundle = none) =>
    stateOf(snapshotOf({ clusters: [{ name: 'a', components: [component] }] }), bundle).instances.map(
      ({ type, node, version }) => [type, node, version.text],
    );

  it.each([
    [
      'what runs, where it differs from what is recorded',
      { id: 'x', recorded: { version: 'v1.6.1' }, live: [{ version: 'v1.6.0' }] },
      'v1.6.0',
    ],
    ['what is recorded, where nothing was looked for', { id: 'x', recorded: { version: 'v1.6.1' } }, 'v1.6.1'],
    [
      'what is recorded, where the image does not tell',
      { id: 'x', recorded: { version: 'v1.6.1' }, live: [{ version: '' }] },
      'v1.6.1',
    ],
    [
      'the recorded build of the release that runs, which a tag cannot contain',
      { id: 'x', recorded: { version: 'v1.6.1+a1b2c3d' }, live: [{ version: 'v1.6.1' }] },
      'v1.6.1+a1b2c3d',
    ],
    [
      'what runs, where it is a build of its own',
      { id: 'x', recorded: { version: 'v1.6.1+a1b2c3d' }, live: [{ version: 'v1.6.1+e4f5a6b' }] },
      'v1.6.1+e4f5a6b',
    ],
    [
      'what runs, where the recorded build is of another release',
      { id: 'x', recorded: { version: 'v1.6.1+a1b2c3d' }, live: [{ version: 'v1.6.0' }] },
      'v1.6.0',
    ],
    [
      'what runs, where the recorded build is of another pre-release',
      { id: 'x', recorded: { version: 'v1.6.1-rc.1+a1b2c3d' }, live: [{ version: 'v1.6.1' }] },
      'v1.6.1',
    ],
    ['nothing, where nothing is known', { id: 'x', recorded: { version: '' } }, undefined],
    ['a text that is no version', { id: 'x', live: [{ version: 'xxx' }] }, 'xxx'],
  ])('is %s', (_what, component, version) => {
    expect(versionsOf(component)).toEqual(version === undefined ? [] : [['x', undefined, version]]);
  });

  it('has one instance for each Node, and the types of the bundle', () => {
    const bundle = { bundle: bundleOf({ components: [written({ id: 'x', type: 'antrea-agent' })] }) };
    expect(versionsOf(running('x', 'v1.0.0', ['n2', 'n1']), bundle)).toEqual([
      ['antrea-agent', 'n1', 'v1.0.0'],
      ['antrea-agent', 'n2', 'v1.0.0'],
    ]);
  });
});

describe('the order of the state of a fleet', () => {
  const at = ({ component, cluster = '-', node = '-', name = '-', version }: Instance) =>
    [cluster, component, node, name, version.text].join(' ');

  it('is that of names, whatever the order in the snapshot', () => {
    const servers = ['s2', 's1'].map((name) => ({ version: 'v1.0.0', name }));
    const components = [running('y', 'v1.0.0', ['n2', 'n1']), { id: 'x', live: servers }];
    const clients = [
      { component: 'kubectl', version: 'v1.1.0' },
      { component: 'antctl', name: 'pipeline', version: 'v1.0.0' },
      { component: 'kubectl', version: 'v1.0.0' },
      { component: 'antctl', name: 'bastion', version: 'v1.2.0' },
    ];
    const clusters = ['c', 'a', 'b'].map((name) => ({ name, components: name === 'a' ? components : [] }));
    const expected = [
      'a x - s1 v1.0.0',
      'a x - s2 v1.0.0',
      'a y n1 - v1.0.0',
      'a y n2 - v1.0.0',
      'b y - - v2.0.0',
      '- antctl - bastion v1.2.0',
      '- antctl - pipeline v1.0.0',
      '- kubectl - - v1.0.0',
      '- kubectl - - v1.1.0',
    ];
    clusters[2]?.components.push(running('y', 'v2.0.0'));
    for (const order of [<T>(some: readonly T[]) => some, <T>(some: readonly T[]) => some.toReversed()]) {
      const state = stateOf(snapshotOf({ clusters: order(clusters), clients: order(clients) }), none);
      expect(state.clusters.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
      expect(state.instances.map(at)).toEqual(expected);
    }
  });
});

describe('the fingerprint of a fleet', () => {
  const spec = {
    clusters: [
      { name: 'b', roles: ['member', 'leader'], components: [running('y', 'v1.0.0', ['n1', 'n2'])] },
      { name: 'a', components: [running('x', 'v1.0.0')], objects: [{ metadata: { name: 'o', resourceVersion: '1' } }] },
    ],
  };
  const of = (changed: object) => fingerprintOf(snapshotOf({ ...spec, ...changed }), sha256);

  it('does not change with time, order, and bookkeeping of API servers', () => {
    const [b, a] = spec.clusters;
    const other = {
      takenAt: '2026-11-22T09:00:00Z',
      clusters: [
        { ...a, objects: [{ metadata: { name: 'o', resourceVersion: '9', managedFields: [] } }] },
        { ...b, roles: ['leader', 'member'], components: [running('y', 'v1.0.0', ['n2', 'n1'])] },
      ],
    };
    expect(of(other)).toEqual(of({}));
  });

  it('does not change with how and when a cluster was read, and where its definitions are', () => {
    const definition = { metadata: { name: 'a.x' }, spec: { group: 'x' } };
    const [b, a] = spec.clusters;
    const read = { context: 'me@a', readAt: '2026-11-22T09:00:00Z' };
    const own = snapshotOf({ clusters: [b, { ...a, definitions: [definition] }] });
    const shared = snapshotOf({
      clusters: [b, { ...a, ...read, sharedDefinitions: ['a.x@1'] }],
      definitions: { 'a.x@1': definition },
    });
    expect(fingerprintOf(withOwnDefinitions(shared), sha256)).toEqual(fingerprintOf(own, sha256));
  });

  it('of a cluster changes with anything that was seen of it, and those of others do not', () => {
    const [b, a] = spec.clusters;
    const changed = of({ clusters: [b, { ...a, components: [running('x', 'v1.0.1')] }] });
    const before = of({});
    expect(changed.clusters.map((one, at) => one.fingerprint === before.clusters[at]?.fingerprint)).toEqual([
      false,
      true,
    ]);
    expect(changed.fleet).not.toBe(before.fleet);
  });
});

describe('what is wrong with a snapshot', () => {
  const at = { source: 'fleet.yaml', lineOf: () => 7 };
  const member = { name: 'east', roles: ['member'] };
  const leader = { name: 'north', roles: ['leader'] };

  it.each([
    [
      'an unknown leader',
      { clusterSets: [{ name: 's', leader: 'gone', members: [] }] },
      'the leader gone of s is not a cluster of the snapshot',
    ],
    [
      'a leader without the role',
      { clusters: [member], clusterSets: [{ name: 's', leader: 'east', members: [] }] },
      'does not have the role leader',
    ],
    [
      'an unknown member',
      { clusters: [leader], clusterSets: [{ name: 's', leader: 'north', members: ['gone'] }] },
      'the member gone of s',
    ],
    [
      'a member of two ClusterSets',
      {
        clusters: [leader, member],
        clusterSets: [
          { name: 's', leader: 'north', members: ['east'] },
          { name: 't', leader: 'north', members: ['east'] },
        ],
      },
      'east is a member of s already',
    ],
    [
      'an unknown ClusterSet',
      { clusters: [{ name: 'a', clusterSet: 's' }] },
      'the ClusterSet s is not in spec.clusterSets',
    ],
    [
      'an unknown definition',
      { clusters: [{ name: 'a', sharedDefinitions: ['a.x@1'] }] },
      'the definition a.x@1 is not in spec.definitions',
    ],
    ['an unknown manager', { clusters: [{ name: 'a', managedBy: 'm' }] }, 'm, which manages a, is not a cluster'],
    [
      'clusters that manage each other',
      {
        clusters: [
          { name: 'a', managedBy: 'b' },
          { name: 'b', managedBy: 'a' },
        ],
      },
      'clusters manage each other: a → b → a',
    ],
  ])('%s', (_what, spec, message) => {
    const problems = fleetProblems(snapshotOf(spec), at);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({
      source: 'fleet.yaml',
      line: 7,
      message: expect.stringContaining(message) as string,
    });
  });

  it('nothing, with a leader that is a member too and a cluster that manages itself', () => {
    const both = { name: 'north', roles: ['leader', 'member', 'management'], clusterSet: 's', managedBy: 'north' };
    const spec = { clusters: [both], clusterSets: [{ name: 's', leader: 'north', members: ['north'] }] };
    expect(fleetProblems(snapshotOf(spec), at)).toEqual([]);
  });
});

it('definitions of many clusters are kept once', () => {
  const pool = new DefinitionPool(sha256);
  const definition = (kind: string) => ({ metadata: { name: 'a.x' }, spec: { kind } });
  const { spec } = snapshotOf({
    clusters: ['A', 'A', 'B'].map((kind, at) => ({ name: `c${at}`, definitions: [definition(kind)] })),
  });
  const clusters = spec.clusters.map((one) => pool.share(one));
  expect([...pool.definitions.values()]).toEqual([definition('A'), definition('B')]);
  expect(clusters.map(({ definitions, sharedDefinitions }) => [definitions.length, sharedDefinitions.length])).toEqual([
    [0, 1],
    [0, 1],
    [0, 1],
  ]);
  const definitions = Object.fromEntries(pool.definitions);
  const whole = withOwnDefinitions({ ...snapshotOf({}), spec: { ...spec, clusters, definitions } });
  expect(whole.spec.clusters.map((one) => one.definitions)).toEqual(spec.clusters.map((one) => one.definitions));
});

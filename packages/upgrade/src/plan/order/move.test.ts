import { describe, expect, it } from 'vitest';
import { componentOf, digest } from '../../bundle/testing/bundle-of.ts';
import type { Component } from '../../bundle/component.ts';
import type { Running } from '../../fleet/live-versions.ts';
import { runningOf } from '../../fleet/live-versions.ts';
import { snapshotOf } from '../../fleet/testing/snapshot-of.ts';
import { movesOf } from './move.ts';

interface Case {
  readonly component?: object;
  /** Upstream versions by round; undefined where it stays. */
  readonly path?: readonly (string | undefined)[];
  readonly live?: readonly object[];
  readonly recorded?: object;
  readonly nodesAtOnce?: number;
}

function moves({ component = {}, path = ['v1.2.0'], live = [], recorded, nodesAtOnce = 1 }: Case) {
  const at = (upstream: string): Component => componentOf({ id: 'x', version: { upstream }, ...component });
  const [cluster] = snapshotOf({
    clusters: [{ name: 'c', components: [{ id: 'x', live, ...(recorded !== undefined && { recorded }) }] }],
  }).spec.clusters;
  const [installed] = cluster?.components ?? [];
  const running: readonly Running[] = installed === undefined ? [] : runningOf(installed);
  const stops = path.map((upstream) => (upstream === undefined ? undefined : at(upstream)));
  const change = {
    component: at('v9.9.9'),
    cluster,
    running,
    family: 'f',
    path: stops,
    row: {},
  } as unknown as Parameters<typeof movesOf>[0];
  return movesOf(change, { place: () => ({ group: 'members', wave: 2 }), nodesAtOnce, firstRound: 3 });
}
/** Each move: its key, Nodes or replica, and versions before and after. */
const said = (one: Case) =>
  moves(one).map(({ key, nodes, name, before, after }) =>
    [
      key,
      ...(nodes.length > 0 ? [`on ${nodes.join(' ')}`] : []),
      ...(name !== undefined ? [`of ${name}`] : []),
      `${before.map(({ version }) => version.text).join(' ')} → ${after.map(({ version }) => version.text).join(' ')}`,
    ].join(' '),
  );
const node = (name: string, version = 'v1.1.0') => ({ node: name, version });
const replica = (name: string, version = 'v1.1.0') => ({ name, version });

describe('the moves of a change', () => {
  it.each<readonly [string, Case, readonly string[]]>([
    ['a component that is installed has one, without a version before', {}, ['3/c/x/0  → v1.2.0']],
    ['a single instance is named', { live: [replica('a')] }, ['3/c/x/0 of a v1.1.0 → v1.2.0']],
    ['all instances move at once', { live: [replica('a'), replica('b')] }, ['3/c/x/0 v1.1.0 v1.1.0 → v1.2.0 v1.2.0']],
    ['what has the target stays', { live: [replica('a', 'v1.2.0'), replica('b')] }, ['3/c/x/0 of b v1.1.0 → v1.2.0']],
    ['all have the target: none', { live: [replica('a', 'v1.2.0')] }, []],
    [
      'the content is not that of the target: it moves',
      { live: [{ version: 'v1.2.0', digests: { image: digest(2) } }] },
      ['3/c/x/0 v1.2.0 → v1.2.0'],
    ],
    [
      'the recorded content counts where none was seen',
      { live: [{ version: 'v1.2.0' }], recorded: { version: 'v1.2.0', digests: { image: digest(2) } } },
      ['3/c/x/0 v1.2.0 → v1.2.0'],
    ],
    [
      'API servers move one by one',
      { component: { type: 'kube-apiserver' }, live: [replica('a'), replica('b')] },
      ['3/c/x/0 of a v1.1.0 → v1.2.0', '3/c/x/1 of b v1.1.0 → v1.2.0'],
    ],
    [
      'Nodes move some at a time, after what is on none',
      { component: { scope: 'node' }, live: [node('n1'), node('n2'), node('n3'), replica('op')], nodesAtOnce: 2 },
      ['3/c/x/0 v1.1.0 → v1.2.0', '3/c/x/1 on n1 n2 v1.1.0 v1.1.0 → v1.2.0 v1.2.0', '3/c/x/2 on n3 v1.1.0 → v1.2.0'],
    ],
    [
      'at least one Node moves at a time',
      { component: { scope: 'node' }, live: [node('n1'), node('n2')], nodesAtOnce: 0 },
      ['3/c/x/0 on n1 v1.1.0 → v1.2.0', '3/c/x/1 on n2 v1.1.0 → v1.2.0'],
    ],
    [
      'Nodes of a component of another scope do not count',
      { live: [node('n1'), node('n2')] },
      ['3/c/x/0 v1.1.0 v1.1.0 → v1.2.0 v1.2.0'],
    ],
    [
      'each stop is a round',
      { path: ['v1.1.5', 'v1.2.0'], live: [replica('a')] },
      ['3/c/x/0 of a v1.1.0 → v1.1.5', '4/c/x/0 of a v1.1.5 → v1.2.0'],
    ],
    [
      'a round without a stop has none',
      { path: [undefined, 'v1.2.0'], live: [replica('a')] },
      ['4/c/x/0 of a v1.1.0 → v1.2.0'],
    ],
    [
      'what is past a stop waits there',
      { path: ['v1.1.5', 'v1.2.0'], live: [replica('a'), replica('b', 'v1.1.7'), replica('c', 'v1.1.5')] },
      ['3/c/x/0 of a v1.1.0 → v1.1.5', '4/c/x/0 v1.1.5 v1.1.7 v1.1.5 → v1.2.0 v1.2.0 v1.2.0'],
    ],
    [
      'a version that is none passes each stop',
      { path: ['v1.1.5', 'v1.2.0'], live: [replica('a', 'mine')] },
      ['3/c/x/0 of a mine → v1.1.5', '4/c/x/0 of a v1.1.5 → v1.2.0'],
    ],
    ['a downgrade moves at the last stop', { live: [replica('a', 'v1.3.0')] }, ['3/c/x/0 of a v1.3.0 → v1.2.0']],
  ])('%s', (_, one, expected) => {
    expect(said(one)).toEqual(expected);
  });

  it.each<readonly [string, Case, boolean]>([
    ['in place of another version', { live: [replica('a')] }, true],
    ['in place of an unknown version', { live: [replica('a', '')] }, false],
    ['in place of nothing', {}, false],
  ])('%s: both versions run is %s', (_, one, rolling) => {
    expect(moves(one).map((move) => move.rolling)).toEqual([rolling]);
  });

  it('have their place, and what runs before and after', () => {
    const [move] = moves({ component: { type: 't', scope: 'node' }, live: [node('n1')] });
    expect(move).toMatchObject({ family: 'f', group: 'members', wave: 2, round: 3, nodes: ['n1'], name: undefined });
    const place = { type: 't', component: 'x', cluster: 'c', node: 'n1', name: undefined };
    expect(move?.before).toMatchObject([{ ...place, version: { text: 'v1.1.0' } }]);
    expect(move?.after).toMatchObject([{ ...place, version: { text: 'v1.2.0' } }]);
  });
});

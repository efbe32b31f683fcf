import { describe, expect, it } from 'vitest';
import { componentOf } from '../../bundle/testing/bundle-of.ts';
import type { FleetState, Instance } from '../../fleet/fleet-state.ts';
import { snapshotOf } from '../../fleet/testing/snapshot-of.ts';
import type { Policy } from '../../policy/policy.ts';
import { policy } from '../../policy/policy.ts';
import { problemLine, readFile } from '../../read/read-file.ts';
import { parseVersion } from '../../version/parse-version.ts';
import { plannerContext } from '../input/planner-context.ts';
import { inputOf, loadedOf } from '../testing/plan-of.ts';
import type { Move } from './move.ts';
import { orderMoves } from './order-moves.ts';
import type { Tolerates } from './toleration.ts';

function policyOf(spec: object): readonly Policy[] {
  const file = {
    apiVersion: 'upgrade.isthmus.dev/v1alpha1',
    kind: 'Policy',
    metadata: { name: 'ours' },
    spec: { product: 'Ours', ...spec },
  };
  const result = readFile(policy, JSON.stringify(file), 'policy.json');
  if (result.kind === 'refused') throw new Error(result.problems.map(problemLine).join('\n'));
  return [result.value];
}

/** A move `cluster component`, from 1.0 to 1.1, and what differs from a usual one. */
interface Written {
  readonly of: string;
  readonly component?: object;
  readonly family?: string;
  readonly relation?: string;
  readonly from?: string;
  readonly to?: string;
  readonly more?: Partial<Move>;
}
interface Case {
  readonly moves: readonly Written[];
  readonly rules?: object;
  /** What runs and does not move: `cluster component version`. */
  readonly beside?: readonly string[];
  readonly tolerates?: Tolerates;
}

const instance = (cluster: string, component: string, version: string): Instance => ({
  type: component,
  component,
  ...(cluster !== '' && { cluster }),
  version: parseVersion(version),
});

function ordered({ moves, rules = {}, beside = [], tolerates = () => undefined }: Case) {
  const clusterNames = new Set([...moves.map(({ of }) => of), ...beside].flatMap((text) => text.split(' ')[0] || []));
  const clusters = [...clusterNames].map((name) => ({ name, clusterSet: 's' }));
  const context = plannerContext(inputOf(loadedOf([]), snapshotOf({ clusters }), { policies: policyOf(rules) }));
  const made = moves.map(
    ({ of, component = {}, family = 'f', relation = 'minor', from = 'v1.0.0', to = 'v1.1.0', more = {} }): Move => {
      const [name = '', id = ''] = of.split(' ');
      return {
        key: of,
        change: { row: { relation } } as unknown as Move['change'],
        component: componentOf({ id, ...component }),
        cluster: context.clusters.find((one) => one.name === name),
        family,
        round: 0,
        group: 'members',
        wave: 0,
        nodes: [],
        before: from === '' ? [] : [instance(name, id, from)],
        after: [instance(name, id, to)],
        rolling: true,
        ...more,
      };
    },
  );
  const state: FleetState = {
    clusters: context.clusters,
    instances: [
      ...made.flatMap(({ before }) => before),
      ...beside.map((text) => {
        const [name = '', id = '', version = ''] = text.split(' ');
        return instance(name, id, version);
      }),
    ],
  };
  return orderMoves(made, state, { context, tolerates });
}
const order = (one: Case) => {
  const { moves, stuck } = ordered(one);
  return [
    moves.map(({ key }) => key),
    stuck.map(({ move, findings }) => [move.key, ...findings.map(({ rule }) => rule)].join(': ')),
  ];
};

describe('the usual order', () => {
  it.each<readonly [string, Case, readonly string[]]>([
    ['is by the round', { moves: [{ of: 'a x', more: { round: 1 } }, { of: 'b x' }] }, ['b x', 'a x']],
    ['is by the group', { moves: [{ of: 'a x' }, { of: 'b x', more: { group: 'leader' } }] }, ['b x', 'a x']],
    [
      'is by the wave',
      {
        moves: [
          { of: 'a x', more: { wave: 2 } },
          { of: 'b x', more: { wave: 1 } },
        ],
      },
      ['b x', 'a x'],
    ],
    ['is by the cluster', { moves: [{ of: 'b x' }, { of: 'a y' }] }, ['a y', 'b x']],
    [
      'puts what is added first',
      { moves: [{ of: 'a x' }, { of: 'a y', relation: 'added', from: '' }] },
      ['a y', 'a x'],
    ],
    [
      'puts what only some clusters have before what all have',
      { moves: [{ of: 'a x' }, { of: 'a y', component: { roles: ['member'] } }] },
      ['a y', 'a x'],
    ],
    ['puts Nodes last', { moves: [{ of: 'a x', component: { scope: 'node' } }, { of: 'a y' }] }, ['a y', 'a x']],
    ['is by the component', { moves: [{ of: 'a y' }, { of: 'a x' }] }, ['a x', 'a y']],
    [
      'is by the Node, or by the replica',
      {
        moves: [
          { of: 'a x', more: { key: '2', nodes: ['n2'] } },
          { of: 'a x', more: { key: '1', nodes: ['n1'] } },
          { of: 'a x', more: { key: '0', name: 'a' } },
        ],
      },
      ['0', '1', '2'],
    ],
  ])('%s', (_, one, expected) => {
    expect(order(one)).toEqual([expected, []]);
  });

  const yFirst = { order: [{ id: 'o', first: 'y', next: 'x', scope: 'cluster', source: 'us' }] };
  it.each<readonly [string, Case, readonly string[]]>([
    ['follows the rules of order', { moves: [{ of: 'a x' }, { of: 'a y' }], rules: yFirst }, ['a y', 'a x']],
    [
      'is the other way round where both go back',
      {
        moves: [
          { of: 'a x', relation: 'downgrade' },
          { of: 'a y', relation: 'downgrade' },
        ],
        rules: yFirst,
      },
      ['a x', 'a y'],
    ],
    [
      'follows requirements',
      { moves: [{ of: 'a x', component: { requires: [{ component: 'y' }] } }, { of: 'a y' }] },
      ['a y', 'a x'],
    ],
  ])('%s', (_, one, expected) => {
    expect(order(one)).toEqual([expected, []]);
  });
});

describe('an order that keeps the rules', () => {
  const skew = (newer: number, scope = 'clusterset') => ({
    skew: [
      { id: 's', subject: 'x', reference: 'y', scope, newer: { minors: newer }, older: { minors: 1 }, source: 'us' },
    ],
  });
  const far = { from: 'v1.0.0', to: 'v1.2.0' };

  it.each<readonly [string, Case, readonly string[], readonly string[]]>([
    [
      'is another one where the usual one breaks a rule',
      {
        moves: [
          { of: 'a x', from: 'v1.1.0', to: 'v1.2.0' },
          { of: 'b y', from: 'v1.0.0', to: 'v1.1.0' },
        ],
        rules: skew(1),
      },
      ['b y', 'a x'],
      [],
    ],
    [
      'asks again for all that waits in a family after each move',
      {
        moves: [
          { of: 'a x', from: 'v1.1.0', to: 'v1.2.0' },
          { of: 'b x', from: 'v1.1.0', to: 'v1.2.0' },
          { of: 'c y', from: 'v1.0.0', to: 'v1.1.0' },
        ],
        rules: skew(1),
      },
      ['c y', 'a x', 'b x'],
      [],
    ],
    [
      'does not exist: what is stuck is listed with the rules',
      { moves: [{ of: 'a x', ...far }], rules: skew(1), beside: ['b y v1.0.0'] },
      [],
      ['a x: s'],
    ],
    [
      'goes on with what is free',
      { moves: [{ of: 'a x', ...far }, { of: 'a z' }], rules: skew(1), beside: ['b y v1.0.0'] },
      ['a z'],
      ['a x: s'],
    ],
    [
      'holds what needs something that is stuck, without rules of its own',
      {
        moves: [
          { of: 'a x', ...far },
          { of: 'a z', component: { requires: [{ component: 'x' }] } },
        ],
        rules: skew(1),
        beside: ['b y v1.0.0'],
      },
      [],
      ['a x: s', 'a z'],
    ],
    [
      'holds the next round of a family until all of this one is done',
      {
        moves: [
          { of: 'a x', ...far },
          { of: 'a z', more: { round: 1 } },
          { of: 'b z', family: 'g', more: { round: 1 } },
        ],
        rules: skew(1),
        beside: ['b y v1.0.0'],
      },
      ['b z'],
      ['a x: s', 'a z'],
    ],
    [
      'does not break a rule that only warns',
      {
        moves: [{ of: 'a x', ...far }],
        rules: { skew: skew(1).skew.map((rule) => ({ ...rule, severity: 'warn' })) },
        beside: ['b y v1.0.0'],
      },
      ['a x'],
      [],
    ],
  ])('%s', (_, one, moves, stuck) => {
    expect(order(one)).toEqual([moves, stuck]);
  });

  it('breaks a rule that is tolerated, and notes the waiver', () => {
    const waiver = { rule: 's', reason: 'looked at', by: 'ops', until: '2026-12-01' } as never;
    const one: Case = { moves: [{ of: 'a x', ...far }], rules: skew(1), beside: ['b y v1.0.0'] };
    const waived = ordered({ ...one, tolerates: () => ({ waiver }) });
    expect([waived.moves.length, waived.waived.map((accepted) => [accepted.finding.rule, accepted.waiver])]).toEqual([
      1,
      [['s', waiver]],
    ]);
    const kept = ordered({ ...one, tolerates: (_, moving) => (moving.has('x') ? {} : undefined) });
    expect([kept.moves.length, kept.waived]).toEqual([1, []]);
  });

  it('ends with the versions after all moves', () => {
    const { end } = ordered({ moves: [{ of: 'a x' }], beside: ['b y v1.0.0'] });
    const runs = (type: string, cluster: string) => [...end.in(type, cluster).keys()];
    expect([runs('x', 'a'), runs('y', 'b')]).toEqual([['v1.1.0'], ['v1.0.0']]);
  });

  it('lets programs of people and clusters wait for each other', () => {
    const client: Written = {
      of: ' tool',
      component: { scope: 'client' },
      family: '',
      from: 'v1.1.0',
      to: 'v1.2.0',
      more: { cluster: undefined, group: 'management' },
    };
    const rules = {
      skew: [
        {
          id: 's',
          subject: 'tool',
          reference: 'y',
          scope: 'fleet',
          newer: { minors: 1 },
          older: { minors: 1 },
          source: 'us',
        },
      ],
    };
    expect(order({ moves: [client, { of: 'b y', from: 'v1.0.0', to: 'v1.1.0' }], rules })).toEqual([
      ['b y', ' tool'],
      [],
    ]);
  });
});

import { describe, expect, it } from 'vitest';
import { written } from '../../bundle/testing/bundle-of.ts';
import { running, snapshotOf } from '../../fleet/testing/snapshot-of.ts';
import { findDifferences } from '../differences/find-differences.ts';
import { plannerContext } from '../input/planner-context.ts';
import { withHops } from '../paths/hop-paths.ts';
import { inputOf, loadedOf } from '../testing/plan-of.ts';
import { hookFindings, hookSteps, openHooks } from './hooks.ts';
import type { OpenHook } from './hooks.ts';

const hook = (more: object = {}) => ({
  id: 'h',
  at: 'before',
  roles: ['member'],
  title: 'Renew the keys',
  doneWhen: { fact: 'keys', equals: 'new' },
  ...more,
});
const x = (hooks: readonly object[], more: object = {}) =>
  written({ id: 'x', version: { upstream: 'v1.1.0' }, hooks, ...more });
const cluster = (name: string, more: object = {}) => ({
  name,
  roles: ['member'],
  clusterSet: 's',
  components: [running('x', 'v1.0.0')],
  ...more,
});

function opened(components: readonly object[], clusters: readonly object[]): readonly OpenHook[] {
  const context = plannerContext(inputOf(loadedOf(components), snapshotOf({ clusters })));
  return openHooks(withHops(findDifferences(context).moving, context, 'as-rules-demand').changes, context);
}
const said = (hooks: readonly OpenHook[]) =>
  hooks.map(
    ({ hook: { id }, component, stands, clusters }) =>
      `${id} of ${component}${stands ? ', which stands' : ''}: ${clusters.map(({ name }) => name).join(' ')}`,
  );

describe('hooks that are open', () => {
  it.each<readonly [string, readonly object[], readonly object[], readonly string[]]>([
    ['where the component moves', [x([hook()])], [cluster('a')], ['h of x: a']],
    ['not where it stays', [x([hook()])], [cluster('a', { components: [running('x', 'v1.1.0')] })], []],
    ['not where a fact shows that it is done', [x([hook()])], [cluster('a', { facts: { keys: 'new' } })], []],
    ['where the fact has another value', [x([hook()])], [cluster('a', { facts: { keys: 'old' } })], ['h of x: a']],
    [
      'always, where no fact shows that it is done',
      [x([hook({ doneWhen: undefined })])],
      [cluster('a', { facts: { keys: 'new' } })],
      ['h of x: a'],
    ],
    [
      'also in a cluster of the family that does not move, or is left alone',
      [x([hook()])],
      [
        cluster('a'),
        cluster('b', { components: [running('x', 'v1.1.0')] }),
        cluster('c', { paused: true }),
        cluster('d', { facts: { keys: 'new' } }),
      ],
      ['h of x: a b c'],
    ],
    ['not in clusters of another role', [x([hook({ roles: ['leader'] })])], [cluster('a')], []],
    [
      'in each family for itself',
      [x([hook()])],
      [cluster('a'), cluster('b', { clusterSet: 't' })],
      ['h of x: a', 'h of x: b'],
    ],
    [
      'once for all clusters of a family, by component and name',
      [x([hook({ id: 'i' }), hook()])],
      [cluster('a'), cluster('b')],
      ['h of x: a b', 'i of x: a b'],
    ],
    ['from versions of a range', [x([hook({ whenFrom: '<1.0.5' })])], [cluster('a')], ['h of x: a']],
    ['not from versions outside of it', [x([hook({ whenFrom: '<1.0.0' })])], [cluster('a')], []],
    [
      'of a component of the same release that has moved',
      [x([], { unit: 'u' }), written({ id: 'y', unit: 'u', hooks: [hook()] })],
      [cluster('a', { components: [running('x', 'v1.0.0'), running('y', 'v1.0.0')] })],
      ['h of y, which stands: a'],
    ],
    [
      'not of one that nobody in the family has',
      [x([], { unit: 'u' }), written({ id: 'y', unit: 'u', optional: true, hooks: [hook()] })],
      [cluster('a')],
      [],
    ],
    [
      'not of one of another release',
      [x([], { unit: 'u' }), written({ id: 'y', unit: 'v', hooks: [hook()] })],
      [cluster('a', { components: [running('x', 'v1.0.0'), running('y', 'v1.0.0')] })],
      [],
    ],
    [
      'not of one without a unit, beside another without one',
      [x([]), written({ id: 'y', hooks: [hook()] })],
      [cluster('a', { components: [running('x', 'v1.0.0'), running('y', 'v1.0.0')] })],
      [],
    ],
    [
      'of a component of the same release that moves, as its own',
      [x([], { unit: 'u' }), written({ id: 'y', unit: 'u', version: { upstream: 'v1.1.0' }, hooks: [hook()] })],
      [cluster('a', { components: [running('x', 'v1.0.0'), running('y', 'v1.0.0')] })],
      ['h of y: a'],
    ],
  ])('%s', (_, components, clusters, expected) => {
    expect(said(opened(components, clusters))).toEqual(expected);
  });
});

describe('the steps of hooks', () => {
  const instructions = { instructions: 'Run it.' };
  const hooks = opened(
    [x([hook(instructions), hook({ id: 'i', at: 'after', doneWhen: undefined, title: 'Look' })])],
    [cluster('a')],
  );

  it('that come before are in the first group, and end with a fact', () => {
    expect(hookSteps(hooks, 'before')).toMatchObject([
      {
        kind: 'hook',
        title: 'Renew the keys (a)',
        why: 'it must be done in every cluster that it names before x is upgraded anywhere',
        group: 'pre-steps',
        lane: 'a',
        cluster: 'a',
        component: 'x',
        gates: [{ id: 'done', at: 'after', kind: 'fact', what: 'keys of a is new.' }],
        ...instructions,
      },
    ]);
  });

  it('that come after are in the last group, and end with the word of a person', () => {
    expect(hookSteps(hooks, 'after')).toMatchObject([
      {
        title: 'Look (a)',
        why: 'it follows when x is upgraded everywhere',
        group: 'post-steps',
        gates: [{ id: 'done', at: 'after', kind: 'approval', what: 'A person confirms that it is done in a.' }],
      },
    ]);
  });

  it('of a component that has moved state what does not work until then', () => {
    const stands = opened(
      [x([], { unit: 'u' }), written({ id: 'y', unit: 'u', hooks: [hook()] })],
      [cluster('a', { components: [running('x', 'v1.0.0'), running('y', 'v1.0.0')] })],
    );
    expect(hookSteps(stands, 'before').map(({ why }) => why)).toEqual([
      'y is already upgraded: its features do not work in this cluster until the hook is done',
    ]);
  });
});

describe('findings about hooks', () => {
  const stood = [x([], { unit: 'u' }), written({ id: 'y', unit: 'u', hooks: [hook()] })];
  const both = { components: [running('x', 'v1.0.0'), running('y', 'v1.0.0')] };
  const before = 'Renew the keys: not done here, and it must be done before x is upgraded anywhere';
  const after = 'Renew the keys: not done here, and y is already upgraded';

  it.each<readonly [string, readonly object[], readonly object[], readonly (readonly unknown[])[]]>([
    ['a hook to do', [x([hook()])], [cluster('a')], [['a', 'warn', before, 'do it, and take a new snapshot']]],
    [
      'a hook with instructions',
      [x([hook({ instructions: 'Run it.' })])],
      [cluster('a')],
      [['a', 'warn', before, 'Run it.']],
    ],
    ['a hook of which no fact says that it is done', [x([hook({ doneWhen: undefined })])], [cluster('a')], []],
    ['a hook for afterwards', [x([hook({ at: 'after' })])], [cluster('a')], []],
    [
      'a hook in a cluster that is paused, and one that did not answer',
      [x([hook({ doneWhen: undefined })])],
      [cluster('a', { paused: true }), cluster('b', { reachable: false }), cluster('c')],
      ['a', 'b'].map((name) => [
        name,
        'block',
        `${before}; the cluster is skipped`,
        'repair the cluster and do it, or remove it from the ClusterSet',
      ]),
    ],
    [
      'a hook of a component that has moved, also in a cluster that is paused',
      stood,
      [cluster('a', both), cluster('b', { ...both, paused: true })],
      ['a', 'b'].map((name) => [name, 'warn', after, 'do it, and take a new snapshot']),
    ],
  ])('%s', (_, components, clusters, expected) => {
    const found = hookFindings(opened(components, clusters));
    expect(found.map(({ subject, severity, why, unblock }) => [subject.cluster, severity, why, unblock])).toEqual(
      expected,
    );
    expect(new Set(found.map(({ rule }) => rule))).toEqual(new Set(expected.length === 0 ? [] : ['hook.h']));
  });
});

import type { Plan } from '@isthmus/upgrade';
import { describe, expect, it } from 'vitest';
import { summaryLines, summaryText } from './plan-summary.ts';

type Spec = Plan['spec'];
type Step = Spec['steps'][number];

/** A plan of these parts; what the summary does not read is left out. */
const spec = (parts: object = {}) =>
  ({
    snapshot: { clusters: [{}, {}, {}] },
    changes: [],
    leftOut: [],
    skipped: [],
    steps: [],
    estimates: [],
    findings: [],
    waived: [],
    idleWaivers: [],
    notExamined: [],
    ...parts,
  }) as unknown as Spec;
const step = (id: string, group: string, more: object = {}) =>
  ({ id, group, wave: 0, effects: [], interrupts: [], gates: [], ...more }) as unknown as Step;
const change = (cluster: string | undefined, from: string | readonly string[], more: object = {}) => ({
  cluster,
  displayName: 'X',
  to: { version: 'v2' },
  from: typeof from === 'string' ? { version: from, versions: [] } : { version: from[0], versions: from },
  steps: ['1.1'],
  ...more,
});
const of = (parts: object) => summaryLines(spec(parts));
const none = '0 of 3 clusters are upgraded';
const wayBack = 'No point of no return; a plan to the earlier bundle shows which components support a downgrade';
const untimed = 'Time not estimated: the snapshot has no recorded times of rollouts';

describe('the clusters', () => {
  it.each<readonly [string, object, string]>([
    [
      'that change, each once',
      { changes: [change('a', 'v1'), change('a', 'v1'), change('b', 'v1')] },
      '2 of 3 clusters are upgraded',
    ],
    ['that do not', { changes: [change('a', 'v1', { steps: [] })] }, none],
    ['that are blocked', { leftOut: [{ cluster: 'b' }] }, `${none}; blocked and left out: 1 cluster (b)`],
    ['that are skipped', { skipped: [{ cluster: 'b' }, { cluster: 'c' }] }, `${none}; skipped: 2 clusters (b, c)`],
    ['of which a component is skipped', { skipped: [{ cluster: 'b', component: 'x' }] }, none],
    [
      'that are blocked, and so skipped',
      { leftOut: [{ cluster: 'b' }], skipped: [{ cluster: 'b' }, { cluster: 'c' }] },
      `${none}; blocked and left out: 1 cluster (b); skipped: 1 cluster (c)`,
    ],
  ])('%s', (_, parts, expected) => {
    expect(of(parts)[0]).toBe(expected);
  });
});

describe('the components', () => {
  const lines = (changes: readonly object[]) => of({ changes }).slice(1);

  it.each<readonly [string, readonly object[], readonly string[]]>([
    ['in one place', [change('a', 'v1')], ['X to v2 in 1 place, from v1']],
    [
      'in several places, from each version once',
      [change('a', 'v1'), change('b', 'v0'), change('c', 'v1')],
      ['X to v2 in 3 places, from v1, v0'],
    ],
    ['of which several versions run', [change('a', ['v0', 'v1'])], ['X to v2 in 1 place, from v0, v1']],
    ['that are new', [change('a', '')], ['X to v2 in 1 place, from nothing']],
    ['from four versions', [change('a', ['v1', 'v2', 'v3', 'v4'])], ['X to v2 in 1 place, from v1, v2, v3, v4']],
    [
      'from five versions',
      [change('a', ['v1', 'v2', 'v3', 'v4', 'v5'])],
      ['X to v2 in 1 place, from v1, v2, v3, v4 and others'],
    ],
    [
      'by name and target',
      [change('a', 'v1'), change('b', 'v1', { to: { version: 'v3' } }), change('c', 'v1', { displayName: 'Y' })],
      ['X to v2 in 1 place, from v1', 'X to v3 in 1 place, from v1', 'Y to v2 in 1 place, from v1'],
    ],
    ['that do not change', [change('a', 'v1', { steps: [] })], []],
  ])('%s', (_, changes, expected) => {
    expect(lines(changes)).toEqual(expected);
  });

  it('are six lines at most', () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, at) => change('a', 'v1', { displayName: `X${at}` }));
    expect(lines(many(6))).toHaveLength(6);
    expect(lines(many(7))).toHaveLength(6);
    expect(lines(many(7)).at(-1)).toBe('and 2 more components');
  });
});

describe('the groups of steps', () => {
  const lines = (steps: readonly Step[], estimates: readonly object[] = []) =>
    of({ steps, estimates }).filter((line) => /^\d/.test(line) && !line.includes('clusters are upgraded'));
  const soak = { gates: [{ kind: 'soak', seconds: 3600 }] };

  it.each<readonly [string, readonly Step[], readonly object[], readonly string[]]>([
    ['in no cluster', [step('1.1', 'clients')], [], ['1. clients: 1 step']],
    [
      'in one cluster',
      [step('1.1', 'leader', { cluster: 'a' }), step('1.2', 'leader', { cluster: 'a' })],
      [],
      ['1. leader: 2 steps, 1 cluster'],
    ],
    ['in one wave', [step('1.1.1', 'members', { cluster: 'a', wave: 1 })], [], ['1. members: 1 step, 1 cluster']],
    [
      'in several waves, each of some clusters',
      [
        step('1.1.1', 'members', { cluster: 'a', wave: 1 }),
        step('1.2.1', 'members', { cluster: 'b', wave: 2 }),
        step('1.2.2', 'members', { cluster: 'c', wave: 2 }),
        step('1.2.3', 'members', { cluster: 'c', wave: 2 }),
      ],
      [],
      ['1. members: 4 steps, 3 clusters in 2 waves of 1, 2'],
    ],
    [
      'with a step that waits for all, which is in no wave',
      [step('1.1.1', 'members', { cluster: 'a', wave: 1 }), step('1.1', 'members', { wave: 0 })],
      [],
      ['1. members: 2 steps, 1 cluster'],
    ],
    [
      'by their number and name',
      [step('1.1', 'members'), step('2.1', 'clients'), step('3.1', 'members')],
      [],
      ['1. members: 1 step', '2. clients: 1 step', '3. members: 1 step'],
    ],
    ['with a soak', [step('1.1', 'members', soak)], [], ['1. members: 1 step; soak 1 h after each wave but the last']],
    [
      'with times',
      [step('1.1', 'members')],
      [{ id: '1', rollouts: 1, notRecorded: 0, seconds: 40 }],
      ['1. members: 1 step; rollouts 40 s'],
    ],
    [
      'with the times of another group',
      [step('1.1', 'members')],
      [{ id: '2', rollouts: 1, notRecorded: 0, seconds: 40 }],
      ['1. members: 1 step'],
    ],
    [
      'with no times that were recorded',
      [step('1.1', 'members')],
      [{ id: '1.1', rollouts: 2, notRecorded: 2, seconds: 0 }],
      ['1. members: 1 step'],
    ],
    [
      'with the times of each wave, some of which were not recorded',
      [step('1.1', 'members', soak)],
      [
        { id: '1.1', rollouts: 2, notRecorded: 1, seconds: 720 },
        { id: '1.2', rollouts: 1, notRecorded: 0, seconds: 5400 },
      ],
      ['1. members: 1 step; soak 1 h after each wave but the last; rollouts and soak at least 12 min, 1 h 30 min'],
    ],
  ])('%s', (_, steps, estimates, expected) => {
    expect(lines(steps, estimates)).toEqual(expected);
  });

  it.each([
    [89, '89 s'],
    [90, '2 min'],
    [5369, '89 min'],
    [5400, '1 h 30 min'],
    [7200, '2 h 0 min'],
  ])('that take %s seconds take %s', (seconds, text) => {
    const estimates = [{ id: '1', rollouts: 1, notRecorded: 0, seconds }];
    expect(lines([step('1.1', 'members')], estimates)).toEqual([`1. members: 1 step; rollouts ${text}`]);
  });

  it('are seven lines at most', () => {
    const many = (count: number) => Array.from({ length: count }, (_, at) => step(`${at + 1}.1`, 'members'));
    expect(lines(many(7))).toHaveLength(7);
    expect(lines(many(9))).toHaveLength(6);
    expect(of({ steps: many(9) })).toContain('and 3 more groups');
  });
});

describe('what follows the groups', () => {
  const rollout = (more: object = {}) => step('1.1', 'members', { effects: [{}], ...more });
  const rest = (parts: object) => of(parts).filter((line) => line !== none && !line.startsWith('1. '));

  it.each<readonly [string, object, readonly string[]]>([
    ['nothing of a plan without steps', {}, []],
    ['no time where nothing rolls out', { steps: [step('1.1', 'members')] }, [wayBack]],
    ['that no time is known', { steps: [rollout()] }, [untimed, wayBack]],
    [
      'that no time was recorded',
      { steps: [rollout()], estimates: [{ id: '1.1', rollouts: 1, notRecorded: 1, seconds: 0 }] },
      [untimed, wayBack],
    ],
    [
      'that all times were recorded',
      { steps: [rollout()], estimates: [{ id: '1.1', rollouts: 1, notRecorded: 0, seconds: 5 }] },
      ['Times are from earlier rollouts; checks, hooks and other steps are not included', wayBack],
    ],
    [
      'that some times were recorded',
      { steps: [rollout(), rollout()], estimates: [{ id: '1.1', rollouts: 2, notRecorded: 1, seconds: 5 }] },
      [
        'Times are from earlier rollouts; 1 of 2 rollouts have none, and checks, hooks and other steps are not included',
        wayBack,
      ],
    ],
    [
      'what does not work meanwhile, each once',
      { steps: [step('1.1', 'members', { interrupts: ['A.', 'B.'] }), step('1.2', 'members', { interrupts: ['A.'] })] },
      ['Meanwhile: A. B.', wayBack],
    ],
    [
      'the first of what does not work meanwhile',
      { steps: [step('1.1', 'members', { interrupts: ['A.', 'B.', 'C.', 'D.'] })] },
      ['Meanwhile: A. B. (and 2 more, see the steps)', wayBack],
    ],
    [
      'the point of no return',
      { steps: [step('1.1', 'members')], pointOfNoReturn: { step: '1.1', reasons: ['it is gone', 'more'] } },
      ['No way back from step 1.1 on: it is gone'],
    ],
  ])('%s', (_, parts, expected) => {
    expect(rest(parts)).toEqual(expected);
  });

  const finding = (severity: string, rule: string) => ({ severity, rule });
  it.each<readonly [string, object, readonly string[]]>([
    ['one that blocks', { findings: [finding('block', 'b')] }, ['1 blocking finding: b']],
    [
      'several, with each rule once, sorted',
      {
        findings: [
          finding('block', 'b'),
          finding('block', 'a'),
          finding('block', 'b'),
          finding('warn', 'w'),
          finding('info', 'i'),
        ],
      },
      ['3 blocking findings: a, b', '1 warning: w'],
    ],
    [
      'of many rules',
      { findings: ['a', 'b', 'c', 'd', 'e', 'f'].map((rule) => finding('warn', rule)) },
      ['6 warnings: a, b, c, d, e and 1 more rule'],
    ],
    [
      'of many more rules',
      { findings: ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((rule) => finding('warn', rule)) },
      ['7 warnings: a, b, c, d, e and 2 more rules'],
    ],
    [
      'of five rules',
      { findings: ['a', 'b', 'c', 'd', 'e'].map((rule) => finding('warn', rule)) },
      ['5 warnings: a, b, c, d, e'],
    ],
    ['that are waived', { waived: [{}, {}] }, ['2 findings waived']],
    ['a waiver for nothing', { idleWaivers: [{}] }, ['1 waiver that accepts nothing']],
    ['waivers for nothing', { idleWaivers: [{}, {}] }, ['2 waivers that accept nothing']],
    ['what was not examined', { notExamined: ['x'] }, ['1 artifact not examined: pass them with --manifests']],
  ])('findings: %s', (_, parts, expected) => {
    expect(rest(parts)).toEqual(expected);
  });
});

it('the text has a title, and each line below it', () => {
  expect(summaryText(spec({ waived: [{}] }))).toBe(`Summary:\n  ${none}\n  1 finding waived`);
});

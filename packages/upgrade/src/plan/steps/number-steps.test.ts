import { describe, expect, it } from 'vitest';
import type { GroupName } from '../paths/cluster-groups.ts';
import { numberSteps, stagesOf } from './number-steps.ts';
import type { NumberOptions } from './number-steps.ts';
import { draft } from './step-draft.ts';
import type { StepDraft } from './step-draft.ts';

/** A step, written `group[/wave] lane`, titled by its number in the list; a move of the lane. */
function drafts(...written: readonly string[]): readonly StepDraft[] {
  return written.map((text, at) => {
    const [place = '', lane = ''] = text.split(' ');
    const [group = '', wave = '0'] = place.split('/');
    const title = `s${at + 1}`;
    return draft({
      kind: 'upgrade',
      title,
      why: 'test',
      group: group as GroupName,
      lane,
      wave: Number(wave),
      move: `move of ${title}`,
    });
  });
}
const none: NumberOptions = { needs: () => [], soakSeconds: 0 };

/** Each step: id, title, and what it follows. */
function numbered(list: readonly StepDraft[], more: Partial<NumberOptions> = {}, isSerial = false) {
  const { steps } = numberSteps(
    stagesOf(list, () => isSerial),
    { ...none, ...more },
  );
  return steps.map(({ id, title, after }) => `${id} ${title} <- ${after.join(' ')}`.trim());
}

describe('the stages of a plan', () => {
  it.each<readonly [string, readonly StepDraft[], readonly (readonly string[])[]]>([
    ['nothing has none', [], []],
    ['steps of one wave are one', drafts('members/1 a', 'members/1 b'), [['s1', 's2']]],
    ['another wave begins one', drafts('members/1 a', 'members/2 a'), [['s1'], ['s2']]],
    ['another group begins one', drafts('leader a', 'members a'), [['s1'], ['s2']]],
    ['a wave that comes again is another', drafts('leader a', 'members a', 'leader a'), [['s1'], ['s2'], ['s3']]],
    [
      'another round begins one',
      drafts('members a', 'members a').map((one, at) => ({ ...one, round: at })),
      [['s1'], ['s2']],
    ],
  ])('%s', (_, list, expected) => {
    const stages = stagesOf(list, () => false);
    expect(stages.map((stage) => stage.drafts.map(({ title }) => title))).toEqual(expected);
  });

  it.each<readonly [string, readonly StepDraft[], boolean, boolean]>([
    ['several lanes that must not go side by side', drafts('members a', 'members b'), true, true],
    ['several lanes that may', drafts('members a', 'members b'), false, false],
    ['one lane: nobody asks', drafts('members a', 'members a'), true, false],
  ])('of %s: serial', (_, list, answer, expected) => {
    expect(stagesOf(list, () => answer).map(({ isSerial }) => isSerial)).toEqual([expected]);
  });
});

describe('the numbers of steps', () => {
  it.each<readonly [string, readonly StepDraft[], readonly string[]]>([
    ['count the steps of a group', drafts('leader a', 'leader a'), ['1.1 s1 <-', '1.2 s2 <- 1.1']],
    [
      'count waves by their own number, and steps in each',
      drafts('leader a', 'members/1 b', 'members/3 c', 'members/3 c'),
      ['1.1 s1 <-', '2.1.1 s2 <- 1.1', '2.3.1 s3 <- 2.1.1', '2.3.2 s4 <- 2.3.1'],
    ],
    [
      'have a wave in all stages of a group that has any',
      drafts('members/0 a', 'members/1 a'),
      ['1.0.1 s1 <-', '1.1.1 s2 <- 1.0.1'],
    ],
    [
      'begin again in the same group of a later round',
      drafts('members a', 'members a').map((one, at) => ({ ...one, round: at })),
      ['1.1 s1 <-', '2.1 s2 <- 1.1'],
    ],
  ])('%s', (_, list, expected) => {
    expect(numbered(list)).toEqual(expected);
  });
});

describe('what a step follows', () => {
  it('is the step of its lane before it; lanes run side by side', () => {
    expect(numbered(drafts('members a', 'members b', 'members a', 'members b'))).toEqual([
      '1.1 s1 <-',
      '1.2 s2 <-',
      '1.3 s3 <- 1.1',
      '1.4 s4 <- 1.2',
    ]);
  });

  it('is the step before it where lanes must not go side by side, and the next stage follows the last', () => {
    expect(numbered(drafts('members a', 'members b', 'members a', 'leader c'), {}, true)).toEqual([
      '1.1 s1 <-',
      '1.2 s2 <- 1.1',
      '1.3 s3 <- 1.2',
      '2.1 s4 <- 1.3',
    ]);
  });

  it.each<readonly [string, readonly StepDraft[], readonly string[]]>([
    [
      'one lane follows all lanes',
      drafts('members a', 'members b', 'clients c'),
      ['1.1 s1 <-', '1.2 s2 <-', '2.1 s3 <- 1.1 1.2'],
    ],
    [
      'all lanes follow one lane',
      drafts('members a', 'clients b', 'clients c'),
      ['1.1 s1 <-', '2.1 s2 <- 1.1', '2.2 s3 <- 1.1'],
    ],
    [
      'several lanes follow several through a step that waits for them',
      drafts('members a', 'members b', 'clients c', 'clients d'),
      [
        '1.1 s1 <-',
        '1.2 s2 <-',
        '1.3 Wait until every step of members is complete <- 1.1 1.2',
        '2.1 s3 <- 1.3',
        '2.2 s4 <- 1.3',
      ],
    ],
    [
      'the step that waits names its wave',
      drafts('members/2 a', 'members/2 b', 'members/3 c', 'members/3 d'),
      [
        '1.2.1 s1 <-',
        '1.2.2 s2 <-',
        '1.2.3 Wait until wave 2 of members is upgraded <- 1.2.1 1.2.2',
        '1.3.1 s3 <- 1.2.3',
        '1.3.2 s4 <- 1.2.3',
      ],
    ],
  ])('%s', (_, list, expected) => {
    expect(numbered(list)).toEqual(expected);
  });

  it('includes what a move needs in another lane of its stage, and not what came before it', () => {
    const list = drafts('leader a', 'leader a', 'members a', 'members b');
    const needs = (move: string) => (move === 'move of s4' ? ['move of s1', 'move of s3', 'move of s9'] : []);
    expect(numbered(list, { needs })).toEqual(['1.1 s1 <-', '1.2 s2 <- 1.1', '2.1 s3 <- 1.2', '2.2 s4 <- 1.2 2.1']);
  });

  it('asks for the needs of a move at its first step alone', () => {
    const list = drafts('members a', 'members b', 'members b').map((one, at) =>
      at === 0 ? one : { ...one, move: 'm' },
    );
    const needs = (move: string) => (move === 'm' ? ['move of s1'] : []);
    expect(numbered(list, { needs })).toEqual(['1.1 s1 <-', '1.2 s2 <- 1.1', '1.3 s3 <- 1.2']);
  });

  it.each<readonly [string, readonly StepDraft[], readonly string[]]>([
    [
      'of a wave',
      drafts('members/1 a', 'members/1 b', 'members/1 c', 'members/1 a'),
      ['1.1.1 s1 <-', '1.1.2 s4 <- 1.1.1', '1.1.3 s2 <-', '1.1.4 s3 <- 1.1.2'],
    ],
    [
      'and not where there are no waves',
      drafts('leader a', 'leader b', 'leader c'),
      ['1.1 s1 <-', '1.2 s2 <-', '1.3 s3 <-'],
    ],
  ])('two clusters are at work at once: %s', (_, list, expected) => {
    expect(numbered(list, { clustersAtOnce: 2 })).toEqual(expected);
  });
});

describe('the time that a wave runs before the next', () => {
  const soaks = (list: readonly StepDraft[], soakSeconds: number) =>
    numberSteps(
      stagesOf(list, () => false),
      { ...none, soakSeconds },
    ).steps.flatMap(({ title, gates }) =>
      gates.filter(({ kind }) => kind === 'soak').map(({ what, seconds }) => `${title}: ${what} (${seconds})`),
    );
  const text = (wave: number) => `Wave ${wave} of members has run for 60 s, and its gates are still met. (60)`;

  it.each<readonly [string, readonly StepDraft[], number, readonly string[]]>([
    [
      'is a gate of the last step of each lane',
      drafts('members/1 a', 'members/1 a', 'members/1 b', 'members/2 c'),
      60,
      [`s2: ${text(1)}`, `s3: ${text(1)}`],
    ],
    ['is not asked for', drafts('members/1 a', 'members/2 b'), 0, []],
    ['does not follow the last wave', drafts('members/2 a', 'clients b'), 60, []],
    ['does not follow a stage without waves', drafts('members a', 'members/1 b'), 60, []],
    ['does not follow a wave of another group', drafts('members/1 a', 'kubernetes/2 b'), 60, []],
    ['does not follow a later wave', drafts('members/2 a', 'members/1 b'), 60, []],
  ])('%s', (_, list, seconds, expected) => {
    expect(soaks(list, seconds)).toEqual(expected);
  });

  it('does not hold up a step that others of the wave wait for', () => {
    const list = drafts('members/1 a', 'members/1 b', 'members/2 c');
    const { steps } = numberSteps(
      stagesOf(list, () => false),
      {
        ...none,
        needs: (move) => (move === 'move of s2' ? ['move of s1'] : []),
        soakSeconds: 60,
      },
    );
    expect(steps.map(({ title, gates }) => [title, gates.length])).toEqual([
      ['s1', 0],
      ['s2', 1],
      ['s3', 0],
    ]);
  });
});

describe('the point of no return', () => {
  const list = drafts('members a', 'members b', 'clients c', 'clients d').map((one, at) =>
    at === 1 ? { ...one, irreversible: ['first'] } : at === 2 ? { ...one, irreversible: ['second'] } : one,
  );

  it('is the first step that cannot be undone; nothing from it on can', () => {
    const { steps, pointOfNoReturn } = numberSteps(
      stagesOf(list, () => false),
      none,
    );
    expect(pointOfNoReturn).toEqual({ step: '1.2', reasons: ['first'] });
    expect(steps.map(({ id, reversible }) => [id, reversible])).toEqual([
      ['1.1', true],
      ['1.2', false],
      ['1.3', false],
      ['2.1', false],
      ['2.2', false],
    ]);
  });

  it('does not exist where all can be undone', () => {
    expect(
      numberSteps(
        stagesOf(list.slice(0, 1), () => false),
        none,
      ).pointOfNoReturn,
    ).toBeUndefined();
  });
});

it('the steps of each move are listed, and steps of no move are not', () => {
  const [first, second, third] = drafts('members a', 'members a', 'members a');
  if (first === undefined || second === undefined || third === undefined) throw new Error('no drafts');
  const stages = stagesOf([first, { ...second, move: first.move }, { ...third, move: undefined }], () => false);
  expect([...numberSteps(stages, none).stepsOfMove]).toEqual([['move of s1', ['1.1', '1.2']]]);
});

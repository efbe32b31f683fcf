import { describe, expect, it } from 'vitest';
import type { LossInput } from './decide-loss.ts';
import { decideLoss, holdMs, isMass } from './decide-loss.ts';

const in800ms = () => 800;
const day = 24 * 3_600_000;
const decide = ({ missing = 1, total = 100, ...input }: Partial<LossInput> & { missing?: number; total?: number }) =>
  decideLoss({
    withdrawn: false,
    allowed: false,
    marks: false,
    isOneOfMany: () => isMass({ missing, total }),
    settlesMs: () => 0,
    restoring: undefined,
    areaLost: false,
    heldMs: undefined,
    connectedMs: undefined,
    patienceMs: 60_000,
    forgottenAfterMs: day,
    ...input,
  });

describe('what has lost its source', () => {
  it.each([
    ['was withdrawn by its owner', { withdrawn: true, marks: true }],
    ['is allowed to go by a person', { allowed: true, marks: true, heldMs: 5 }],
    ['may be one of many withdrawals, of which a person allows all', { allowed: true, missing: 50, total: 60 }],
  ])('goes where it %s', (_, input) => {
    expect(decide(input)).toEqual({ kind: 'go' });
  });
});

describe('of an owner that marks what it withdraws', () => {
  it.each([
    ['a single loss is held', {}, { kind: 'hold', forMs: 60_000 }],
    ['it is held for as long as its exporter is not heard', { heldMs: day - 1 }, { kind: 'hold', forMs: 60_000 }],
    [
      'it is held until its exporter has been heard for long enough',
      { heldMs: 90_000, connectedMs: 45_000 },
      { kind: 'hold', forMs: 15_000 },
    ],
    [
      'it is looked for once more when its exporter has been heard for long enough',
      { heldMs: 90_000, connectedMs: 60_000 },
      { kind: 'confirm' },
    ],
    ['it is looked for once more after a day without its exporter', { heldMs: day }, { kind: 'confirm' }],
  ] as const)('%s', (_, input, verdict) => {
    expect(decide({ marks: true, ...input })).toEqual(verdict);
  });
});

describe('of an owner that does not mark what it withdraws', () => {
  it.each([
    ['ten at once go', { missing: 10, total: 10 }, { kind: 'go' }],
    ['half go', { missing: 50, total: 100 }, { kind: 'go' }],
    ['one is waited for while more may follow', { settlesMs: in800ms }, { kind: 'wait', forMs: 800 }],
    [
      'many are held at once, although more may follow',
      { missing: 51, total: 100, settlesMs: in800ms },
      { kind: 'hold', forMs: holdMs },
    ],
    [
      'what is held is looked for once more, whatever follows',
      { missing: 51, total: 100, heldMs: holdMs, settlesMs: in800ms },
      { kind: 'confirm' },
    ],
    ['more than half, and more than ten, are held', { missing: 51, total: 100 }, { kind: 'hold', forMs: holdMs }],
    [
      'what is held stays so for the rest of a minute',
      { missing: 51, total: 100, heldMs: 45_000 },
      { kind: 'hold', forMs: 15_000 },
    ],
    [
      'what is held is looked for once more after a minute',
      { missing: 51, total: 100, heldMs: holdMs },
      { kind: 'confirm' },
    ],
    ['one is held while a member has exports to restore', { restoring: 'exporter' }, { kind: 'hold', forMs: 5_000 }],
    [
      'many are held for longer than a minute while a member has exports to restore',
      { missing: 51, total: 100, heldMs: holdMs, restoring: 'exporter' },
      { kind: 'hold', forMs: 5_000 },
    ],
    [
      'one is held for nearly ten minutes while a member that is not its exporter has exports to restore',
      { heldMs: 599_999, restoring: 'other' },
      { kind: 'hold', forMs: 5_000 },
    ],
    [
      'one is looked for once more after ten minutes, although a member that is not its exporter has exports to restore',
      { heldMs: 600_000, restoring: 'other' },
      { kind: 'confirm' },
    ],
    [
      'one is held for longer than ten minutes while its exporter has exports to restore',
      { heldMs: day - 1, restoring: 'exporter' },
      { kind: 'hold', forMs: 5_000 },
    ],
    [
      'one that is held is looked for once more when no member has exports to restore any more',
      { heldMs: 5_000 },
      { kind: 'confirm' },
    ],
    ['one is held where the Common Area has lost more', { areaLost: true }, { kind: 'hold', forMs: 60_000 }],
    [
      'many are held for longer than a minute where the Common Area has lost more',
      { missing: 51, total: 100, heldMs: holdMs, areaLost: true },
      { kind: 'hold', forMs: 60_000 },
    ],
    [
      'what is held is looked for once more after a day, whatever members have to restore, and whatever was lost',
      { heldMs: day, restoring: 'exporter', areaLost: true },
      { kind: 'confirm' },
    ],
  ] as const)('%s', (_, input, verdict) => {
    expect(decide(input)).toEqual(verdict);
  });
});

describe('a loss of many', () => {
  it.each([
    [10, 10, false],
    [11, 11, true],
    [11, 21, true],
    [11, 22, false],
  ])('%i of %i: %s', (missing, total, expected) => {
    expect(isMass({ missing, total })).toBe(expected);
  });
});

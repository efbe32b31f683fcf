import { describe, expect, it } from 'vitest';
import { holdMs } from '../../loss/decide-loss.ts';
import type { MissingInput } from './decide-missing.ts';
import { decideMissing, isLostWithCommonArea, implementationOf, readAnnouncesFromMs } from './decide-missing.ts';

const oneOfMany = (): boolean => true;
const day = 24 * 3_600_000;
const decide = (input: Partial<MissingInput>) =>
  decideMissing({
    withdrawn: false,
    allowed: false,
    marks: false,
    isOneOfMany: () => false,
    settlesMs: () => 0,
    restoring: undefined,
    areaLost: false,
    heldMs: undefined,
    connectedMs: undefined,
    patienceMs: 30_000,
    forgottenAfterMs: day,
    graceLeftMs: 0,
    isOfOtherImplementation: false,
    ...input,
  });
const wait = (forMs: number, why: string) => ({ kind: 'wait', forMs, why });
const hold = (forMs: number) => ({ kind: 'hold', forMs });
const stillExported = { kind: 'ask', ifExported: wait(10_000, 'it is still exported') };

describe('an import that the leader does not have any more', () => {
  it.each([
    ['goes without asking the leader if it was withdrawn', { withdrawn: true }, { kind: 'go' }],
    ['goes without asking the leader if a person allows the removal', { allowed: true }, { kind: 'go' }],
    [
      'goes if a person allows the removal of what is held',
      { allowed: true, marks: true, heldMs: 90_000 },
      { kind: 'go' },
    ],
    [
      'stays while it may come back at once, although it was withdrawn',
      { withdrawn: true, graceLeftMs: 200 },
      wait(200, 'the import may come back at once'),
    ],
    [
      'stays while it may come back at once, although a person allows the removal',
      { allowed: true, graceLeftMs: 200 },
      wait(200, 'the import may come back at once'),
    ],
    [
      'is held for a minute if it was not marked and is still exported',
      {},
      { kind: 'ask', ifExported: { ...hold(10_000), forAMinute: true } },
    ],
    ['is waited for while more may follow', { settlesMs: () => 800 }, wait(800, 'it may be one of many')],
    ['is held if it is one of many', { isOneOfMany: oneOfMany }, hold(holdMs)],
    ['is asked for after a minute', { isOneOfMany: oneOfMany, heldMs: holdMs }, stillExported],
  ] as const)('%s', (_, input, verdict) => {
    expect(decide(input)).toEqual(verdict);
  });
});

describe('an import of a leader that marks what it withdraws', () => {
  it.each([
    ['is looked at soon after it was lost', {}, hold(5_000)],
    ['is looked at less often, the longer its exporter is silent', { heldMs: 200_000 }, hold(20_000)],
    ['is looked at every minute at least', { heldMs: day - 1 }, hold(60_000)],
    ['is looked at soon while its exporter is heard', { heldMs: 200_000, connectedMs: 10_000 }, hold(5_000)],
    [
      'is looked at when its exporter has been heard for long enough',
      { heldMs: 90_000, connectedMs: 27_000 },
      hold(3_000),
    ],
    [
      'is asked for when its exporter has been heard for long enough',
      { heldMs: 90_000, connectedMs: 30_000 },
      stillExported,
    ],
    [
      'stays although an exporter of another make is heard, if more of the Common Area was lost',
      { heldMs: 90_000, connectedMs: 30_000, areaLost: true, isOfOtherImplementation: true },
      hold(5_000),
    ],
    [
      'is asked for if more of the Common Area was lost, and its exporter restores by itself',
      { heldMs: 90_000, connectedMs: 30_000, areaLost: true },
      stillExported,
    ],
  ] as const)('%s', (_, input, verdict) => {
    expect(decide({ marks: true, ...input })).toEqual(verdict);
  });
});

describe('announcements are read for a missing import', () => {
  const always = Number.NEGATIVE_INFINITY;
  const look = { withdrawn: false, allowed: false, heldMs: undefined, graceLeftMs: 0, graceOverMs: 700 };
  it.each([
    ['of a leader that marks, not before it is held', { marks: true }, undefined],
    ['of a leader that marks, while it is held', { marks: true, heldMs: 5 }, always],
    ['of another leader, not while it may come back at once', { marks: false, graceLeftMs: 300 }, undefined],
    ['of another leader, from the moment when it cannot come back at once', { marks: false }, 700],
    ['of another leader, while it is held', { marks: false, heldMs: 5 }, always],
    ['not if it was withdrawn', { marks: true, heldMs: 5, withdrawn: true }, undefined],
    ['not if a person allows the removal', { marks: true, heldMs: 5, allowed: true }, undefined],
  ])('%s', (_, input, fromMs) => {
    expect(readAnnouncesFromMs({ ...look, ...input })).toBe(fromMs);
  });
});

describe('an import was lost with more of the Common Area', () => {
  const loss = (isOfOtherImplementation: boolean, isSeen: boolean, withArea: boolean) => ({
    isOfOtherImplementation,
    isSeen,
    isLostWithArea: () => withArea,
  });
  it.each([
    ['never if the leader marks, and the exporter is of Isthmus', true, loss(false, true, true), false],
    ['if the leader marks, and it was seen published', true, loss(true, true, false), true],
    ['if the leader marks, and the Common Area lost more', true, loss(true, false, true), true],
    ['not if the leader marks, and nothing shows a loss', true, loss(true, false, false), false],
    ['not under another leader because it was seen published', false, loss(false, true, false), false],
    ['under another leader if the Common Area lost more', false, loss(false, false, true), true],
  ])('%s', (_, marks, input, expected) => {
    expect(implementationOf(marks).isLostWithArea(input)).toBe(expected);
  });

  const nowMs = Date.parse('2026-01-01T12:00:00Z');
  // The Common Area lost more five seconds ago.
  const base = { sinceMs: 95_000, areaLostMs: 95_000, importedAtMs: nowMs - 60_000, nowMs, monotonicMs: 100_000 };
  it.each([
    ['if it existed before', {}, true],
    ['if it existed a second before', { importedAtMs: nowMs - 6_000 }, true],
    ['not if it was made in the second of the loss', { importedAtMs: nowMs - 5_999 }, false],
    ['not if it was made after the loss', { importedAtMs: nowMs - 1_000 }, false],
    ['not if the Common Area lost nothing', { areaLostMs: undefined }, false],
    ['if it went missing ten seconds later', { sinceMs: 105_000, monotonicMs: 105_000, nowMs: nowMs + 10_000 }, true],
    ['not if it went missing long after the loss', { sinceMs: 105_001, monotonicMs: 106_000 }, false],
  ])('%s, by the times of its creation and of the loss', (_, input, expected) => {
    expect(isLostWithCommonArea({ ...base, ...input })).toBe(expected);
  });
});

it('only a leader that does not mark what it withdraws is known not to answer heartbeats', () => {
  expect([implementationOf(true).answers, implementationOf(false).answers]).toEqual([undefined, false]);
});

import { describe, expect, it } from 'vitest';
import { conditionTypeOf, defineStatus, eventTypeOf, mirrored, reasonsOn } from './define-status.ts';
import type { EventReason, Verdict } from './define-status.ts';
import { statusDefinitions } from './statuses.ts';

const gate = defineStatus({
  kind: 'Gate',
  title: 'Gate',
  writer: 'member',
  conditions: {
    Open: { meaning: 'Whether it is open.', wanted: 'True', withoutReason: ['Unknown'] },
    Blocked: { meaning: 'Whether something is in the way.', wanted: 'False', joined: ['True'] },
    Known: { meaning: 'What the other side says.', wanted: 'True', mirrors: 'the other side' },
  },
  reasons: {
    Opened: { on: ['Open=True'], severity: 'ok', meaning: 'It is open.' },
    Locked: { on: ['Open=False', 'Event'], severity: 'error', meaning: 'It is locked.', cure: 'Unlock it.' },
    Stone: { on: ['Blocked=True'], severity: 'warning', meaning: 'A stone.', cure: 'Roll it away.' },
    Tree: { on: ['Blocked=True'], severity: 'warning', meaning: 'A tree.', cure: 'Saw it.' },
    Agreed: { on: ['Known=True'], severity: 'ok', meaning: 'It agrees.' },
  },
});
type Gate = typeof gate;

describe('what a decision may report', () => {
  it('is a reason that is defined for the condition and its status', () => {
    const verdicts: readonly Verdict<Gate, 'Open'>[] = [
      { status: 'True', reason: 'Opened', message: '' },
      { status: 'False', reason: 'Locked', message: 'by key 7' },
      { status: 'Unknown', message: 'nobody looked' },
      // @ts-expect-error: a reason that is not defined
      { status: 'False', reason: 'Rusty', message: '' },
      // @ts-expect-error: the reason of another status
      { status: 'True', reason: 'Locked', message: '' },
      // @ts-expect-error: the reason of another condition
      { status: 'False', reason: 'Stone', message: '' },
      // @ts-expect-error: a status that has to give a reason
      { status: 'False', message: '' },
    ];
    expect(verdicts).toHaveLength(7);
  });

  it('is several reasons only where they are joined', () => {
    const joined: Verdict<Gate, 'Blocked'> = { status: 'True', reason: 'Stone,Tree', message: '' };
    // @ts-expect-error: the first is not defined
    const wrong: Verdict<Gate, 'Blocked'> = { status: 'True', reason: 'Bush,Tree', message: '' };
    // @ts-expect-error: this condition gives one reason
    const single: Verdict<Gate, 'Open'> = { status: 'False', reason: 'Locked,Locked', message: '' };
    expect([joined, wrong, single]).toHaveLength(3);
  });

  it('is any word of another cluster where the condition passes it on', () => {
    const passed: Verdict<Gate, 'Known'> = { status: 'True', reason: mirrored('Whatever'), message: '' };
    // @ts-expect-error: this condition is our own
    const own: Verdict<Gate, 'Open'> = { status: 'True', reason: mirrored('Whatever'), message: '' };
    expect([passed, own].map(({ reason }) => reason)).toEqual(['Whatever', 'Whatever']);
  });

  it('is an Event only for reasons that are defined as one', () => {
    // @ts-expect-error: not an Event
    const reasons: readonly EventReason<Gate>[] = ['Locked', 'Opened'];
    expect(reasons).toHaveLength(2);
  });
});

it('lists the reasons of one place in the order of the definition', () => {
  expect(reasonsOn(gate, 'Blocked=True')).toEqual(['Stone', 'Tree']);
  expect(reasonsOn(gate, 'Event')).toEqual(['Locked']);
});

it('knows the condition type behind the path of an entry', () => {
  expect([conditionTypeOf('Ready'), conditionTypeOf('clusterStatuses[].Ready')]).toEqual(['Ready', 'Ready']);
});

it('warns by Event of what somebody should look at, and only of that', () => {
  expect((['ok', 'wait', 'warning', 'error'] as const).map(eventTypeOf)).toEqual([
    'Normal',
    'Normal',
    'Warning',
    'Warning',
  ]);
});

describe.each(statusDefinitions.map((definition) => [definition.title, definition] as const))(
  'the definition of %s',
  (_, { conditions, reasons }) => {
    it('lists reasons only on conditions that it has', () => {
      const known = new Set(Object.keys(conditions));
      const places = Object.values(reasons).flatMap(({ on }) => on);
      const strange = places.filter((place) => !place.startsWith('Event') && !known.has(place.split('=')[0] ?? ''));
      expect(strange).toEqual([]);
    });

    it('has reasons and condition types that the API conventions allow', () => {
      const names = [...Object.keys(reasons), ...Object.keys(conditions).map(conditionTypeOf)];
      expect(names.filter((name) => !/^[A-Z][A-Za-z]*$/.test(name))).toEqual([]);
    });

    it('explains each of them in whole sentences', () => {
      const texts = [
        ...Object.values(conditions).map(({ meaning }) => meaning),
        ...Object.values(reasons).flatMap(({ meaning, cure }) => [meaning, cure ?? '.']),
      ];
      expect(texts.filter((text) => !text.endsWith('.') || text.trim() !== text)).toEqual([]);
    });
  },
);

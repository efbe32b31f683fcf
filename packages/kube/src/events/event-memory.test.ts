import { describe, expect, it } from 'vitest';
import { createEventMemory } from './event-memory.ts';

const object = (name: string) => ({ kind: 'Thing', namespace: 'shop', name });

describe('event memory', () => {
  it('forgets the objects without Events for longest when there are more than 1,000', () => {
    const memory = createEventMemory();
    const allowed = (name: string, times: number) =>
      Array.from({ length: times }, () => memory.allows(object(name), 'R', 0)).filter(Boolean).length;
    expect(allowed('a', 30)).toBe(25);
    for (let i = 0; i < 999; i++) allowed(`t${i}`, 1);
    expect(allowed('a', 1)).toBe(0);
    for (let i = 0; i < 1_000; i++) allowed(`u${i}`, 1);
    expect(allowed('a', 30)).toBe(25);
  });

  it('allows each reason its own Events, so that a frequent one does not silence a rare one', () => {
    const memory = createEventMemory();
    for (let i = 0; i < 100; i++) memory.allows(object('a'), 'NamespaceMissing', 0);
    expect(memory.allows(object('a'), 'NamespaceMissing', 0)).toBe(false);
    expect(memory.allows(object('a'), 'WithdrawalHeld', 0)).toBe(true);
  });

  it('forgets the Events that were not repeated for longest when there are more than 1,000 different ones', () => {
    const memory = createEventMemory();
    const first = () => ({ metadata: { name: 'x', namespace: 'shop' }, involvedObject: object('a') });
    const about = (message: string) =>
      memory.aggregate({ involvedObject: object('a'), type: 'Normal', reason: 'R', message }, 0, first);
    const kept = about('kept');
    for (let i = 0; i < 999; i++) about(`${i}`);
    expect(about('kept')).toBe(kept);
    for (let i = 0; i < 1_000; i++) about(`more ${i}`);
    expect(about('kept')).not.toBe(kept);
  });
});

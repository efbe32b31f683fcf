import { describe, expect, it } from 'vitest';
import { createGate } from './gate.ts';

describe('A gate', () => {
  it('lets as many in as it has room for, and the others in their order as room is made', () => {
    const gate = createGate(2);
    const entered: string[] = [];
    const leave = new Map<string, () => void>();
    for (const name of ['a', 'b', 'c', 'd']) {
      gate.enter((left) => {
        entered.push(name);
        leave.set(name, left);
      });
    }
    expect(entered).toEqual(['a', 'b']);
    leave.get('b')?.();
    expect(entered).toEqual(['a', 'b', 'c']);
    leave.get('a')?.();
    expect(entered).toEqual(['a', 'b', 'c', 'd']);
  });

  it('passes over who gave up waiting', () => {
    const gate = createGate(1);
    const entered: string[] = [];
    let leave = (): void => undefined;
    gate.enter((left) => {
      leave = left;
    });
    const giveUp = gate.enter(() => entered.push('impatient'));
    gate.enter(() => entered.push('patient'));
    giveUp();
    leave();
    expect(entered).toEqual(['patient']);
  });

  it('makes room once for each that leaves, however often it leaves', () => {
    const gate = createGate(1);
    const entered: string[] = [];
    let leave = (): void => undefined;
    gate.enter((left) => {
      leave = left;
    });
    gate.enter(() => entered.push('second'));
    gate.enter(() => entered.push('third'));
    leave();
    leave();
    expect(entered).toEqual(['second']);
  });
});

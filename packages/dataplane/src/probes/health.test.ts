import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Health } from './health.ts';
import { afterProbe, missesToDie, newHealth, roundsBetweenProbes } from './health.ts';

/**
 * The states after each of these probes, 600 ms apart: `.` is an answer, `x` a miss, `-` a probe
 * that could not be sent.
 */
function statesOf(probes: string, from: Health = newHealth(0)): { readonly states: string; readonly last: Health } {
  let last = from;
  let states = '';
  for (const [index, probe] of probes.split('').entries()) {
    const kind = probe === '.' ? 'answered' : probe === 'x' ? 'missed' : 'impossible';
    last = afterProbe(last, { kind }, from.sinceMs + (index + 1) * 600);
    states += last.state.slice(0, 1);
  }
  return { states, last };
}

describe('a gateway', () => {
  test('is alive with its first answer, and dead after three misses in a row', () => {
    expect(statesOf('.xxx').states).toBe('aaad');
    expect(statesOf('xxx').states).toBe('nnd');
  });

  test('stays alive while some packets are lost', () => {
    expect(statesOf('.xx.xx.x.xx.').states).toBe('aaaaaaaaaaaa');
  });

  test('returns after three answers in a row', () => {
    expect(statesOf('.xxx..x...').states).toBe('aaadddddda');
  });

  test('that has never answered is alive with its first answer, however long it was silent', () => {
    expect(statesOf('xxxxxx.').states).toBe('nndddda');
    expect(statesOf('xxx.xxx...').states).toBe('nndaaaddda');
  });

  test('has to answer twice as often each time that it dies soon after its return, and as at first when it was calm', () => {
    const flap = (answers: number) => 'xxx' + '.'.repeat(answers);
    const { last } = statesOf('.' + flap(3) + flap(6) + flap(12));
    expect(last.state).toBe('alive');
    const again = statesOf('xxx', last).last;
    expect(statesOf('.'.repeat(23), again).last.state).toBe('dead');
    expect(statesOf('.'.repeat(24), again).last.state).toBe('alive');
    expect(statesOf('.'.repeat(300) + flap(3), last).last.state).toBe('alive');
  });

  test('is probed in each round, unless it has been dead for a minute and does not answer', () => {
    const { last: dead } = statesOf('.xxx');
    const after = (health: Health, ms: number) => roundsBetweenProbes(health, dead.sinceMs + ms);
    expect([after(dead, 0), after(dead, 59_999), after(dead, 60_000)]).toEqual([1, 1, 4]);
    expect(after(statesOf('.', dead).last, 1_000_000)).toBe(1);
    expect(after(statesOf('...', dead).last, 1_000_000)).toBe(1);
    expect(roundsBetweenProbes(newHealth(0), 1_000_000)).toBe(1);
  });

  test('is what it was while probes cannot be sent', () => {
    for (const before of ['', '.', '.xx', 'xxx', 'xxx..']) {
      const { last } = statesOf(before);
      expect(statesOf('----', last).last).toEqual(last);
    }
  });

  test('that answers each time is never dead, and one that is silent is after three probes, whatever was before', () => {
    const histories = fc
      .array(fc.constantFrom('.', 'x', '-'), { maxLength: 200 })
      .map((probes) => statesOf(probes.join('')).last);
    fc.assert(
      fc.property(histories, (before) => {
        expect(statesOf('x'.repeat(missesToDie), before).last.state).toBe('dead');
        expect(statesOf('.'.repeat(96), before).last.state).toBe('alive');
      }),
    );
  });
});

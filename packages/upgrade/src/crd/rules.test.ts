import { equal } from '@isthmus/machinery';
import { describe, expect, it } from 'vitest';
import { crdRule, crdRules } from './rules.ts';
import { findingsOf } from './testing/definitions.ts';
import { examples } from './testing/examples.ts';
import type { Change } from './testing/examples.ts';

const rulesOf = ({ old, next, options }: Change) =>
  findingsOf(old, next, options).filter(({ rule }) => rule in examples);

describe('the rules about CRDs', () => {
  it('have ids of their own, in the order of the reference', () => {
    const ids = crdRules.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const numbers = (letter: string) => ids.filter((id) => id.startsWith(letter)).map((id) => Number(id.slice(1)));
    for (const [letter, count] of [
      ['G', 27],
      ['F', 39],
      ['P', 5],
      ['L', 8],
    ] as const) {
      expect(numbers(letter)).toEqual(Array.from({ length: count }, (_, index) => index + 1));
    }
  });

  it('are judged here, all but those that a policy judges', () => {
    const judged = crdRules.map(({ id }) => id).filter((id) => !id.startsWith('P'));
    expect(Object.keys(examples).toSorted()).toEqual(judged.toSorted());
  });

  it.each(Object.entries(examples).filter(([id]) => !id.startsWith('L')))(
    '%s is silent on a change, not on nothing at all',
    (_, example) => {
      const silent = example?.silent as Change;
      const { old, next, options } = silent;
      expect(old === undefined || options !== undefined || !equal(old, next)).toBe(true);
    },
  );

  it.each(Object.entries(examples))('%s reports a change, and is silent on one near it', (id, example) => {
    const reported = rulesOf(example?.tells as Change);
    expect(reported.map(({ rule }) => rule)).toContain(id);
    for (const { rule, severity } of reported) {
      if (rule !== id) continue;
      expect(severity).toBe(crdRule(rule).severity);
    }
    expect(rulesOf(example?.silent as Change).map(({ rule }) => rule)).not.toContain(id);
  });
});

import { describe, expect, it } from 'vitest';
import { formatFieldError } from '../field-error.ts';
import { costOfAll, RuleBudget } from './rule-budget.ts';
import { most } from './saturating.ts';

const hint =
  '(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)';

describe('the budget of rules', () => {
  it.each([
    [10_000_000, undefined],
    [10_000_001, '1.000000x'],
    [14_999_999, '1.500000x'],
    [15_000_000, '1.5x'],
    [22_500_000, '2.2x'],
    [27_500_000, '2.8x'],
    [10_078_125, '1.007812x'],
    [10_234_375, '1.023438x'],
    [1_000_000_000, '100.0x'],
    [1_000_000_001, 'more than 100x'],
    [most, 'more than 100x'],
  ])('a rule that costs %d: %s', (cost, factor) => {
    const said = new RuleBudget().spend('a.rule', 'rule', cost).map(formatFieldError);
    const text = `a.rule: Forbidden: estimated rule cost exceeds budget by factor of ${factor} ${hint}`;
    expect(said).toEqual(factor === undefined ? [] : [text]);
  });

  it('of all together is ten times as much, and the dearest four are named', () => {
    const budget = new RuleBudget();
    const costs = [999_999, 30_000_000, 1_000_000, 9_000_000, 50_000_000, 9_000_000];
    for (const [index, cost] of costs.entries()) budget.spend(`r${index}`, 'rule', cost);
    const part = 'Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
    expect(budget.totalErrors('').map(formatFieldError)).toEqual([]);
    budget.spend('r6', 'messageExpression', 1);
    budget.spend('r7', 'rule', 1);
    expect(budget.totalErrors('schema').map(formatFieldError)).toEqual([
      `r4: ${part}`,
      `r1: ${part}`,
      `r3: ${part}`,
      `r5: ${part}`,
      `schema: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of 1.000000x ${hint}`,
    ]);
  });

  it('names no rule of less than a hundredth of it', () => {
    const budget = new RuleBudget();
    for (const cost of [999_999, 98_000_000, 1_000_000]) budget.spend(`r${cost}`, 'rule', cost);
    expect(budget.totalErrors('').map(({ path }) => path)).toEqual([]);
    budget.spend('last', 'rule', 2);
    expect(budget.totalErrors('schema').map(({ path }) => path)).toEqual(['r98000000', 'r1000000', 'schema']);
  });

  it('counts a rule as often as its part can be there', () => {
    const bounds = { most: 0, fewestBytes: 9, parts: new Map() };
    expect(costOfAll(7, 6, bounds)).toBe(42);
    expect(costOfAll(7, undefined, bounds)).toBe(7 * Math.floor((3 * 1024 * 1024) / 10));
    expect(costOfAll(0, undefined, bounds)).toBe(0);
    expect(costOfAll(most, 2, bounds)).toBe(most);
  });
});

import { compiledIn, outcomeOf } from './expressions.ts';
import type { Asked, Compiled, Scope, Values } from './expressions.ts';
import type { MatchCondition } from './webhook-configuration.ts';

/**
 * The cost limit for all conditions of a webhook or policy (RuntimeCELCostBudgetMatchConditions of
 * the real server is a quarter of its usual budget).
 */
const mostOfConditions = 2_500_000;

/**
 * Whether all conditions hold. One condition that is false decides, whatever the others. Errors:
 * throws those of conditions that cannot be evaluated.
 */
export function conditionsHold(conditions: readonly Compiled[], values: Values): boolean {
  const budget = { left: mostOfConditions };
  const outcomes = conditions.map((condition) => outcomeOf(condition, values, budget));
  if (outcomes.some(({ failure, value }) => failure === undefined && value !== true)) return false;
  const failures = outcomes.flatMap(({ failure }) => failure ?? []);
  if (failures.length > 0) throw new Error(failures.length === 1 ? failures[0] : `[${failures.join(', ')}]`);
  return true;
}

/** {@link conditionsHold}, for conditions of webhooks: keeps the compiled ones. */
export function conditionMatcher(scope: () => Scope): (conditions: readonly MatchCondition[], asked: Asked) => boolean {
  const compiled = new WeakMap<readonly MatchCondition[], readonly Compiled[]>();
  return (conditions, asked) => {
    const { environment, valuesOf } = scope();
    const known = compiled.get(conditions) ?? conditions.map(({ expression }) => compiledIn(environment, expression));
    compiled.set(conditions, known);
    return conditionsHold(known, valuesOf(asked));
  };
}

/** The error of an expression that does not compile to the type; undefined if it is valid. */
export function problemOf({ compilation }: Compiled, expected?: string): string | undefined {
  if (!compilation.ok) return compilation.isNotJudged ? undefined : `compilation failed: ${compilation.problem}`;
  const { type } = compilation.expression;
  if (expected === undefined || type === expected) return undefined;
  return `must evaluate to ${expected} but got ${typeText(type)}`;
}

/** A type as the real server writes it. */
function typeText(type: string): string {
  const whole = type === 'list' ? 'list<dyn>' : type;
  return whole
    .replaceAll('<T>', '<dyn>')
    .replaceAll('optional<', 'optional_type<')
    .replaceAll('<', '(')
    .replaceAll('>', ')');
}

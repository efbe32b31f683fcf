import { errorMessage } from '@isthmus/machinery';
import type { JsonSchema } from '@isthmus/schema';
import type { Environment, DeclaredType, Expression } from '@isthmus/schema/cel';
import { declareTypes, dynamicValue, kubernetesEnvironment, compileExpression } from '@isthmus/schema/cel';
import type { MatchCondition } from './webhook-configuration.ts';

const text: JsonSchema = { type: 'string' };
const texts = (...names: readonly string[]): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, text])),
});

/**
 * The schema of `request` in conditions (admission.k8s.io/v1 AdmissionRequest without its objects).
 */
const requestSchema: JsonSchema = {
  type: 'object',
  properties: {
    kind: texts('group', 'version', 'kind'),
    resource: texts('group', 'version', 'resource'),
    subResource: text,
    requestKind: texts('group', 'version', 'kind'),
    requestResource: texts('group', 'version', 'resource'),
    requestSubResource: text,
    name: text,
    namespace: text,
    operation: text,
    userInfo: {
      type: 'object',
      properties: {
        username: text,
        uid: text,
        groups: { type: 'array', items: text },
        extra: { type: 'object', additionalProperties: { type: 'array', items: text } },
      },
    },
    dryRun: { type: 'boolean' },
    options: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  },
};

interface Known {
  readonly environment: Environment;
  readonly request: DeclaredType | undefined;
}

/** The CEL variables of conditions: `object`, `oldObject`, `request`. Left out: `authorizer`. */
function conditionEnvironment(): Known {
  const environment = kubernetesEnvironment();
  const { request } = declareTypes(
    environment,
    { type: 'object', properties: { request: requestSchema } },
    { nameOf: (name) => name },
  ).properties;
  environment
    .registerVariable('object', 'dyn')
    .registerVariable('oldObject', 'dyn')
    .registerVariable('request', request?.name ?? 'dyn');
  return { environment, request };
}

/**
 * Evaluates conditions and keeps the compiled ones. True if all hold for the `request` of a review.
 * One condition that is false decides, whatever the others. Errors: throws those of conditions that
 * cannot be evaluated.
 */
export function conditionMatcher(): (conditions: readonly MatchCondition[], review: object) => boolean {
  let known: Known | undefined;
  const compiled = new Map<string, ReturnType<typeof compileExpression>>();

  function expressionOf(environment: Environment, text: string): Expression {
    const found = compiled.get(text) ?? compileExpression(environment, text);
    if (compiled.size >= mostKept) compiled.clear();
    compiled.set(text, found);
    if (!found.ok) throw new Error(`compilation failed: ${found.problem}`);
    return found.expression;
  }

  return (conditions, review) => {
    known ??= conditionEnvironment();
    const { environment, request } = known;
    const { object, oldObject } = review as { readonly object?: unknown; readonly oldObject?: unknown };
    const variables = {
      object: dynamicValue(object ?? null),
      oldObject: dynamicValue(oldObject ?? null),
      request: request?.valueOf(review),
    };
    const budget = { left: mostOfConditions };
    const failures: string[] = [];
    for (const { expression } of conditions) {
      try {
        if (expressionOf(environment, expression).evaluate(variables, budget) !== true) return false;
      } catch (error) {
        const why = errorMessage(error);
        failures.push(`expression '${expression}' resulted in error: ${why}`);
      }
    }
    if (failures.length > 0) throw new Error(failures.length === 1 ? failures[0] : `[${failures.join(', ')}]`);
    return true;
  };
}

/** How many expressions are kept compiled. */
const mostKept = 1000;

/**
 * The cost limit for all conditions of a webhook (RuntimeCELCostBudgetMatchConditions of the real
 * server is a quarter of its usual budget).
 */
const mostOfConditions = 2_500_000;

/**
 * The error of an expression that is not a valid condition; undefined if it is valid. Expressions
 * that use the `authorizer` are not checked.
 */
export function conditionProblem(expression: string): string | undefined {
  if (/\bauthorizer\b/.test(expression)) return undefined;
  const compiled = compileExpression(conditionEnvironment().environment, expression);
  if (!compiled.ok) return `compilation failed: ${compiled.problem}`;
  const { type } = compiled.expression;
  return type === 'bool' ? undefined : `must evaluate to bool but got ${typeText(type)}`;
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

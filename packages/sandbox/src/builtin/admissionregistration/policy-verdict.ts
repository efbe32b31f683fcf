import { errorMessage } from '@isthmus/machinery';
import type { StatusReason } from '@isthmus/machinery';
import type { Budget, Environment } from '@isthmus/schema/cel';
import { dynamicValue } from '@isthmus/schema/cel';
import type { Stored } from '../../store/stored.ts';
import { compiledIn, evaluated, outcomeOf } from './expressions.ts';
import type { Compiled, Scope, Values } from './expressions.ts';
import { conditionsHold } from './match-conditions.ts';
import type { PolicySpec, Validation } from './policy.ts';

/** A policy with its compiled expressions. */
export interface CompiledPolicy {
  readonly failurePolicy: 'Fail' | 'Ignore';
  readonly conditions: readonly Compiled[];
  readonly variables: readonly (readonly [name: string, expression: Compiled])[];
  readonly validations: readonly CompiledValidation[];
  readonly annotations: readonly Compiled[];
}

interface CompiledValidation {
  readonly validation: Validation;
  readonly check: Compiled;
  readonly message: Compiled | undefined;
}

/** Why a policy rejects a request. */
export interface Objection {
  readonly message: string;
  readonly reason: StatusReason;
  /** It comes from an audit annotation: rejects whatever the actions of the binding are. */
  readonly isFinal?: true | undefined;
}

/**
 * `variables`. A value is evaluated when an expression first reads it, and paid from the budget of
 * that expression.
 */
class Composed extends Map<string, unknown> {
  readonly evaluate: (name: string) => unknown;
  constructor(evaluate: (name: string) => unknown) {
    super();
    this.evaluate = evaluate;
  }
  override get(name: string): unknown {
    if (!super.has(name)) super.set(name, this.evaluate(name));
    return super.get(name);
  }
}

/** Compiles the expressions of a policy. Those that do not compile fail when they are evaluated. */
export function compilePolicy(spec: PolicySpec, { environment }: Scope): CompiledPolicy {
  const known = spec.paramKind === undefined ? environment : environment.clone().registerVariable('params', 'dyn');
  const variables: (readonly [string, Compiled])[] = [];
  for (const { name, expression } of spec.variables ?? [])
    variables.push([name, compiledIn(withVariables(known, variables), expression)]);
  const whole = withVariables(known, variables);
  const compiled = (text: string) => compiledIn(whole, text);
  return {
    failurePolicy: spec.failurePolicy ?? 'Fail',
    conditions: (spec.matchConditions ?? []).map(({ expression }) => compiled(expression)),
    variables,
    validations: (spec.validations ?? []).map((validation) => ({
      validation,
      check: compiled(validation.expression),
      message: (validation.messageExpression ?? '') === '' ? undefined : compiled(validation.messageExpression ?? ''),
    })),
    annotations: (spec.auditAnnotations ?? []).map(({ valueExpression }) => compiled(valueExpression)),
  };
}

/** The environment with `variables`. */
export function withVariables(environment: Environment, variables: CompiledPolicy['variables']): Environment {
  const typeOf = ({ compilation }: Compiled) => {
    const type = compilation.ok ? compilation.expression.type : 'dyn';
    return type === 'list' ? 'list<dyn>' : type === 'map' ? 'map<dyn, dyn>' : type;
  };
  const fields = Object.fromEntries(variables.map(([name, compiled]) => [name, typeOf(compiled)]));
  return environment
    .clone()
    .registerType(variablesType, { ctor: Composed, fields })
    .registerVariable('variables', variablesType);
}

const variablesType = 'kubernetes.Variables';

/** The cost limit for all expressions of a policy (RuntimeCELCostBudget of the real server). */
const mostOfPolicy = 10_000_000;

/**
 * The objections of a policy to a request, in the order of its validations: none if it does not
 * object, or if its conditions do not hold. `params`: undefined if the policy or the binding has
 * none.
 */
export function objectionsTo(policy: CompiledPolicy, values: Values, params: Stored | undefined): readonly Objection[] {
  const unjudged = (message: string): readonly Objection[] =>
    policy.failurePolicy === 'Ignore' ? [] : [{ message, reason: 'Invalid' }];
  const budget = { left: mostOfPolicy };
  const all: Values = { ...values, params: dynamicValue(params ?? null) };
  const composed = (seen: Values, paid: Budget) => ({ ...seen, variables: composedOf(policy, seen, paid) });
  try {
    // The conditions do not see the Namespace.
    if (!conditionsHold(policy.conditions, { ...all, namespaceObject: null })) return [];
    const seen = composed(all, budget);
    const outcomes = policy.validations.map(({ check }) => outcomeOf(check, seen, budget));
    // Nor do messages ask the authorizer.
    const { authorizer: _, ...rest } = all;
    const told = composed(rest, budget);
    const messages = policy.validations.map(({ message }) => message && outcomeOf(message, told, budget).value);
    const objections = policy.validations.flatMap(({ validation }, at): readonly Objection[] => {
      const { failure, value } = outcomes[at] ?? { value: true };
      if (failure !== undefined) return unjudged(failure);
      if (value === true) return [];
      return [{ message: messageOf(validation, messages[at]), reason: validation.reason ?? 'Invalid' }];
    });
    const own = { left: mostOfPolicy };
    const annotated = policy.annotations.flatMap((each) => outcomeOf(each, composed(all, own), own).failure ?? []);
    return [...objections, ...annotated.flatMap(unjudged).map((each) => ({ ...each, isFinal: true }) as const)];
  } catch (error) {
    return unjudged(errorMessage(error));
  }
}

function composedOf({ variables }: CompiledPolicy, values: Values, budget: Budget): Composed {
  const byName = new Map(variables);
  const composed: Composed = new Composed((name) => {
    const compilation = byName.get(name)?.compilation;
    if (compilation === undefined) return undefined;
    const fails = (how: string, why: string) => {
      throw new Error(`composited variable ${JSON.stringify(name)} fails to ${how}: ${why}`);
    };
    if (!compilation.ok) return fails('compile', compilation.problem);
    const { failure, value } = evaluated(compilation.expression, { ...values, variables: composed }, budget);
    return failure === undefined ? value : fails('evaluate', failure);
  });
  return composed;
}

/** The most bytes of a message that is evaluated. */
const longestMessage = 5 << 10;

function messageOf({ expression, message = '' }: Validation, evaluated: unknown): string {
  const made = typeof evaluated === 'string' ? evaluated.trim() : '';
  if (made !== '' && !made.includes('\n') && Buffer.byteLength(made) <= longestMessage) return made;
  return message === '' ? `failed expression: ${expression.trim()}` : message.trim();
}

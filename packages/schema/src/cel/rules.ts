import { errorMessage } from '@isthmus/machinery';
import type { Environment } from '@marcbachmann/cel-js';
import { Optional } from '@marcbachmann/cel-js';
import { childOf, isAsItWas, itemOf } from '../definition/ratcheting.ts';
import { findPath } from '../definition/field-path.ts';
import { formatFieldError } from '../field-error.ts';
import { rulesOf, somePart } from '../definition/definition.ts';
import type { FieldError, FieldErrorType } from '../field-error.ts';
import type { JsonSchema, ValidationRule } from '../json-schema.ts';
import type { DeclaredType } from './declared-type.ts';
import { declareTypes } from './declared-type.ts';
import { kubernetesEnvironment } from './environment.ts';
import type { Budget, Compilation, Expression } from './expression.ts';
import { CostExceeded, compileExpression } from './expression.ts';

/** The verdict of a schema's rules on an object. */
export interface Judgement {
  readonly errors: readonly FieldError[];
  /** Errors in unchanged parts, which the API server reports as warnings (KEP-4008). */
  readonly warnings: readonly string[];
}

export interface Rules {
  /**
   * Judges an object, and an update by what was before. Bounded: what cannot be evaluated within
   * the budget is an error. Without ratcheting, as servers before 1.30 judge, parts that are as
   * they were can be wrong too.
   */
  judge(object: unknown, before?: unknown, how?: { readonly isRatcheting?: boolean | undefined }): Judgement;
}

/**
 * The cost limits of one rule, and of all rules of an object: those of the real server
 * (PerCallLimit, RuntimeCELCostBudget).
 */
const mostOfRule = 1_000_000;
const mostOfObject = 10_000_000;

/**
 * The rules of a schema, or undefined if it has no rules. They are compiled when the first object
 * is judged. Rules that do not compile are ignored here: definitions that contain them are
 * rejected.
 */
export function compileRules(schema: JsonSchema): Rules | undefined {
  if (!hasRules(schema)) return undefined;
  let root: Ruled | undefined;
  return {
    judge(object, before, { isRatcheting = true } = {}) {
      root ??= prepareRoot(schema);
      const judging: Judging = { errors: [], warnings: [], left: mostOfObject, ended: false, isRatcheting };
      judge(root, { value: object, before, path: '', isKept: false }, judging);
      return judging;
    },
  };
}

export function hasRules(schema: JsonSchema): boolean {
  return somePart(schema, (part) => rulesOf(part).length > 0);
}

/** A rule with its compiled expressions. */
export interface CompiledRule {
  readonly rule: ValidationRule;
  readonly check: Compilation;
  readonly message: Compilation | undefined;
}

/** Compiles a rule of a part of a schema, whose type is declared in the environment. */
export function compileRule(environment: Environment, { name }: DeclaredType, rule: ValidationRule): CompiledRule {
  const known = environment
    .clone()
    .registerVariable('self', name)
    .registerVariable('oldSelf', rule.optionalOldSelf === true ? `optional<${name}>` : name);
  const { messageExpression = '' } = rule;
  const message = messageExpression.trim() === '' ? undefined : compileExpression(known, messageExpression);
  return { rule, check: compileExpression(known, rule.rule), message };
}

/** A part of a schema that has rules, or whose parts have. */
interface Ruled {
  readonly type: DeclaredType;
  readonly rules: readonly CompiledRule[];
  readonly properties: readonly (readonly [string, Ruled])[];
  readonly items: Ruled | undefined;
  readonly values: Ruled | undefined;
}

function prepareRoot(schema: JsonSchema): Ruled {
  const environment = kubernetesEnvironment();
  return prepare(environment, declareTypes(environment, schema));
}

function prepare(environment: Environment, type: DeclaredType): Ruled {
  const below = (part: DeclaredType | undefined) =>
    part === undefined || !hasRules(part.schema) ? undefined : prepare(environment, part);
  return {
    type,
    rules: rulesOf(type.schema).map((rule) => compileRule(environment, type, rule)),
    properties: Object.entries(type.properties).flatMap(([name, part]) => {
      const ruled = below(part);
      return ruled === undefined ? [] : [[name, ruled] as const];
    }),
    items: below(type.items),
    values: below(type.values),
  };
}

interface Judging {
  readonly errors: FieldError[];
  readonly warnings: string[];
  left: number;
  /** The budget is spent: nothing more is judged. */
  ended: boolean;
  readonly isRatcheting: boolean;
}

interface Place {
  readonly value: unknown;
  readonly before: unknown;
  readonly path: string;
  /**
   * Used if the part has no earlier value, as an item of a list that is not a map: whether the
   * nearest part around it with an earlier value is unchanged.
   */
  readonly isKept: boolean;
}

/** Judges a part by its own rules, then the parts inside it. */
function judge(ruled: Ruled, place: Place, judging: Judging): void {
  const { value, before, path } = place;
  if (value === undefined || value === null || judging.ended) return;
  const { schema } = ruled.type;
  judgeByOwn(ruled, place, judging);
  const part = { schema, value, before };
  if (Array.isArray(value)) {
    const { items } = ruled;
    if (items === undefined) return;
    const isKept = isKeptPart(schema, place);
    value.forEach((_, index) => judge(items, { ...itemOf(part, index), path: `${path}[${index}]`, isKept }, judging));
    return;
  }
  if (typeof value !== 'object') return;
  const isKept = before === undefined && place.isKept;
  for (const [name, field] of ruled.properties) {
    judge(field, { ...childOf(part, name), path: path === '' ? name : `${path}.${name}`, isKept }, judging);
  }
  const { values } = ruled;
  if (values === undefined) return;
  for (const key of Object.keys(value))
    judge(values, { ...childOf(part, key), path: `${path}[${key}]`, isKept }, judging);
}

function isKeptPart(schema: JsonSchema, { value, before, isKept }: Place): boolean {
  return before === undefined ? isKept : isAsItWas({ schema, value, before });
}

function judgeByOwn({ type, rules }: Ruled, place: Place, judging: Judging): void {
  if (rules.length === 0) return;
  const self = type.valueOf(place.value);
  const oldSelf = place.before === undefined || place.before === null ? undefined : type.valueOf(place.before);
  const isKept = judging.isRatcheting && isKeptPart(type.schema, place);
  for (const compiled of rules) {
    if (judging.ended) return;
    const verdict = ruleVerdict(compiled, type, { self, oldSelf, place, judging });
    if (verdict === undefined) continue;
    if (isKept && verdict.isForgivable) judging.warnings.push(formatFieldError(verdict.error));
    else judging.errors.push(verdict.error);
  }
}

/** The error of a rule that an object breaks. */
interface RuleVerdict {
  readonly error: FieldError;
  /**
   * Whether an update that leaves the part as it was may pass: only where the rule was evaluated,
   * and looks at nothing that was before.
   */
  readonly isForgivable: boolean;
}

interface Judged {
  readonly self: unknown;
  readonly oldSelf: unknown;
  readonly place: Place;
  readonly judging: Judging;
}

function ruleVerdict(compiled: CompiledRule, { schema }: DeclaredType, judged: Judged): RuleVerdict | undefined {
  const { rule, check } = compiled;
  if (!check.ok) return undefined;
  const { self, oldSelf, place, judging } = judged;
  const isOptional = rule.optionalOldSelf === true;
  const isTransition = check.expression.names.has('oldSelf');
  if (isTransition && oldSelf === undefined && !isOptional) return undefined;
  const variables = { self, oldSelf: isOptional ? Optional.of(oldSelf) : oldSelf };
  const path = place.path === '' ? '<nil>' : place.path;
  const text = rule.rule.trim();
  const invalid = (detail: string): RuleVerdict => ({
    error: { path, type: 'Invalid', value: schema.type ?? '', detail },
    isForgivable: false,
  });
  try {
    if (evaluate(check.expression, variables, judging) === true) return undefined;
  } catch (error) {
    if (!(error instanceof CostExceeded)) {
      const said = (rule.message ?? '').trim() === '' ? text : (rule.message ?? '').trim();
      return invalid(`${errorMessage(error)} evaluating rule: ${said}`);
    }
    judging.ended = true;
    return judging.left <= 0
      ? invalid('validation failed due to running out of cost budget, no further validation rules will be run')
      : invalid(
          `'${error.message}': no further validation rules will be run due to call cost exceeds limit for rule: ${text}`,
        );
  }
  const error = broken(rule, messageOf(compiled, variables, judging), {
    path: placeOf(rule, schema, place.path),
    value: place.value,
  });
  return { error, isForgivable: !isTransition };
}

function evaluate(expression: Expression, variables: Readonly<Record<string, unknown>>, judging: Judging): unknown {
  const given = Math.min(mostOfRule, judging.left);
  const budget: Budget = { left: given };
  try {
    return expression.evaluate(variables, budget);
  } finally {
    judging.left -= given - Math.max(budget.left, 0);
  }
}

function messageOf(
  { rule, message }: CompiledRule,
  variables: Readonly<Record<string, unknown>>,
  judging: Judging,
): string {
  const plain = (rule.message ?? '').trim() === '' ? `failed rule: ${rule.rule.trim()}` : (rule.message ?? '').trim();
  if (message?.ok !== true) return plain;
  try {
    const said = evaluate(message.expression, variables, judging);
    const isFit =
      typeof said === 'string' && said.trim() !== '' && !/[\r\n]/.test(said) && said.length <= longestMessage;
    return isFit ? said : plain;
  } catch {
    // A message that cannot be made is replaced by the plain one, as the real server does.
    return plain;
  }
}

const longestMessage = 5 << 10;

function placeOf({ fieldPath = '' }: ValidationRule, schema: JsonSchema, path: string): string {
  const found = fieldPath === '' ? undefined : findPath(fieldPath, schema, true);
  if (found?.ok !== true) return path === '' ? '<nil>' : path;
  return path === '' || found.path.startsWith('[') ? `${path}${found.path}` : `${path}.${found.path}`;
}

const types: Readonly<Record<string, FieldErrorType>> = {
  FieldValueForbidden: 'Forbidden',
  FieldValueRequired: 'Required',
  FieldValueDuplicate: 'Duplicate',
};

/** Objects and lists are not shown. */
function broken(
  rule: ValidationRule,
  detail: string,
  { path, value }: { readonly path: string; readonly value: unknown },
): FieldError {
  const type = types[rule.reason ?? ''] ?? 'Invalid';
  const isShown = typeof value !== 'object';
  return { path, type, value, detail: type === 'Duplicate' ? '' : detail, ...(!isShown && { shown: '' }) };
}

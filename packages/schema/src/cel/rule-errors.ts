import type { Environment } from '@marcbachmann/cel-js';
import { celFieldName } from '../rule-cost/cel-field-name.ts';
import { costOfAll, RuleBudget } from '../rule-cost/rule-budget.ts';
import { estimateCost } from '../rule-cost/estimate-cost.ts';
import { findPath } from '../definition/field-path.ts';
import { partsOf, rulesOf } from '../definition/definition.ts';
import { valueBounds } from '../rule-cost/value-bounds.ts';
import type { FieldError } from '../field-error.ts';
import { invalidStruct, notSupported, required } from '../field-error.ts';
import type { JsonSchema, ValidationRule } from '../json-schema.ts';
import type { KnownOfRules } from '../definition/definition-schema.ts';
import type { ValueBounds } from '../rule-cost/value-bounds.ts';
import type { DeclaredType } from './declared-type.ts';
import { declareTypes } from './declared-type.ts';
import { kubernetesEnvironment } from './environment.ts';
import { compileRule, hasRules } from './rules.ts';
import type { Compilation } from './expression.ts';

const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];

/**
 * The errors of the rules of a schema and its parts: texts, reasons, paths, expressions that do not
 * compile, and their costs, one by one and together. Without `known` the schema has no other
 * errors, and is new.
 */
export function ruleErrors(schema: JsonSchema, path: string, known?: KnownOfRules): readonly FieldError[] {
  const bounds = hasRules(schema) ? valueBounds(schema, true) : undefined;
  if (bounds === undefined) return [];
  const environment = kubernetesEnvironment();
  const judging: Judging = {
    environment,
    budget: new RuleBudget(),
    isSound: known?.isSound ?? (() => true),
    isAsItWas: known?.isAsItWas === true,
  };
  const texts = expressionTexts(schema);
  // Schemas repeat few names many times.
  const named = new Map<string, boolean>();
  const isNamed = (name: string): boolean => {
    const found = named.get(name) ?? texts.includes(name);
    named.set(name, found);
    return found;
  };
  const type = declareTypes(environment, schema, { isStrict: true, isNamed });
  const { form, expressions } = errorsOf(type, { path, uncorrelatable: undefined, bounds, count: 1 }, judging);
  return [...form, ...expressions, ...judging.budget.totalErrors(path)];
}

/**
 * All expressions of a schema: a property is named in none of them if its name is no part of this
 * text.
 */
function expressionTexts(schema: JsonSchema): string {
  return partsOf(schema)
    .flatMap(rulesOf)
    .map(({ rule, messageExpression = '' }) => `${rule}\n${messageExpression}`)
    .join('\n');
}

interface Judging {
  readonly environment: Environment;
  readonly budget: RuleBudget;
  readonly isSound: KnownOfRules['isSound'];
  readonly isAsItWas: boolean;
}

/** A part of the schema. */
interface Place {
  readonly path: string;
  /** The list whose items have no former selves, in which this is. */
  readonly uncorrelatable: string | undefined;
  readonly bounds: ValueBounds | undefined;
  /** How often it can be in one object; undefined where a list or map around it has no bound. */
  readonly count: number | undefined;
}

interface Errors {
  readonly form: readonly FieldError[];
  readonly expressions: readonly FieldError[];
}

/** Expressions are looked at where the rules below and at their place have their form. */
function errorsOf(type: DeclaredType, place: Place, judging: Judging): Errors {
  const { schema } = type;
  const { path } = place;
  const parts = partsBelow(type, place).map(([part, at]) => errorsOf(part, at, judging));
  const rules = rulesOf(schema).map((rule, index) => [rule, `${path}.x-kubernetes-validations[${index}]`] as const);
  const form = [...parts.flatMap((one) => one.form), ...rules.flatMap(([rule, at]) => formErrors(rule, schema, at))];
  const expressions = parts.flatMap((one) => one.expressions);
  const { bounds } = place;
  if (form.length > 0 || bounds === undefined || !judging.isSound(path)) return { form, expressions };
  const own = rules.flatMap(([rule, at]) => expressionErrors(type, rule, { ...place, path: at, bounds }, judging));
  return { form, expressions: [...expressions, ...own] };
}

function partsBelow(
  { schema, items, values, properties }: DeclaredType,
  { path, uncorrelatable, bounds, count }: Place,
): readonly (readonly [DeclaredType, Place])[] {
  const below = (part: DeclaredType, where: string, step: string, within = uncorrelatable): [DeclaredType, Place] => {
    const isResource = part.schema['x-kubernetes-embedded-resource'] === true;
    const own = bounds?.parts.get(step) ?? valueBounds(part.schema, isResource);
    const place = { path: `${path}.${where}`, uncorrelatable: within, bounds: own, count: countBelow(schema, count) };
    return [part, place];
  };
  const isMap = schema['x-kubernetes-list-type'] === 'map';
  return [
    ...(values === undefined ? [] : [below(values, 'additionalProperties', '@values')]),
    ...Object.entries(properties).map(([name, field]) =>
      below(field, `properties[${name}]`, celFieldName(name) ?? '@none'),
    ),
    ...(items === undefined ? [] : [below(items, 'items', '@items', uncorrelatable ?? (isMap ? undefined : path))]),
  ];
}

/** How often the parts of a schema can be in one object that holds it `count` times. */
function countBelow(
  { type, additionalProperties, maxItems, maxProperties }: JsonSchema,
  count: number | undefined,
): number | undefined {
  const isMap = type === 'object' && additionalProperties !== undefined && additionalProperties !== false;
  if (type !== 'array' && !isMap) return count;
  const most = isMap ? maxProperties : maxItems;
  return most === undefined || count === undefined ? undefined : count * Math.max(most, 0);
}

function expressionErrors(
  type: DeclaredType,
  rule: ValidationRule,
  place: Place & { readonly bounds: ValueBounds },
  { environment, budget, isAsItWas }: Judging,
): readonly FieldError[] {
  if (rule.rule.trim() === '') return [];
  const { path, uncorrelatable, bounds, count } = place;
  const { check, message } = compileRule(environment, type, rule);
  const errors: FieldError[] = [];
  const refuse = (field: string, detail: string, more: Pick<FieldError, 'isNotJudged'> = {}) =>
    errors.push({ ...invalidStruct(`${path}.${field}`, shownRule(rule), detail), ...more });
  const spend = (field: string, what: string, cost: number) => {
    const found = budget.spend(`${path}.${field}`, what, cost);
    if (!isAsItWas) errors.push(...found);
  };
  const isTransition = check.ok && check.expression.names.has('oldSelf');
  const unused =
    isTransition || rule.optionalOldSelf === undefined
      ? []
      : [
          invalidStruct(
            `${path}.optionalOldSelf`,
            rule.optionalOldSelf,
            'may not be set if oldSelf is not used in rule',
          ),
        ];
  if (!check.ok) {
    refuse('rule', `compilation failed: ${check.problem}`, doubtOf(check));
    return [...errors, ...unused];
  }
  if (check.expression.type !== 'bool') {
    refuse('rule', 'cel expression must evaluate to a bool');
    return [...errors, ...unused];
  }
  spend('rule', 'rule', costOfAll(estimateCost(check.expression.tree(), bounds), count, bounds));
  if (message?.ok === false) {
    refuse('messageExpression', `messageExpression compilation failed: ${message.problem}`, doubtOf(message));
  } else if (message?.ok === true && message.expression.type !== 'string') {
    refuse('messageExpression', 'messageExpression must evaluate to a string');
  } else if (message?.ok === true) {
    spend('messageExpression', 'messageExpression', estimateCost(message.expression.tree(), bounds));
  }
  errors.push(...unused);
  if (isTransition && rule.optionalOldSelf !== true && uncorrelatable !== undefined) {
    const why = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatable}`;
    errors.push(invalidStruct(`${path}.rule`, rule.rule, why));
  }
  return errors;
}

function doubtOf({ isNotJudged }: Compilation & { readonly ok: false }): Pick<FieldError, 'isNotJudged'> {
  return isNotJudged === true ? { isNotJudged } : {};
}

/** A rule as the real server's struct shows. */
function shownRule({
  rule,
  message = '',
  messageExpression = '',
  reason = null,
  fieldPath = '',
  optionalOldSelf = null,
}: GivenRule): object {
  return {
    Rule: rule,
    Message: message,
    MessageExpression: messageExpression,
    Reason: reason,
    FieldPath: fieldPath,
    OptionalOldSelf: optionalOldSelf,
  };
}

type GivenRule = { readonly [Key in keyof ValidationRule]: ValidationRule[Key] | (Key extends 'rule' ? never : null) };

function formErrors(rule: ValidationRule, schema: JsonSchema, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const { message = '', messageExpression = '', reason, fieldPath = '' } = rule;
  const text = rule.rule.trim();
  if (text === '') errors.push(required(`${path}.rule`, 'rule is not specified'));
  else if (message !== '' && message.trim() === '') {
    errors.push(invalidStruct(`${path}.message`, message, 'must be non-empty if specified'));
  } else if (breaksLine(message.trim())) {
    errors.push(invalidStruct(`${path}.message`, message, 'must not contain line breaks'));
  } else if (breaksLine(text) && message.trim() === '') {
    errors.push(required(`${path}.message`, 'message must be specified if rule contains line breaks'));
  }
  if (messageExpression !== '' && messageExpression.trim() === '') {
    errors.push(required(`${path}.messageExpression`, 'messageExpression must be non-empty if specified'));
  }
  if (reason !== undefined && !reasons.includes(reason)) errors.push(notSupported(`${path}.reason`, reason, reasons));
  const at = `${path}.fieldPath`;
  if (fieldPath !== '' && fieldPath.trim() === '') {
    errors.push(invalidStruct(at, fieldPath, 'must be non-empty if specified'));
  }
  if (breaksLine(fieldPath)) errors.push(invalidStruct(at, fieldPath, 'must not contain line breaks'));
  if (fieldPath !== '' && !findPath(fieldPath, schema, true).ok) {
    errors.push(invalidStruct(at, fieldPath, 'must be a valid path'));
  }
  return errors;
}

function breaksLine(text: string): boolean {
  return /[\n\r]/.test(text);
}

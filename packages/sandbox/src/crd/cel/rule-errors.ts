import { rulesOf, findPath } from '@isthmus/machinery';
import type { FieldError, JsonSchema, ValidationRule } from '@isthmus/machinery';
import type { Environment } from '@marcbachmann/cel-js';
import { invalidValue, requiredValue } from '../../server/refusal.ts';
import { notSupported } from '../../builtin/field-rules.ts';
import type { DeclaredType } from './declared-type.ts';
import { declareTypes } from './declared-type.ts';
import { kubernetesEnvironment } from './environment.ts';
import { compileRule, hasRules } from './rules.ts';

const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];

/**
 * What is wrong with the rules of a schema and its parts: texts, reasons, paths, and expressions that do not compile. Left out: what a rule may
 * cost is not estimated; what it does cost is limited where it is evaluated.
 */
export function ruleErrors(schema: JsonSchema, path: string): readonly FieldError[] {
  if (!hasRules(schema)) return [];
  const environment = kubernetesEnvironment();
  return errorsOf(declareTypes(environment, schema), { environment, path, uncorrelatable: undefined });
}

interface At {
  readonly environment: Environment;
  readonly path: string;
  /** The list whose items have no former selves, in which this is. */
  readonly uncorrelatable: string | undefined;
}

function errorsOf(type: DeclaredType, at: At): readonly FieldError[] {
  const { schema, items, values, properties } = type;
  const { path, uncorrelatable } = at;
  const isMap = schema['x-kubernetes-list-type'] === 'map';
  return [
    ...(values === undefined ? [] : errorsOf(values, { ...at, path: `${path}.additionalProperties` })),
    ...Object.entries(properties).flatMap(([name, field]) =>
      errorsOf(field, { ...at, path: `${path}.properties[${name}]` }),
    ),
    ...(items === undefined
      ? []
      : errorsOf(items, {
          ...at,
          path: `${path}.items`,
          uncorrelatable: uncorrelatable ?? (isMap ? undefined : path),
        })),
    ...rulesOf(schema).flatMap((rule, index) => {
      const own = { ...at, path: `${path}.x-kubernetes-validations[${index}]` };
      return [...formErrors(rule, schema, own.path), ...expressionErrors(type, rule, own)];
    }),
  ];
}

function expressionErrors(
  type: DeclaredType,
  rule: ValidationRule,
  { environment, path, uncorrelatable }: At,
): readonly FieldError[] {
  if (rule.rule.trim() === '') return [];
  const { check, message } = compileRule(environment, type, rule);
  const errors: FieldError[] = [];
  const refuse = (field: string, detail: string) =>
    errors.push(invalidValue(`${path}.${field}`, shownRule(rule), detail));
  if (!check.ok) refuse('rule', `compilation failed: ${check.problem}`);
  else if (!['bool', 'dyn'].includes(check.expression.type)) refuse('rule', 'cel expression must evaluate to a bool');
  if (message?.ok === false) refuse('messageExpression', `messageExpression compilation failed: ${message.problem}`);
  else if (message?.ok === true && !['string', 'dyn'].includes(message.expression.type)) {
    refuse('messageExpression', 'messageExpression must evaluate to a string');
  }
  if (!check.ok) return errors;
  const isTransition = check.expression.names.has('oldSelf');
  if (!isTransition && rule.optionalOldSelf !== undefined) {
    errors.push(
      invalidValue(`${path}.optionalOldSelf`, rule.optionalOldSelf, 'may not be set if oldSelf is not used in rule'),
    );
  }
  if (isTransition && rule.optionalOldSelf !== true && uncorrelatable !== undefined) {
    const why = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatable}`;
    errors.push(invalidValue(`${path}.rule`, rule.rule, why));
  }
  return errors;
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
  if (text === '') errors.push(requiredValue(`${path}.rule`, 'rule is not specified'));
  else if (message !== '' && message.trim() === '') {
    errors.push(invalidValue(`${path}.message`, message, 'must be non-empty if specified'));
  } else if (breaksLine(message.trim())) {
    errors.push(invalidValue(`${path}.message`, message, 'must not contain line breaks'));
  } else if (breaksLine(text) && message.trim() === '') {
    errors.push(requiredValue(`${path}.message`, 'message must be specified if rule contains line breaks'));
  }
  if (messageExpression !== '' && messageExpression.trim() === '') {
    errors.push(requiredValue(`${path}.messageExpression`, 'messageExpression must be non-empty if specified'));
  }
  if (reason !== undefined && !reasons.includes(reason)) errors.push(notSupported(`${path}.reason`, reason, reasons));
  const at = `${path}.fieldPath`;
  if (fieldPath !== '' && fieldPath.trim() === '') {
    errors.push(invalidValue(at, fieldPath, 'must be non-empty if specified'));
  }
  if (breaksLine(fieldPath)) errors.push(invalidValue(at, fieldPath, 'must not contain line breaks'));
  if (fieldPath !== '' && !findPath(fieldPath, schema, true).ok) {
    errors.push(invalidValue(at, fieldPath, 'must be a valid path'));
  }
  return errors;
}

function breaksLine(text: string): boolean {
  return /[\n\r]/.test(text);
}

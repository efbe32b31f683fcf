import { dns1123SubdomainErrors } from '@isthmus/machinery';
import type { Environment } from '@isthmus/schema/cel';
import type { Stored } from '../../store/stored.ts';
import type { Errors } from '../field-checks.ts';
import { optionalOneOf, problems, requiredText, when } from '../field-checks.ts';
import { duplicate, forbidden, invalid, required } from '../field-rules.ts';
import type { Scope } from './expressions.ts';
import { admissionScope, compiledIn } from './expressions.ts';
import { problemOf } from './match-conditions.ts';
import type { BindingSpec, MatchResources, ParamRef, PolicySpec, Validation } from './policy.ts';
import { withVariables } from './policy-verdict.ts';
import { conditionErrors, ruleErrors } from './webhook-validation.ts';

const reasons = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];

/** The errors of a ValidatingAdmissionPolicy beyond its shape. */
export function policyErrors(): (policy: Stored) => Errors {
  let known: Scope | undefined;
  return ({ spec }) => {
    known ??= admissionScope({ isStrict: true });
    const { paramKind, matchConstraints, matchConditions = [], ...rest } = spec as PolicySpec;
    const { variables = [], validations = [], auditAnnotations = [] } = rest;
    const withParams = (environment: Environment) =>
      paramKind === undefined ? environment : environment.clone().registerVariable('params', 'dyn');
    const conditions = withParams(known.environment);
    const all = variables.map(({ name, expression }, at) => {
      const before = variables
        .slice(0, at)
        .map((each) => [each.name, compiledIn(conditions, each.expression)] as const);
      return { name, expression, environment: withVariables(conditions, before) };
    });
    const compiled = all.map(
      ({ name, expression, environment }) => [name, compiledIn(environment, expression)] as const,
    );
    const whole = withVariables(conditions, compiled);
    const messages = withVariables(withParams(known.withoutAuthorizer), compiled);
    const nothing = 'validations or auditAnnotations must contain at least one item';
    return [
      ...paramKindErrors('spec.paramKind', paramKind),
      ...(matchConstraints === undefined ? [required('spec.matchConstraints')] : []),
      ...matchErrors('spec.matchConstraints', matchConstraints),
      ...when(matchConstraints?.resourceRules === undefined, required('spec.matchConstraints.resourceRules')),
      ...conditionErrors('spec.matchConditions', matchConditions, conditions),
      ...all.flatMap(({ name, expression, environment }, at) => [
        ...when(
          !/^[a-zA-Z_]\w*$/.test(name),
          invalid(`spec.variables[${at}].name`, name, 'must be a valid CEL identifier'),
        ),
        ...expressionErrors(`spec.variables[${at}].expression`, expression, environment),
      ]),
      ...when(
        validations.length + auditAnnotations.length === 0,
        required('spec.validations', nothing),
        required('spec.auditAnnotations', nothing),
      ),
      ...validations.flatMap((each, at) => validationErrors(`spec.validations[${at}]`, each, whole, messages)),
    ];
  };
}

/** The errors of a ValidatingAdmissionPolicyBinding beyond its shape. */
export function bindingErrors({ spec }: Stored): Errors {
  const { policyName = '', paramRef, matchResources, validationActions: actions = [] } = spec as BindingSpec;
  const repeats =
    'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)';
  const path = 'spec.validationActions';
  return [
    ...requiredText('spec.policyName', policyName, (at, text) => problems(at, text, dns1123SubdomainErrors(text))),
    ...(paramRef === undefined ? [] : paramRefErrors('spec.paramRef', paramRef)),
    ...matchErrors('spec.matchResources', matchResources),
    ...when(actions.length === 0, required(path, 'at least one validation action is required')),
    ...actions.flatMap((action, at) => [
      ...when(actions.indexOf(action) < at, duplicate(`${path}[${at}]`, action)),
      ...optionalOneOf(`${path}[${at}]`, action, ['Audit', 'Deny', 'Warn']),
    ]),
    ...when(actions.includes('Deny') && actions.includes('Warn'), invalid(path, actions, repeats)),
  ];
}

function paramRefErrors(path: string, { name = '', selector, parameterNotFoundAction }: ParamRef): Errors {
  const both = 'name and selector are mutually exclusive';
  const action = `${path}.parameterNotFoundAction`;
  return [
    ...when(
      name !== '' && selector !== undefined,
      forbidden(`${path}.name`, both),
      forbidden(`${path}.selector`, both),
    ),
    ...when(name === '' && selector === undefined, required(path, 'one of name or selector must be specified')),
    ...when(parameterNotFoundAction === undefined, required(action)),
    ...optionalOneOf(action, parameterNotFoundAction, ['Deny', 'Allow']),
  ];
}

function paramKindErrors(path: string, paramKind: PolicySpec['paramKind']): Errors {
  if (paramKind === undefined) return [];
  const isVersion = (text: string) => text.split('/').length <= 2;
  return [
    ...requiredText(`${path}.apiVersion`, paramKind.apiVersion, (at, text) =>
      when(!isVersion(text), invalid(at, text, `unexpected GroupVersion string: ${text}`)),
    ),
    ...requiredText(`${path}.kind`, paramKind.kind),
  ];
}

function matchErrors(path: string, { resourceRules = [], excludeResourceRules = [] }: MatchResources = {}): Errors {
  return [
    ...resourceRules.flatMap((rule, at) => ruleErrors(`${path}.resourceRules[${at}]`, rule)),
    ...excludeResourceRules.flatMap((rule, at) => ruleErrors(`${path}.excludeResourceRules[${at}]`, rule)),
  ];
}

function validationErrors(
  path: string,
  { expression, message = '', messageExpression = '', reason }: Validation,
  environment: Environment,
  messages: Environment,
): Errors {
  const blank = (field: string, text: string) =>
    when(text !== '' && text.trim() === '', invalid(`${path}.${field}`, text, 'must be non-empty if specified'));
  return [
    ...expressionErrors(`${path}.expression`, expression, environment, 'bool'),
    ...blank('messageExpression', messageExpression),
    ...(messageExpression.trim() === ''
      ? []
      : expressionErrors(`${path}.messageExpression`, messageExpression, messages, 'string')),
    ...blank('message', message),
    ...when(message.trim().includes('\n'), invalid(`${path}.message`, message, 'must not contain line breaks')),
    ...optionalOneOf(`${path}.reason`, reason, reasons),
  ];
}

/** `type`: what it must evaluate to. Default: anything. */
function expressionErrors(path: string, text: string, environment: Environment, type?: string): Errors {
  if (text.trim() === '') return [required(path, 'expression is not specified')];
  const problem = problemOf(compiledIn(environment, text), type);
  return problem === undefined ? [] : [invalid(path, text, problem)];
}

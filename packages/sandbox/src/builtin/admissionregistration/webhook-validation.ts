import { dns1035LabelErrors, dns1123SubdomainErrors, portNumberErrors, qualifiedNameErrors } from '@isthmus/machinery';
import type { Environment } from '@isthmus/schema/cel';
import { admissionScope, compiledIn } from './expressions.ts';
import { problemOf } from './match-conditions.ts';
import type { MatchCondition, Webhook, WebhookRule } from './webhook-configuration.ts';
import type { Errors } from '../field-checks.ts';
import { labelSelector, optionalOneOf, problems, requiredText, when } from '../field-checks.ts';
import { duplicate, invalid, notSupported, required, tooMany } from '../field-rules.ts';

/** The errors of the webhooks of a configuration (admissionregistration.k8s.io/v1). */
export function webhooksErrors(webhooks: readonly Webhook[]): Errors {
  const names = new Set<string>();
  return webhooks.flatMap((webhook, index) => {
    const path = `webhooks[${index}]`;
    const repeated = names.has(webhook.name);
    names.add(webhook.name);
    return [
      ...webhookErrors(path, webhook),
      ...reviewVersionErrors(`${path}.admissionReviewVersions`, webhook.admissionReviewVersions ?? []),
      ...when(repeated && webhook.name !== '', duplicate(`${path}.name`, webhook.name)),
    ];
  });
}

const sideEffects = ['None', 'NoneOnDryRun'];

function webhookErrors(path: string, webhook: Webhook): Errors {
  const { timeoutSeconds, sideEffects: effects } = webhook;
  return [
    ...requiredText(`${path}.name`, webhook.name, qualifiedDomain),
    ...(webhook.rules ?? []).flatMap((rule, index) => ruleErrors(`${path}.rules[${index}]`, rule)),
    ...optionalOneOf(`${path}.failurePolicy`, webhook.failurePolicy, ['Fail', 'Ignore']),
    ...optionalOneOf(`${path}.matchPolicy`, webhook.matchPolicy, ['Equivalent', 'Exact']),
    ...(effects === undefined || effects === null
      ? [required(`${path}.sideEffects`, `must specify one of ${sideEffects.join(', ')}`)]
      : optionalOneOf(`${path}.sideEffects`, effects, sideEffects)),
    ...when(
      timeoutSeconds !== undefined && (timeoutSeconds > 30 || timeoutSeconds < 1),
      invalid(`${path}.timeoutSeconds`, timeoutSeconds, 'the timeout value must be between 1 and 30 seconds'),
    ),
    ...labelSelector(`${path}.namespaceSelector`, webhook.namespaceSelector),
    ...labelSelector(`${path}.objectSelector`, webhook.objectSelector),
    ...optionalOneOf(`${path}.reinvocationPolicy`, webhook.reinvocationPolicy, ['IfNeeded', 'Never']),
    ...clientErrors(`${path}.clientConfig`, webhook.clientConfig),
    ...conditionErrors(`${path}.matchConditions`, webhook.matchConditions ?? []),
  ];
}

function qualifiedDomain(path: string, name: string): Errors {
  const wrong = problems(
    path,
    name,
    dns1123SubdomainErrors(name).map((why) => why.replace(/ bytes$/, ' characters')),
  );
  if (wrong.length > 0) return wrong;
  return when(
    name.split('.').length < 3,
    invalid(path, name, 'should be a domain with at least three segments separated by dots'),
  );
}

const operations = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];

/** The errors of a rule of webhooks and policies. */
export function ruleErrors(path: string, rule: WebhookRule): Errors {
  const alone = (field: 'operations' | 'apiGroups' | 'apiVersions', others: string): Errors => {
    const list = rule[field] ?? [];
    if (list.length === 0) return [required(`${path}.${field}`)];
    const crowded = list.length > 1 && list.includes('*');
    return when(crowded, invalid(`${path}.${field}`, list, `if '*' is present, must not specify other ${others}`));
  };
  return [
    ...alone('operations', 'operations'),
    ...(rule.operations ?? []).flatMap((one, index) =>
      when(!operations.includes(one), notSupported(`${path}.operations[${index}]`, one, operations)),
    ),
    ...alone('apiGroups', 'API groups'),
    ...alone('apiVersions', 'API versions'),
    ...(rule.apiVersions ?? []).flatMap((one, index) => when(one === '', required(`${path}.apiVersions[${index}]`))),
    ...resourceErrors(`${path}.resources`, rule.resources ?? []),
    ...optionalOneOf(`${path}.scope`, rule.scope, ['*', 'Cluster', 'Namespaced']),
  ];
}

function resourceErrors(path: string, resources: readonly string[]): Errors {
  if (resources.length === 0) return [required(path)];
  const all = new Set<string>();
  const everywhere = new Set<string>();
  const errors = resources.flatMap((each, index) => {
    if (each === '') return [required(`${path}[${index}]`)];
    const slash = each.indexOf('/');
    if (slash < 0) return [];
    const [resource, subresource] = [each.slice(0, slash), each.slice(slash + 1)];
    const wrong = [
      ...when(
        all.has(resource),
        invalid(`${path}[${index}]`, each, `if '${resource}/*' is present, must not specify ${each}`),
      ),
      ...when(
        everywhere.has(subresource),
        invalid(`${path}[${index}]`, each, `if '*/${subresource}' is present, must not specify ${each}`),
      ),
    ];
    if (subresource === '*') all.add(resource);
    if (resource === '*') everywhere.add(subresource);
    return wrong;
  });
  const lastWhole = resources.findLast((each) => each !== '' && !each.includes('/'));
  return [
    ...errors,
    ...when(
      resources.length > 1 && resources.includes('*/*'),
      invalid(path, resources, "if '*/*' is present, must not specify other resources"),
    ),
    ...when(
      resources.includes('*') && lastWhole !== undefined && lastWhole !== '*',
      invalid(path, resources, "if '*' is present, must not specify other resources without subresources"),
    ),
  ];
}

function clientErrors(path: string, { url, service }: Webhook['clientConfig']): Errors {
  if ((url === undefined) === (service === undefined)) {
    return [required(path, 'exactly one of url or service is required')];
  }
  if (url !== undefined) return urlErrors(`${path}.url`, url);
  const { name = '', namespace = '', port = 443, path: target = '' } = service ?? {};
  const wrongPort = portNumberErrors(port);
  // The real server's messages swap the two names.
  return [
    ...when(namespace === '', required(`${path}.service.name`)),
    ...when(name === '', required(`${path}.service.namespace`)),
    ...when(wrongPort.length > 0, invalid(`${path}.service.port`, port, `port is not valid: ${wrongPort.join(', ')}`)),
    ...servicePathErrors(`${path}.service.path`, target),
  ];
}

function urlErrors(path: string, text: string): Errors {
  const form = '; desired format: https://host[/path]';
  const [, scheme = '', authority = '', query = '', fragment = ''] =
    /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\/\/([^/?#]*))?[^?#]*(?:\?([^#]*))?(?:#(.*))?$/.exec(text) ?? [];
  const at = authority.lastIndexOf('@');
  const user = at < 0 ? '' : authority.slice(0, at);
  const host = authority.slice(at + 1);
  return [
    ...when(scheme !== 'https', invalid(path, scheme, `'https' is the only allowed URL scheme${form}`)),
    ...when(host === '', invalid(path, host, `host must be specified${form}`)),
    ...when(user !== '', invalid(path, user, 'user information is not permitted in the URL')),
    ...when(fragment !== '', invalid(path, fragment, 'fragments are not permitted in the URL')),
    ...when(query !== '', invalid(path, query, 'query parameters are not permitted in the URL')),
  ];
}

function servicePathErrors(path: string, target: string): Errors {
  if (target === '' || target === '/') return [];
  if (target === '//') return [invalid(path, target, 'segment[0] may not be empty')];
  const steps = target.slice(1).replace(/\/$/, '').split('/');
  return [
    ...when(!target.startsWith('/'), invalid(path, target, "must start with a '/'")),
    ...steps.flatMap((step, index) =>
      step === ''
        ? [invalid(path, target, `segment[${index}] may not be empty`)]
        : problems(
            path,
            target,
            dns1123SubdomainErrors(step).map((why) => `segment[${index}]: ${why}`),
          ),
    ),
  ];
}

const maxConditions = 64;

/** The errors of `matchConditions`. */
export function conditionErrors(
  path: string,
  conditions: readonly MatchCondition[],
  environment?: Environment,
): Errors {
  if (conditions.length === 0) return [];
  const known = environment ?? admissionScope({ isStrict: true }).environment;
  const names = conditions.map(({ name }) => name);
  return [
    ...when(conditions.length > maxConditions, tooMany(path, conditions.length, maxConditions)),
    ...conditions.flatMap(({ expression }, index) => {
      const name = names[index] ?? '';
      const wrong = qualifiedNameErrors(name);
      return [
        ...expressionErrors(`${path}[${index}].expression`, expression, known),
        ...(name === '' ? [required(`${path}[${index}].name`)] : problems(`${path}[${index}].name`, name, wrong)),
        ...when(name !== '' && names.indexOf(name) < index, duplicate(`${path}[${index}].name`, name)),
      ];
    }),
  ];
}

function expressionErrors(path: string, expression: string, environment: Environment): Errors {
  if (expression.trim() === '') return [required(path)];
  const problem = problemOf(compiledIn(environment, expression), 'bool');
  return problem === undefined ? [] : [invalid(path, expression, problem)];
}

function reviewVersionErrors(path: string, versions: readonly string[]): Errors {
  if (versions.length === 0) return [required(path, 'must specify one of v1, v1beta1')];
  const known = versions.includes('v1') || versions.includes('v1beta1');
  return [
    ...versions.flatMap((version, index) =>
      versions.indexOf(version) < index
        ? [invalid(`${path}[${index}]`, version, 'duplicate version')]
        : problems(`${path}[${index}]`, version, dns1035LabelErrors(version)),
    ),
    ...when(!known, invalid(path, versions, 'must include at least one of v1, v1beta1')),
  ];
}

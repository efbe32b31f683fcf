import { formatFieldErrors } from '@isthmus/schema';
import { describe, expect, it } from 'vitest';
import { webhooksErrors } from './webhook-validation.ts';
import type { Webhook, WebhookRule } from './webhook-configuration.ts';

const rule: WebhookRule = {
  operations: ['CREATE'],
  apiGroups: [''],
  apiVersions: ['v1'],
  resources: ['pods'],
  scope: '*',
};
const webhook = (more: object = {}): Webhook => ({
  name: 'a.example.com',
  clientConfig: { url: 'https://hook.example/' },
  rules: [rule],
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  ...more,
});
/** Each error as the server tells it, without the path of the only webhook. */
const told = (...webhooks: readonly Webhook[]) =>
  webhooksErrors(webhooks).map((error) => formatFieldErrors([error]).replace(/^webhooks\[0\]\./, ''));
const of = (more: object) => told(webhook(more));
const ofRule = (more: object) => of({ rules: [{ ...rule, ...more }] }).map((text) => text.replace('rules[0].', ''));

describe('a webhook', () => {
  it.each<readonly [string, object, readonly string[]]>([
    ['that is complete', {}, []],
    ['without a name', { name: '' }, ['name: Required value']],
    [
      'of two segments',
      { name: 'a.b' },
      ['name: Invalid value: "a.b": should be a domain with at least three segments separated by dots'],
    ],
    [
      'of a name that is no domain',
      { name: 'A.b.c' },
      [expect.stringMatching(/^name: Invalid value: "A\.b\.c": a lowercase RFC 1123 subdomain/)],
    ],
    [
      'of a name that is too long',
      { name: `${'a'.repeat(250)}.b.c` },
      [expect.stringMatching(/must be no more than 253 characters$/)],
    ],
    [
      'of a policy that is none',
      { failurePolicy: 'Retry' },
      ['failurePolicy: Unsupported value: "Retry": supported values: "Fail", "Ignore"'],
    ],
    [
      'of a match that is none',
      { matchPolicy: 'Some' },
      ['matchPolicy: Unsupported value: "Some": supported values: "Equivalent", "Exact"'],
    ],
    [
      'without its side effects',
      { sideEffects: undefined },
      ['sideEffects: Required value: must specify one of None, NoneOnDryRun'],
    ],
    [
      'of side effects',
      { sideEffects: 'Some' },
      ['sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"'],
    ],
    [
      'of no time',
      { timeoutSeconds: 0 },
      ['timeoutSeconds: Invalid value: 0: the timeout value must be between 1 and 30 seconds'],
    ],
    ['of the least time', { timeoutSeconds: 1 }, []],
    ['of the most time', { timeoutSeconds: 30 }, []],
    [
      'of too much time',
      { timeoutSeconds: 31 },
      ['timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds'],
    ],
    [
      'of a reinvocation that is none',
      { reinvocationPolicy: 'Always' },
      ['reinvocationPolicy: Unsupported value: "Always": supported values: "IfNeeded", "Never"'],
    ],
    [
      'for no versions of reviews',
      { admissionReviewVersions: [] },
      ['admissionReviewVersions: Required value: must specify one of v1, v1beta1'],
    ],
    ['for an old version of reviews', { admissionReviewVersions: ['v1beta1'] }, []],
    [
      'for a version of reviews that nobody sends',
      { admissionReviewVersions: ['v2'] },
      ['admissionReviewVersions: Invalid value: ["v2"]: must include at least one of v1, v1beta1'],
    ],
    ['for a version beside one that is sent', { admissionReviewVersions: ['v2', 'v1'] }, []],
    [
      'for a version twice',
      { admissionReviewVersions: ['v1', 'v1'] },
      ['admissionReviewVersions[1]: Invalid value: "v1": duplicate version'],
    ],
    [
      'for a version that is no name',
      { admissionReviewVersions: ['v1', 'V_1'] },
      [expect.stringMatching(/^admissionReviewVersions\[1\]: Invalid value: "V_1": a DNS-1035 label/)],
    ],
    [
      'with a selector that is none',
      { objectSelector: { matchExpressions: [{ key: 'a', operator: 'Near' }] } },
      [expect.stringMatching(/^objectSelector\.matchExpressions\[0\]\.operator: /)],
    ],
    [
      'with a selector of Namespaces that is none',
      { namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'Near' }] } },
      [expect.stringMatching(/^namespaceSelector\.matchExpressions\[0\]\.operator: /)],
    ],
  ])('%s', (_, more, expected) => {
    expect(of(more)).toEqual(expected);
  });

  it('has a name of its own', () => {
    expect(told(webhook(), webhook({ name: 'b.example.com' }), webhook())).toEqual([
      'webhooks[2].name: Duplicate value: "a.example.com"',
    ]);
    expect(told(webhook({ name: '' }), webhook({ name: '' }))).toEqual([
      'name: Required value',
      'webhooks[1].name: Required value',
    ]);
  });
});

describe('a rule', () => {
  it.each<readonly [string, object, readonly string[]]>([
    ['without operations', { operations: [] }, ['operations: Required value']],
    ['without groups', { apiGroups: undefined }, ['apiGroups: Required value']],
    ['without versions', { apiVersions: [] }, ['apiVersions: Required value']],
    ['of an empty version', { apiVersions: [''] }, ['apiVersions[0]: Required value']],
    ['of the empty group', { apiGroups: [''] }, []],
    [
      'of an operation that is none',
      { operations: ['CREATE', 'READ'] },
      ['operations[1]: Unsupported value: "READ": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"'],
    ],
    [
      'of all operations, and one',
      { operations: ['*', 'CREATE'] },
      [`operations: Invalid value: ["*","CREATE"]: if '*' is present, must not specify other operations`],
    ],
    ['of all operations alone', { operations: ['*'] }, []],
    [
      'of all groups, and one',
      { apiGroups: ['apps', '*'] },
      [`apiGroups: Invalid value: ["apps","*"]: if '*' is present, must not specify other API groups`],
    ],
    [
      'of all versions, and one',
      { apiVersions: ['v1', '*'] },
      [`apiVersions: Invalid value: ["v1","*"]: if '*' is present, must not specify other API versions`],
    ],
    [
      'of a scope that is none',
      { scope: 'All' },
      ['scope: Unsupported value: "All": supported values: "*", "Cluster", "Namespaced"'],
    ],
  ])('%s', (_, more, expected) => {
    expect(ofRule(more)).toEqual(expected);
  });

  it.each<readonly [readonly string[], readonly string[]]>([
    [[], ['resources: Required value']],
    [['pods', 'pods/log', '*/status'], []],
    [['pods', ''], ['resources[1]: Required value']],
    [['*', 'pods/log'], []],
    [['*', ''], ['resources[1]: Required value']],
    [
      ['*', 'pods'],
      [
        `resources: Invalid value: ["*","pods"]: if '*' is present, must not specify other resources without subresources`,
      ],
    ],
    [['pods', '*'], []],
    [['*/*'], []],
    [
      ['*/*', 'pods'],
      [`resources: Invalid value: ["*/*","pods"]: if '*/*' is present, must not specify other resources`],
    ],
    [['pods/*', 'pods'], []],
    [
      ['pods/*', 'pods/log'],
      [`resources[1]: Invalid value: "pods/log": if 'pods/*' is present, must not specify pods/log`],
    ],
    [
      ['*/status', 'pods/status'],
      [`resources[1]: Invalid value: "pods/status": if '*/status' is present, must not specify pods/status`],
    ],
    [['pods/status', '*/status'], []],
    [['*/status', 'pods/log'], []],
  ])('of the resources %j', (resources, expected) => {
    expect(ofRule({ resources })).toEqual(expected);
  });
});

describe('the address of a webhook', () => {
  const form = '; desired format: https://host[/path]';
  const at = (clientConfig: object) => of({ clientConfig }).map((text) => text.replace('clientConfig', ''));

  it.each<readonly [string, readonly string[]]>([
    ['https://hook.example:8443/path', []],
    ['http://hook.example/', [`.url: Invalid value: "http": 'https' is the only allowed URL scheme${form}`]],
    [
      'hook.example',
      [
        `.url: Invalid value: "": 'https' is the only allowed URL scheme${form}`,
        `.url: Invalid value: "": host must be specified${form}`,
      ],
    ],
    ['https:///path', [`.url: Invalid value: "": host must be specified${form}`]],
    [
      'https://user:word@hook.example/',
      ['.url: Invalid value: "user:word": user information is not permitted in the URL'],
    ],
    ['https://@hook.example/', []],
    ['https://hook.example/#a', ['.url: Invalid value: "a": fragments are not permitted in the URL']],
    ['https://hook.example/?a=b', ['.url: Invalid value: "a=b": query parameters are not permitted in the URL']],
  ])('%s', (url, expected) => {
    expect(at({ url })).toEqual(expected);
  });

  const service = { name: 'hook', namespace: 'system' };
  const one = [': Required value: exactly one of url or service is required'];
  it.each<readonly [string, object, readonly string[]]>([
    ['none', {}, one],
    ['both', { url: 'https://hook.example/', service }, one],
    ['a Service', { service }, []],
    [
      'a Service without a name: the server names the other field',
      { service: { ...service, name: '' } },
      ['.service.namespace: Required value'],
    ],
    ['a Service without a Namespace: the same', { service: { name: 'hook' } }, ['.service.name: Required value']],
    [
      'a port that is none',
      { service: { ...service, port: 0 } },
      ['.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive'],
    ],
  ])('%s', (_, config, expected) => {
    expect(at(config)).toEqual(expected);
  });

  it.each<readonly [string, readonly string[]]>([
    ['', []],
    ['/', []],
    ['/a/b/', []],
    ['//', ['.service.path: Invalid value: "//": segment[0] may not be empty']],
    [
      'a',
      [
        `.service.path: Invalid value: "a": must start with a '/'`,
        '.service.path: Invalid value: "a": segment[0] may not be empty',
      ],
    ],
    ['/a//b', ['.service.path: Invalid value: "/a//b": segment[1] may not be empty']],
    [
      '/a/B',
      [
        expect.stringMatching(
          /^\.service\.path: Invalid value: "\/a\/B": segment\[1\]: a lowercase RFC 1123 subdomain/,
        ),
      ],
    ],
  ])('a Service with the path %j', (path, expected) => {
    expect(at({ service: { ...service, path } })).toEqual(expected);
  });
});

describe('the conditions of a webhook', () => {
  const condition = (more: object = {}) => ({ name: 'c', expression: 'true', ...more });
  const conditions = (...matchConditions: readonly object[]) => of({ matchConditions });

  it.each<readonly [string, readonly object[], readonly string[]]>([
    ['that are valid', [condition(), condition({ name: 'd' })], []],
    ['without a name', [condition({ name: '' })], ['matchConditions[0].name: Required value']],
    [
      'of a name that is none',
      [condition({ name: 'a b' })],
      [expect.stringMatching(/^matchConditions\[0\]\.name: Invalid value: "a b": /)],
    ],
    ['of the same name', [condition(), condition()], ['matchConditions[1].name: Duplicate value: "c"']],
    [
      'of no name twice',
      [condition({ name: '' }), condition({ name: '' })],
      ['matchConditions[0].name: Required value', 'matchConditions[1].name: Required value'],
    ],
    ['without an expression', [condition({ expression: ' ' })], ['matchConditions[0].expression: Required value']],
    [
      'of an expression that is none',
      [condition({ expression: 'x' })],
      [expect.stringMatching(/^matchConditions\[0\]\.expression: Invalid value: "x": /)],
    ],
  ])('%s', (_, list, expected) => {
    expect(conditions(...list)).toEqual(expected);
  });

  it('are at most 64', () => {
    const many = (count: number) =>
      conditions(...Array.from({ length: count }, (_, at) => condition({ name: `c${at}` })));
    expect(many(64)).toEqual([]);
    expect(many(65)).toEqual(['matchConditions: Too many: 65: must have at most 64 items']);
  });
});

import { describe, expect, it } from 'vitest';
import { Authorizer } from '@isthmus/schema/cel';
import { admissionScope, compiledIn } from './expressions.ts';
import { conditionMatcher, problemOf } from './match-conditions.ts';

const review = {
  uid: 'u',
  kind: { group: '', version: 'v1', kind: 'ConfigMap' },
  name: 'x',
  namespace: 'shop',
  operation: 'UPDATE',
  userInfo: { username: 'alice', groups: ['dev'], extra: { team: ['a'] } },
  object: { metadata: { name: 'x', labels: { a: '1' } }, data: { k: 'w' } },
  oldObject: { metadata: { name: 'x' }, data: { k: 'v' } },
  dryRun: false,
  options: { kind: 'UpdateOptions', fieldManager: 'm' },
};
const of = (...expressions: readonly string[]) => expressions.map((expression, at) => ({ name: `c${at}`, expression }));

const scope = admissionScope();
const mayGet = new Authorizer(({ verb }) => ({ allowed: verb === 'get', reason: 'so' }), {
  group: '',
  resource: 'pods',
});
const asked = (request: object) => ({ review: request, authorizer: mayGet, namespace: undefined });

/** Whether all hold, or the error. */
function matched(expressions: readonly string[], request: object = review) {
  try {
    return conditionMatcher(() => scope)(of(...expressions), asked(request));
  } catch (error) {
    return (error as Error).message;
  }
}

describe('conditions', () => {
  it.each<readonly [string, boolean]>([
    ["object.data.k == 'w'", true],
    ["oldObject.data.k == 'v'", true],
    ['object.data.k == oldObject.data.k', false],
    ["request.operation == 'UPDATE'", true],
    ["request.name == 'x' && request.namespace == 'shop'", true],
    ["request.kind.kind == 'ConfigMap'", true],
    ["request.userInfo.username == 'alice'", true],
    ["'dev' in request.userInfo.groups", true],
    ["request.userInfo.extra['team'].exists(t, t == 'a')", true],
    ['request.dryRun', false],
    ["request.options.fieldManager == 'm'", true],
    ['has(request.subResource)', false],
    ['namespaceObject == null', true],
    ["authorizer.requestResource.check('get').allowed()", true],
    ["authorizer.group('').resource('pods').check('delete').allowed()", false],
    ["authorizer.path('/x').check('get').reason() == 'so'", true],
  ])('of a request: %s is %s', (expression, expected) => {
    expect(matched([expression])).toBe(expected);
  });

  it.each<readonly [string, object, boolean]>([
    ['object == null', { ...review, object: null }, true],
    ['oldObject == null', { ...review, oldObject: undefined }, true],
    ['oldObject == null', review, false],
  ])('know of objects that are missing: %s', (expression, request, expected) => {
    expect(matched([expression], request)).toBe(expected);
  });

  const missing = 'object.data.missing == 1';
  const told = (expression: string, why: string) => `expression '${expression}' resulted in error: ${why}`;
  it.each<readonly [string, readonly string[], unknown]>([
    ['none', [], true],
    ['all of which hold', ['true', 'true'], true],
    ['of which one does not', ['true', 'false'], false],
    ['of which one fails', ['true', missing], told(missing, 'no such key: missing')],
    ['of which one fails, and a later one decides', [missing, 'false'], false],
    ['of which one fails, and an earlier one has decided', ['false', missing], false],
    [
      'of which two fail',
      [missing, 'object.data.other == 1'],
      `[${told(missing, 'no such key: missing')}, ${told('object.data.other == 1', 'no such key: other')}]`,
    ],
    ['of which one gives a text', ["'true'"], false],
  ])('%s', (_, expressions, expected) => {
    expect(matched(expressions)).toBe(expected);
  });

  it('that do not compile fail, each time', () => {
    const matches = conditionMatcher(() => scope);
    const odd = of('odd');
    for (let time = 0; time < 2; time++)
      expect(() => matches(odd, asked(review))).toThrow(/^compilation error: compilation failed: /);
    expect(matches(of('true'), asked(review))).toBe(true);
  });

  it('of one webhook share their budget', () => {
    const list = Array.from({ length: 200 }, (_, at) => at);
    const request = { ...review, object: { list } };
    const costly = 'object.list.all(a, object.list.all(b, a + b >= 0))';
    expect(matched([costly], request)).toBe(true);
    expect(
      matched(
        Array.from({ length: 40 }, () => costly),
        request,
      ),
    ).toMatch(/cost/);
  });
});

describe('an expression', () => {
  it.each<readonly [string, string | undefined]>([
    ["object.data.k == 'w'", undefined],
    ['authorizer.group("").resource("pods").check("get").allowed()', undefined],
    [
      'authorizer.group("").resource("pods").check("get")',
      'must evaluate to bool but got kubernetes.authorization.Decision',
    ],
    ["'text'", 'must evaluate to bool but got string'],
    ['1', 'must evaluate to bool but got int'],
    ['[1]', 'must evaluate to bool but got list(int)'],
    ['[]', 'must evaluate to bool but got list(dyn)'],
    ['optional.of(1)', 'must evaluate to bool but got optional_type(int)'],
  ])('%s is a condition, or not: %s', (expression, problem) => {
    expect(problemOf(compiledIn(scope.environment, expression), 'bool')).toBe(problem);
  });

  it.each(['odd', 'request.odd', '1 +', 'notauthorizer == 1'])('%s does not compile', (expression) => {
    expect(problemOf(compiledIn(scope.environment, expression), 'bool')).toMatch(/^compilation failed: /);
  });
});

import { describe, expect, it } from 'vitest';
import { kubernetesEnvironment } from './environment.ts';
import { CostExceeded, compileExpression } from './expression.ts';

const environment = kubernetesEnvironment().registerVariable('self', 'dyn').registerVariable('numbers', 'list<int>');

function evaluate(text: string, variables: Readonly<Record<string, unknown>> = {}, left = 1_000_000): unknown {
  const compiled = compileExpression(environment, text);
  if (!compiled.ok) throw new Error(compiled.problem);
  return compiled.expression.evaluate(variables, { left });
}

describe('an expression of CEL as Kubernetes has it', () => {
  it.each([
    "'hello'.charAt(4) == 'o' && 'héllo😀'.substring(5) == '😀' && 'a😀b'.indexOf('b') == 2",
    "'ÄB'.lowerAscii() == 'Äb' && ' x '.trim() == 'x' && ['a', 'b'].join('-') == 'a-b'",
    "'abab'.replace('a', 'c', 1) == 'cbab' && 'a,b'.split(',') == ['a', 'b'] && 'abcb'.lastIndexOf('b') == 3",
    "'abc 123'.find('[0-9]+') == '123' && 'a1b2'.findAll('[0-9]', 1) == ['1'] && 'x'.matches('(?i)X')",
    "'baaac'.findAll('a*') == ['', 'aaa', ''] && 'abba'.findAll('a|b*') == ['a', 'bb', 'a'] && 'ab'.findAll('x*') == ['', '', '']",
    "matches('é', '^\\\\pL$') && '%s|%d|%.2f|%x|%b|%%'.format(['a', 7, 1.5, 255, 5]) == 'a|7|1.50|ff|101|%'",
    "[1, 2, 2].isSorted() && ['b', 'a'].min() == 'a' && [1.5, 2.0].sum() == 3.5 && [3, 1].sort() == [1, 3]",
    '[1, 2, 1].distinct() == [1, 2] && [1, 2].reverse() == [2, 1] && [1, 2, 3].slice(1, 2) == [2]',
    "[[1], [2]].flatten(1) == [1, 2] && optional.ofNonZeroValue('a').value() == 'a' && !optional.ofNonZeroValue([]).hasValue()",
    "optional.of([1]) == optional.of([1]) && optional.of('a') != optional.of('b') && {'a': 1}.?a != optional.none()",
    "b'a' < b'b' && b'ab' >= b'a' && !(b'b' <= b'a') && b'b' > b'a' && int(7u) == 7",
    "timestamp('2026-01-01T00:00:00Z') != null && !(duration('1s') == null)",
    "optional.of(1) != null && !(null == optional.none()) && format.dns1123Label().validate('a') != null",
    "quantity('1') != null && ip('::1') != null && null != cidr('10.0.0.0/8') && url('https://a') != null && format.uuid() != null",
    '[1].first().value() == 1 && lists.range(3) == [0, 1, 2] && [1, 2].indexOf(3) == -1',
    'sets.contains([1, 2], [2]) && sets.equivalent([1, 2], [2, 1, 1]) && !sets.intersects([1], [2])',
    "ip('::1').isLoopback() && ip('10.0.0.1').family() == 4 && !isIP('10.0.0.01') && !ip.isCanonical('::0001')",
    "cidr('10.1.2.3/8').masked().ip() == ip('10.0.0.0') && cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16')",
    "quantity('1Gi').isGreaterThan(quantity('1G')) && quantity('500m').add(quantity('0.5')).asInteger() == 1",
    "!isQuantity('x') && sign(quantity('-1k')) == -1 && quantity('1').compareTo(quantity('1000m')) == 0",
    "url('https://a:80/b?c=d&c=e').getPort() == '80' && url('/x').getHost() == '' && !isURL('x')",
    "url('https://a/b?c=d&c=e').getQuery()['c'] == ['d', 'e'] && url('https://[::1]:1/').getHostname() == '::1'",
    "format.dns1123Label().validate('A').hasValue() && !format.named('uuid').value().validate('x').value().isSorted() == false",
    "[5, 6].all(i, v, v - i == 5) && {'a': 1}.exists(k, v, k == 'a' && v == 1) && [1, 1].exists_one(i, v, i == 1)",
    "[1, 2].transformList(i, v, i > 0, v * 2) == [4] && {'a': 1}.transformMap(k, v, v + 1)['a'] == 2",
    "timestamp('2020-01-01T00:00:00Z') + duration('1h') == timestamp('2020-01-01T01:00:00Z')",
    "string(timestamp('2020-01-01T00:00:00Z')) == '2020-01-01T00:00:00Z' && string(duration('90s')) == '90s'",
    '1 / 0 == 1 || true',
    "type(1) == int && dyn(1) == 1.0 && has({'a': {'b': 1}}.a.b)",
    "optional.of(1).orValue(2) == 1 && {'a': 1}[?'b'].orValue(3) == 3",
  ])('%s', (text) => {
    expect(evaluate(text)).toBe(true);
  });

  it.each([
    ["'a'.matches('(' + '')", 'error parsing regexp: `(`'],
    ['[1][2] == 1', 'index out of bounds: 2'],
    ["{'a': 1}['b'] == 1", 'no such key: b'],
    ['1 / 0 == 1 && 1 % 0 == 1', 'division by zero'],
    ['numbers.max() == 1', 'max called on empty list'],
    ['int(18446744073709551615u) == 1', 'integer overflow'],
  ])('%s fails: %s', (text, why) => {
    expect(() => evaluate(text, { numbers: [] })).toThrow(why);
  });

  it.each([
    ['a loop within a loop', 'numbers.all(a, numbers.all(b, a == b || true))'],
    ['a loop of failing steps', 'numbers.all(a, numbers.exists(b, 1 / 0 == a) || 1 / 0 == 1)'],
    ['loops that collect', 'numbers.map(a, numbers.map(b, numbers.map(c, c))).size() == 0'],
    ['loops over keys and values', 'numbers.all(i, v, numbers.all(j, w, numbers.all(k, x, true)))'],
    [
      'lists that double',
      `numbers${'.map(x, x)'.repeat(1)}.size() == 0 || [numbers]${'.map(x, x + x)'.repeat(40)}[0].size() == 0`,
    ],
    ['a pattern in a loop', "numbers.all(x, self.all(s, !s.matches('(a|b)*c')))"],
    ['a pattern that is made anew each time', "numbers.all(x, !'a'.matches(string(x) + '(a{30}){30}'))"],
    ['a large pattern in a loop', "self.all(s, s.matches('(a?){500}a{500}') || true)"],
    ['a large pattern, called by its other name', "self.all(s, matches(s, '(a?){500}a{500}') || true)"],
    ['a search that begins again at each character', "self.all(s, s.findAll('a.*z|a').size() > 0)"],
    ['a list whose items are compared with each other', 'lists.range(300000).distinct().size() > 0'],
    ['sets that are compared', 'sets.equivalent(lists.range(200000), lists.range(200000).reverse())'],
    ['lists out of nothing', 'numbers.all(x, lists.range(100000).size() > 0)'],
    ['texts that grow', `self${".map(s, s.replace('', s))".repeat(4)}.size() > 0`],
    ['texts that are joined by long ones', "numbers.map(n, 'x').join(self.join('')).size() > 0"],
    ['lists that are compared', 'numbers.all(x, numbers == numbers && x in numbers || true)'],
  ])('%s is ended by the budget', (_, text) => {
    const list = Array.from({ length: 10_000 }, (_, index) => BigInt(index));
    const self = Array.from({ length: 1000 }, () => 'ab'.repeat(100));
    expect(() => evaluate(text, { numbers: list, self }, 100_000)).toThrow(CostExceeded);
  });

  it('a loop over 10,000 items is within the budget', () => {
    const list = Array.from({ length: 10_000 }, (_, index) => BigInt(index));
    expect(evaluate('numbers.all(x, x >= 0) && numbers.map(x, x + 1).sum() > 0', { numbers: list })).toBe(true);
  });

  it('and so is a pattern for each of them, and a long text', () => {
    const list = Array.from({ length: 10_000 }, (_, index) => BigInt(index));
    const label = "numbers.all(x, string(x).matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'))";
    expect(evaluate(label, { numbers: list })).toBe(true);
    expect(evaluate("self.all(s, s.matches('^[a-z]*$'))", { self: ['a'.repeat(100_000)] })).toBe(true);
  });
});

import type { JsonSchema } from '../../json-schema.ts';

const text: JsonSchema = { type: 'string', maxLength: 5 };

/** An object with a rule, and fields of several types. */
export function ruledObject(rules: readonly string[]): JsonSchema {
  return {
    type: 'object',
    properties: {
      s: text,
      i: { type: 'integer' },
      o: { type: 'object', properties: { s: text } },
      l: { type: 'array', maxItems: 5, items: text },
    },
    'x-kubernetes-validations': rules.map((rule) => ({ rule, message: 'no' })),
  };
}

/** Rules that a real API server accepts and that do not compile here. */
export const acceptedElsewhere: readonly string[] = [
  "semver(self.s).major() == 1 && isSemver('1.2.3')",
  '[3, 1].sortBy(x, x) == [1, 3]',
  'self.l.transformMapEntry(i, x, {x: i}) != {}',
  "[?self.?s] == ['a']",
  "{?'a': self.?s} != {}",
  "br'a' == b'a'",
  'google.protobuf.Int64Value{value: 1} == 1',
  '.5 < 1.0',
  '(self.i > 1 ? null : self.o) == null',
  "int(duration('1s')) == 1",
  "[duration('1s')].sum() == duration('1s')",
  "[optional.of('a'), optional.none()].unwrapOpt() == ['a']",
];

/** Rules of a size that API servers and this compiler accept, by what they are. */
export const largest: Readonly<Record<string, string>> = {
  '250 numbers in a sum': `${'1 + '.repeat(249)}1 > 0`,
  '250 comparisons in a row': `true${' == true'.repeat(250)}`,
  '249 calls in a row': `'a'${'.trim()'.repeat(249)} == 'a'`,
  '249 lists in each other': `${'['.repeat(249)}1${']'.repeat(249)}.size() == 1`,
  '249 parentheses': `${'('.repeat(249)}true${')'.repeat(249)}`,
  '1,000 conditions': Array(1_000).fill('true').join(' && '),
  '100,000 characters': `'${'x'.repeat(99_992)}' != ''`,
};

/** Expressions that are too large for every API server. */
export const tooLarge: Readonly<Record<string, string>> = {
  '251 numbers in a sum': `${'1 + '.repeat(250)}1 > 0`,
  '251 comparisons in a row': `true${' == true'.repeat(251)}`,
  '100,001 characters': `'${'x'.repeat(99_993)}' != ''`,
};

/** Expressions that API servers accept and that are too large for this compiler. */
export const largerElsewhere: Readonly<Record<string, string>> = {
  '5,000 conditions': Array(5_000).fill('true').join(' && '),
};

/** Rules that no API server accepts. */
export const refusedEverywhere: readonly string[] = [
  "self.nothing == 'a'",
  "nothing == 'a'",
  'nothing(1)',
  "self.i == 'a'",
  'self.s + 1 == self.s',
  '[1][self.s] == 1',
  'self.s && true',
  'self.i.all(x, true)',
  'self.i.all(x, i, true)',
  "self.s == 'a",
  "self.s = 'a'",
  "self.s == ? 'a' : 'b'",
  '(',
  "self.s == 'a' 'b'",
  '1 & 1',
  "self.`s` == 'a'",
  'math.greatest(1, self.i) == 1',
  "duration('a') == duration('1s')",
  "timestamp('2026-02-30T00:00:00Z') == timestamp('2026-01-01T00:00:00Z')",
  "int('a') == 1",
  '9223372036854775808 == 1',
  "self.s.matches('(')",
  "self.s.find('[') == 'a'",
  '[1, null].size() == 1',
  '[1, dyn(1)].size() == 1',
  "{'a': 1}[1] == 1",
  'self.?nothing == optional.none()',
  'self[?"s"] == optional.none()',
  '[1].flatten() == [1]',
  "quantity('1').x == 1",
  'self.i.optMap(x, x) == optional.none()',
  "'%q'.format([1]) == 'a'",
  "'%d'.format([self.s]) == 'a'",
  'cel.bind(x, 1, x) == 1',
];

const values: readonly string[] = [
  '1',
  '1u',
  '1.5',
  "'a'",
  'true',
  "b'a'",
  '[1]',
  "['a']",
  "{'a': 1}",
  "{1: 'a'}",
  'null',
  "duration('1s')",
  "timestamp('2026-01-01T00:00:00Z')",
  'optional.of(1)',
  "quantity('1')",
  'self.s',
  'self.o',
  'self.l',
];
const operators = '== != < <= > >= + - * / % in && ||'.split(' ');
const functions = 'int uint double string bool bytes dyn type duration timestamp size'.split(' ');
const methods =
  'size sum min max isSorted distinct reverse sort first last flatten trim lowerAscii upperAscii join hasValue value'.split(
    ' ',
  );
const questions = 'startsWith endsWith contains matches find indexOf lastIndexOf join split charAt or orValue'.split(
  ' ',
);

const macros: readonly string[] = [
  'all(x, true)',
  'exists(x, true)',
  'exists_one(x, true)',
  'map(x, x)',
  'map(x, true, x)',
  'filter(x, true)',
  'all(i, x, true)',
  'exists(i, x, true)',
  'existsOne(i, x, true)',
  'transformList(i, x, x)',
  'transformMap(i, x, x)',
  'optMap(x, x)',
  'optFlatMap(x, optional.of(x))',
];
const ofTimes =
  'getFullYear getMonth getDate getDayOfYear getDayOfMonth getDayOfWeek getHours getMinutes getSeconds getMilliseconds'.split(
    ' ',
  );
const ofAddresses = [
  ...'family isCanonical isUnspecified isLoopback isGlobalUnicast isLinkLocalUnicast ip masked prefixLength'.split(' '),
  ...'getScheme getHost getHostname getPort getEscapedPath getQuery isInteger asInteger asApproximateFloat sign'.split(
    ' ',
  ),
];
const ofPairs = 'add sub isGreaterThan isLessThan compareTo containsIP containsCIDR findAll validate'.split(' ');
const ofOne = 'ip isIP cidr isCIDR url isURL quantity isQuantity format.named optional.ofNonZeroValue'.split(' ');
const ofTwo = 'sets.contains sets.equivalent sets.intersects ip.isCanonical'.split(' ');
const special: readonly string[] = [
  ...values,
  "ip('10.0.0.1')",
  "cidr('10.0.0.0/8')",
  "url('https://a.b')",
  'format.dns1123Label()',
  '[[1]]',
  '[]',
  '{}',
  'dyn(1)',
];

/** Texts in functions that read them when they compile, and literals of several types. */
const literalRules: readonly string[] = [
  ...['1s', '1', 'a', '', '-1h', '1d', '1.5h', '9999999h'].map((text) => `duration('${text}') == duration('1s')`),
  ...['2026-01-01T00:00:00Z', '2026-01-01', 'a', '', '0000-01-01T00:00:00Z', '2026-02-30T00:00:00Z'].map(
    (text) => `timestamp('${text}') == timestamp('2026-01-01T00:00:00Z')`,
  ),
  ...['a', '(', '[', '*', 'a{2', '(?=a)', '\\\\pL', ''].flatMap((text) =>
    ['matches', 'find', 'findAll'].map((name) => `[self.s.${name}('${text}')].size() == 1`),
  ),
  ...["ip('a')", "cidr('a')", "url('a')", "quantity('a')", "int('a')", "uint('-1')", "double('a')", "bool('a')"].map(
    (text) => `[${text}].size() == 1`,
  ),
  ...["'%d'.format(['a'])", "'%s'.format([])", "'%q'.format([1])", "'%'.format([1])", "'%s'.format(1)"].map(
    (text) => `${text} == 'a'`,
  ),
  ...['9223372036854775808', '-9223372036854775809', '0x1F', '1e400', '1u', '-1u', '18446744073709551616u'].map(
    (text) => `[${text}].size() == 1`,
  ),
  ...[
    'size(self)',
    'self.size()',
    'self == self',
    'has(self)',
    'has(self.s)',
    'has(self.o.s.x)',
    'has(self.nothing)',
  ].map((text) => `[${text}].size() == 1`),
  ...["'a'.charAt(1, 2)", "'a'.substring(1)", "'a'.substring('a')", "'a'.replace('a', 'b')", "'a'.replace(1, 'b')"].map(
    (text) => `[${text}].size() == 1`,
  ),
  ...['self.l[0]', "self.l['a']", 'self.l[?0]', 'self[?"s"]', 'self["s"]', 'self.?s', 'self.?nothing', 'self.s.?x'].map(
    (text) => `[${text}].size() == 1`,
  ),
  ...[
    'self.l.all(self, true)',
    'self.l.all(x.y, true)',
    'self.l.all(1, true)',
    'self.l.all(x, 1)',
    'self.l.map(x, 1)',
  ].map((text) => `[${text}].size() == 1`),
  ...['int', 'string', 'type(1)', 'null_type', 'list', 'map', 'optional_type', 'int32', 'object'].map(
    (text) => `[${text}].size() == 1`,
  ),
  ...[
    'cel.bind(x, 1, x)',
    'cel.bind(x, 1, y)',
    'math.abs(1)',
    'strings.quote("a")',
    'lists.range(3)',
    'base64.encode(b"a")',
  ].map((text) => `[${text}].size() == 1`),
  '1',
  "'a'",
  'null',
  'dyn(true)',
  'optional.of(true)',
  '[]',
  'self',
  'self.s',
  'self.s ? true : false',
];

/** Every operator, conversion, macro and common method with values of every type. */
export const typeRules: readonly string[] = [
  ...literalRules,
  ...special.flatMap((a) =>
    special.flatMap((b) => [
      `[true ? ${a} : ${b}].size() == 1`,
      `[[${a}, ${b}]].size() == 1`,
      `[{'a': ${a}, 'b': ${b}}].size() == 1`,
      `[${a}[${b}]].size() == 1`,
    ]),
  ),
  // A real API server 1.36.3 ends the connection for a map literal whose key is of bytes.
  ...special.filter((a) => a !== "b'a'").map((a) => `[{${a}: 1}].size() == 1`),
  ...special.flatMap((a) => [`[${a}.x].size() == 1`, `[has(${a}.x)].size() == 1`, `[${a}.?x].size() == 1`]),
  ...macros.flatMap((macro) => special.map((a) => `[${a}.${macro}].size() == 1`)),
  ...[...ofTimes, ...ofAddresses].flatMap((name) => special.map((a) => `[${a}.${name}()].size() == 1`)),
  ...ofPairs.flatMap((name) =>
    special.flatMap((a) =>
      ['1', "'a'", "quantity('1')", "ip('10.0.0.1')"].map((b) => `[${a}.${name}(${b})].size() == 1`),
    ),
  ),
  ...ofOne.flatMap((name) => special.map((a) => `[${name}(${a})].size() == 1`)),
  ...ofTwo.flatMap((name) =>
    special.flatMap((a) => ['[1]', "['a']", "'a'"].map((b) => `[${name}(${a}, ${b})].size() == 1`)),
  ),
  ...operators.flatMap((op) => values.flatMap((a) => values.map((b) => `[${a} ${op} ${b}].size() == 1`))),
  ...functions.flatMap((name) => values.map((a) => `[${name}(${a})].size() == 1`)),
  ...values.flatMap((a) => [`[-${a}].size() == 1`, `[!${a}].size() == 1`]),
  ...methods.flatMap((name) => values.map((a) => `[${a}.${name}()].size() == 1`)),
  ...questions.flatMap((name) =>
    values.flatMap((a) => ['1', "'a'", 'optional.of(1)'].map((b) => `[${a}.${name}(${b})].size() == 1`)),
  ),
];

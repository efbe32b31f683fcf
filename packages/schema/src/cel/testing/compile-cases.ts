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

/** Every operator, conversion and common method with values of every type. */
export const typeRules: readonly string[] = [
  ...operators.flatMap((op) => values.flatMap((a) => values.map((b) => `[${a} ${op} ${b}].size() == 1`))),
  ...functions.flatMap((name) => values.map((a) => `[${name}(${a})].size() == 1`)),
  ...values.flatMap((a) => [`[-${a}].size() == 1`, `[!${a}].size() == 1`]),
  ...methods.flatMap((name) => values.map((a) => `[${a}.${name}()].size() == 1`)),
  ...questions.flatMap((name) =>
    values.flatMap((a) => ['1', "'a'", 'optional.of(1)'].map((b) => `[${a}.${name}(${b})].size() == 1`)),
  ),
];

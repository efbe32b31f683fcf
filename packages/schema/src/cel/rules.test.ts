import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../json-schema.ts';
import { ruleErrors } from './rule-errors.ts';
import { compileRules } from './rules.ts';

const text: JsonSchema = { type: 'string', maxLength: 63 };
const int: JsonSchema = { type: 'integer' };
const listener: JsonSchema = {
  type: 'object',
  properties: { name: text, port: int, hostname: text, path: { type: 'object', properties: { value: text } } },
};
const properties: Readonly<Record<string, JsonSchema>> = {
  type: text,
  listeners: {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name'],
    maxItems: 64,
    items: listener,
  },
  one: { type: 'array', items: text },
  two: { type: 'array', items: text },
  n: int,
  map: { type: 'object', additionalProperties: text },
  share: { 'x-kubernetes-int-or-string': true },
  maybe: { type: 'string', nullable: true },
  first: listener,
  wait: { type: 'string', format: 'duration' },
  namespace: text,
};
const spec = {
  type: 'X',
  listeners: [
    { name: 'a', port: 80, path: { value: '/' } },
    { name: 'b', port: 81 },
  ],
  one: ['a'],
  two: ['b'],
  n: 3,
  map: { k: 'v' },
  share: '5%',
  maybe: null,
  first: { name: 'z', port: 1 },
  wait: '1m30s',
  namespace: 'kept',
};

function judge(rule: string, change: object = {}): readonly string[] {
  const schema: JsonSchema = {
    type: 'object',
    properties: { spec: { type: 'object', properties, 'x-kubernetes-validations': [{ rule }] } },
  };
  expect(ruleErrors(schema, 'schema')).toEqual([]);
  const { errors = [] } = compileRules(schema)?.judge({ spec: { ...spec, ...change } }, { spec }) ?? {};
  return errors.map(({ detail }) => detail);
}

describe('a rule sees a custom resource by its schema', () => {
  it.each([
    'self.listeners.all(a, self.listeners.exists_one(b, a.name == b.name && (!has(a.hostname) || a.hostname == b.hostname)))',
    "!(has(self.first.path) && has(self.first.path.value)) || self.type == 'Y'",
    "self.type.matches(r'^[A-Z]\\d*$') && self.type.matches('''^[A-Z]$''')",
    'self.listeners == oldSelf.listeners && self.first == oldSelf.first && self.first != null',
    'self.listeners.map(x, x.port).isSorted() && self.listeners.map(x, x.port).sum() == 161',
    "self.listeners[0].path.value.startsWith('/') && has(self.listeners[0].path) && !has(self.listeners[1].path)",
    "type(self.share) == string && string(self.share) == '5%'",
    "self.type in ['X', 'Y'] && !(self.type in self.one) && (self.one + self.two) == ['a', 'b']",
    "self.wait > duration('1m') && duration('90s') == self.wait",
    "self.?first.?path.?value.orValue('x') == 'x' && !self.?first.path.value.hasValue()",
    "dyn(self.one).all(i, i == 'a') && dyn(self.first).name == 'z' && has(self.first.name) && dyn(self.one)[0] == 'a'",
    "self.map.k == 'v' && self.map['k'] == 'v' && 'k' in self.map && self.map.all(k, self.map[k] == 'v')",
    "self.?type.optMap(t, t == 'X').orValue(false)",
    "self.namespace == 'kept' && self.__namespace__ == 'kept'",
    'dyn(self.maybe) == null || self.maybe.size() > 0',
  ])('%s', (rule) => {
    expect(judge(rule, { n: 4 })).toEqual([]);
    expect(judge(`!(${rule})`, { n: 4 })).toHaveLength(1);
  });

  it.each(["self['n'] == 3", "self.first['name'] == 'z'", "self.listeners.all(l, l['name'] != '')"])(
    '%s does not compile: only maps have keys',
    (rule) => {
      const schema: JsonSchema = {
        type: 'object',
        properties: { spec: { type: 'object', properties, 'x-kubernetes-validations': [{ rule }] } },
      };
      expect(ruleErrors(schema, 'schema')).toMatchObject([
        { detail: expect.stringContaining("found no matching overload for '_[_]' applied to") },
      ]);
    },
  );

  it.each([
    ['is broken', "self != 'a'", [], 1],
    ['cannot be evaluated', "duration(self) > duration('1m')", ['evaluating rule'], 0],
    ['looks at what was before', "self != oldSelf + 'x' && self != oldSelf", ['failed rule'], 0],
  ])(
    'an update that leaves a part as it was is judged by a rule that %s, as an API server does it',
    (_, rule, errors, warnings) => {
      const schema: JsonSchema = {
        type: 'object',
        properties: { a: { ...text, 'x-kubernetes-validations': [{ rule }] }, b: text },
      };
      const found = compileRules(schema)?.judge({ a: 'a', b: '1' }, { a: 'a', b: '2' });
      expect(found?.errors.map(({ detail }) => detail)).toEqual(errors.map((part) => expect.stringContaining(part)));
      expect(found?.warnings).toHaveLength(warnings);
    },
  );

  it('ends the judgement where all rules together cost too much', () => {
    const rows: JsonSchema = {
      type: 'array',
      items: {
        type: 'array',
        items: int,
        'x-kubernetes-validations': [{ rule: 'self.all(a, self.all(b, a == b || true))' }],
      },
    };
    const row = Array.from({ length: 300 }, (_, index) => index);
    const found = compileRules({ type: 'object', properties: { rows } })?.judge({
      rows: Array.from({ length: 200 }, () => row),
    });
    expect(found?.errors.map(({ detail }) => detail)).toEqual([
      'validation failed due to running out of cost budget, no further validation rules will be run',
    ]);
  });
});

/**
 * Made-up changes of schemas with objects that were accepted under the old one: what every rule
 * about values is held to a real API server by. Seeded: the same seed makes the same triples.
 */
import type { Json, JsonSchema } from '@isthmus/schema';
import type { Random } from '@isthmus/machinery';

export interface Triple {
  /** What changes, as `enum`. */
  readonly kind: string;
  readonly old: JsonSchema;
  readonly next: JsonSchema;
  /** Accepted under the old schema. */
  readonly value: Json;
  /** The same with another value of `touch`, which is beside the part that changes its meaning. */
  readonly touched: Json;
  /** The same with another value of the part; accepted under the old schema as well. */
  readonly changed: Json;
}

interface Part {
  readonly old: JsonSchema;
  readonly next: JsonSchema;
  readonly value: Json;
}

const text: JsonSchema = { type: 'string' };
const open: JsonSchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/** `count` triples, the kinds of change in turn, each at a random depth with random values. */
export function madeUpTriples(count: number, random: Random): readonly Triple[] {
  const names = Object.keys(kinds).toSorted();
  return Array.from({ length: count }, (_, index) => {
    const kind = names[index % names.length] ?? 'enum';
    const make = kinds[kind] ?? plain;
    const { old, next, value } = make(random);
    const wrap = wrapping(random, kind === 'transition rule' ? ['object', 'keyed'] : wraps);
    const schema = (part: JsonSchema) => object({ part: wrap.schema(part), touch: text });
    const valueOf = (part: Json, touch: string) => ({ part: wrap.value(part), touch });
    return {
      kind,
      old: schema(old),
      next: schema(next),
      value: valueOf(value, 'a'),
      touched: valueOf(value, 'b'),
      changed: valueOf(make(random).value, 'a'),
    };
  });
}

function pick<T>(random: Random, values: readonly [T, ...T[]]): T {
  return values[Math.floor(random.next() * values.length)] ?? values[0];
}

function number(random: Random, least: number, most: number): number {
  return least + Math.floor(random.next() * (most - least + 1));
}

const wraps: Wraps = ['object', 'list', 'keyed', 'map'];
type Wraps = readonly ['object', ...('list' | 'keyed' | 'map')[]];

/** What a part is put into. */
interface Wrapping {
  schema(part: JsonSchema): JsonSchema;
  value(part: Json): Json;
}

/** These are limited, so that rules in them cost little enough. */
const wrappings: Readonly<Record<Wraps[number], Wrapping>> = {
  object: { schema: (p) => object({ p }), value: (p) => ({ p }) },
  list: { schema: (p) => ({ ...list(p), maxItems: 9 }), value: (p) => [p] },
  keyed: {
    schema: (p) => ({
      ...list({ ...object({ k: text, p }), required: ['k'] }),
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
      maxItems: 9,
    }),
    value: (p) => [{ k: 'a', p }, { k: 'b' }],
  },
  map: {
    schema: (p) => ({ type: 'object', additionalProperties: p, maxProperties: 9 }),
    value: (p) => ({ 'a.b': p }),
  },
};

/** Objects, lists and maps around a part, at most two deep. */
function wrapping(random: Random, among: Wraps): Wrapping {
  const around = Array.from({ length: number(random, 0, 2) }, () => wrappings[pick(random, among)]);
  return {
    schema: (part) => around.reduce((inner, { schema }) => schema(inner), part),
    value: (part) => around.reduce((inner: Json, { value }) => value(inner), part),
  };
}

const plain = (): Part => ({ old: text, next: text, value: 'a' });

function object(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: 'object', properties };
}

const words = ['a', 'ab', 'abc', 'b', '10.0.0.1', '2026-01-01'] as const;

/** By what changes. Each makes a value that the old schema accepts and the new one may refuse. */
const kinds: Readonly<Record<string, (random: Random) => Part>> = {
  enum: (random) => {
    const old = ['a', 'b', 'c'] as const;
    return {
      old: { type: 'string', enum: old },
      next: { type: 'string', enum: pick(random, [['a'], ['a', 'b'], ['c', 'd']]) },
      value: pick(random, old),
    };
  },
  'enum introduced': (random) => ({
    old: text,
    next: { type: 'string', enum: ['a', 'ab'] },
    value: pick(random, words),
  }),
  minimum: (random) => ({
    old: { type: 'integer' },
    next: { type: 'integer', minimum: number(random, -2, 4) },
    value: number(random, -3, 5),
  }),
  maximum: (random) => ({
    old: { type: 'number' },
    next: { type: 'number', maximum: number(random, 0, 3), exclusiveMaximum: random.next() < 0.5 },
    value: number(random, 0, 3),
  }),
  multipleOf: (random) => ({
    old: { type: 'integer' },
    next: { type: 'integer', multipleOf: number(random, 1, 3) },
    value: number(random, 0, 6),
  }),
  maxLength: (random) => ({
    old: text,
    next: { type: 'string', maxLength: number(random, 1, 3) },
    value: pick(random, words),
  }),
  minLength: (random) => ({
    old: text,
    next: { type: 'string', minLength: number(random, 1, 3) },
    value: pick(random, words),
  }),
  pattern: (random) => ({
    old: text,
    next: { type: 'string', pattern: pick(random, ['^a', 'b$', '^[a-z]+$']) },
    value: pick(random, words),
  }),
  format: (random) => ({
    old: text,
    next: { type: 'string', format: pick(random, ['ipv4', 'date', 'cidr', 'uuid', 'unheard-of']) },
    value: pick(random, words),
  }),
  nullable: (random) => ({
    old: { type: 'string', nullable: true },
    next: random.next() < 0.5 ? text : { type: 'string', default: 'x' },
    value: pick<Json>(random, [null, 'a']),
  }),
  type: (random) => ({
    old: { type: 'integer' },
    next: pick<JsonSchema>(random, [
      text,
      { type: 'number' },
      { 'x-kubernetes-int-or-string': true },
      { type: 'boolean' },
    ]),
    value: number(random, 0, 9),
  }),
  'int-or-string': (random) => ({
    old: { 'x-kubernetes-int-or-string': true },
    next: pick<JsonSchema>(random, [text, { type: 'integer' }]),
    value: pick<Json>(random, ['1', 1]),
  }),
  required: (random) => ({
    old: object({ x: text, y: text }),
    next: { ...object({ x: random.next() < 0.3 ? { type: 'string', default: 'd' } : text, y: text }), required: ['x'] },
    value: pick<Json>(random, [{ x: 'a' }, { y: 'a' }, {}]),
  }),
  'property removed': (random) => ({
    old: object({ x: text, y: text }),
    next: object({ x: text }),
    value: pick<Json>(random, [{ x: 'a' }, { x: 'a', y: 'b' }]),
  }),
  maxItems: (random) => ({
    old: list(text),
    next: { ...list(text), maxItems: number(random, 0, 3) },
    value: wordsOf(random),
  }),
  minItems: (random) => ({
    old: list(text),
    next: { ...list(text), minItems: number(random, 0, 3) },
    value: wordsOf(random),
  }),
  set: (random) => ({
    old: list(text),
    next: { ...list(text), 'x-kubernetes-list-type': 'set' },
    value: pick<Json>(random, [['a', 'a'], ['b', 'b'], ['a', 'b'], wordsOf(random)]),
  }),
  keyed: (random) => {
    const items = { ...object({ k: text, v: text }), required: ['k'] };
    const next: JsonSchema = { ...list(items), 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] };
    return { old: list(items), next, value: wordsOf(random).map((k, index) => ({ k, v: String(index) })) };
  },
  'keyed, of items that may lack the key': (random) => {
    const items = object({ k: text, v: text });
    const keys = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] } as const;
    const next: JsonSchema = { ...list({ ...items, required: ['k'] }), ...keys };
    return {
      old: list(items),
      next,
      value: pick<Json>(random, [[{}], [{ k: 'a' }, { v: 'x' }], [{ k: 'a', v: 'x' }]]),
    };
  },
  maxProperties: (random) => {
    const map: JsonSchema = { type: 'object', additionalProperties: text };
    return {
      old: map,
      next: { ...map, maxProperties: number(random, 0, 2) },
      value: Object.fromEntries(wordsOf(random).map((key) => [key, 'x'])),
    };
  },
  'values of a map': (random) => {
    const map = (values: JsonSchema): JsonSchema => ({ type: 'object', additionalProperties: values });
    return {
      old: map(text),
      next: map({ type: 'string', maxLength: 2 }),
      value: Object.fromEntries(wordsOf(random).map((key) => [key, pick(random, words)])),
    };
  },
  preserving: (random) => ({
    old: open,
    next: object({ x: text }),
    value: pick<Json>(random, [{ x: 'a' }, { x: 1 }, { y: { z: 1 } }]),
  }),
  embedded: (random) => ({
    old: open,
    next: { ...open, 'x-kubernetes-embedded-resource': true },
    value: pick<Json>(random, [
      { apiVersion: 'v1', kind: 'Pod' },
      { kind: 'Pod' },
      { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'Not A Name' } },
      { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a/b' } },
      { apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'a', labels: { a: 'b' } } },
      { apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'A' } },
      { apiVersion: 'a/b/c', kind: 'pod' },
      { apiVersion: 'v1', kind: '1' },
    ]),
  }),
  anyOf: (random) => ({
    old: text,
    next: { type: 'string', anyOf: [{ maxLength: 1 }, { pattern: '^b' }] },
    value: pick(random, words),
  }),
  oneOf: (random) => ({
    old: object({ x: text, y: text }),
    next: { ...object({ x: text, y: text }), oneOf: [{ required: ['x'] }, { required: ['y'] }] },
    value: pick<Json>(random, [{ x: 'a' }, { x: 'a', y: 'b' }, {}]),
  }),
  not: (random) => ({ old: text, next: { type: 'string', not: { enum: ['a', 'b'] } }, value: pick(random, words) }),
  allOf: (random) => ({
    old: text,
    next: { type: 'string', allOf: [{ maxLength: 2 }, { minLength: 2 }] },
    value: pick(random, words),
  }),
  rule: (random) => ({
    old: { type: 'string', maxLength: 20 },
    next: { type: 'string', maxLength: 20, 'x-kubernetes-validations': [{ rule: "self.startsWith('a')" }] },
    value: pick(random, words),
  }),
  'rule over fields': (random) => ({
    old: object({ x: { type: 'integer' }, y: { type: 'integer' } }),
    next: {
      ...object({ x: { type: 'integer' }, y: { type: 'integer' } }),
      'x-kubernetes-validations': [{ rule: '!has(self.x) || !has(self.y) || self.x <= self.y' }],
    },
    value: { x: number(random, 0, 3), y: number(random, 0, 3) },
  }),
  'transition rule': (random) => ({
    old: { type: 'integer' },
    next: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] },
    value: number(random, 0, 3),
  }),
};

function list(items: JsonSchema): JsonSchema {
  return { type: 'array', items };
}

function wordsOf(random: Random): string[] {
  return Array.from({ length: number(random, 0, 3) }, () => pick(random, words));
}

import type { JsonSchema, ValidationRule } from '../../json-schema.ts';

/**
 * Rules, and how many of them one object may have. A real API server accepts them in a list of
 * `fits` items. It rejects them in a list of `exceeds` items, with a factor that shows their
 * estimated cost. `fits` is 0 for a rule that is rejected in any list.
 */
export type CostCase = readonly [rule: string | ValidationRule, fits: number, exceeds: number];

/** A schema whose rules are `rules`, each on the items of a list of `times`. */
export function itemsWith(times: number, ...rules: readonly (string | ValidationRule)[]): JsonSchema {
  const rows: JsonSchema = {
    type: 'array',
    maxItems: times,
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['id'],
    items: { type: 'object', required: ['id'], properties, ...ruled(...rules) },
  };
  return { type: 'object', properties: { spec: { type: 'object', properties: { rows } } } };
}

function ruled(...rules: readonly (string | ValidationRule)[]): JsonSchema {
  return { 'x-kubernetes-validations': rules.map((rule) => (typeof rule === 'string' ? { rule } : rule)) };
}

const properties: Readonly<Record<string, JsonSchema>> = {
  id: { type: 'string', maxLength: 8 },
  n: {
    type: 'integer',
  },
  m: {
    type: 'integer',
  },
  d: {
    type: 'number',
  },
  b: {
    type: 'boolean',
  },
  s: {
    type: 'string',
    maxLength: 50,
  },
  u: {
    type: 'string',
  },
  e: {
    type: 'string',
    enum: ['one', 'three'],
  },
  by: {
    type: 'string',
    format: 'byte',
    maxLength: 30,
  },
  ts: {
    type: 'string',
    format: 'date-time',
  },
  dd: {
    type: 'string',
    format: 'date',
  },
  du: {
    type: 'string',
    format: 'duration',
  },
  l: {
    type: 'array',
    maxItems: 10,
    items: {
      type: 'integer',
    },
  },
  ll: {
    type: 'array',
    maxItems: 10,
    items: {
      type: 'array',
      maxItems: 7,
      items: {
        type: 'string',
        maxLength: 9,
      },
    },
  },
  sl: {
    type: 'array',
    maxItems: 6,
    items: {
      type: 'string',
      maxLength: 20,
    },
  },
  ul: {
    type: 'array',
    items: {
      type: 'string',
    },
  },
  ol: {
    type: 'array',
    maxItems: 5,
    items: {
      type: 'object',
      required: ['k'],
      properties: {
        k: {
          type: 'string',
          maxLength: 12,
        },
        v: {
          type: 'integer',
        },
        w: {
          type: 'array',
          maxItems: 3,
          items: {
            type: 'string',
            maxLength: 4,
          },
        },
      },
    },
  },
  ms: {
    type: 'object',
    maxProperties: 8,
    additionalProperties: {
      type: 'string',
      maxLength: 15,
    },
  },
  ml: {
    type: 'object',
    maxProperties: 8,
    additionalProperties: {
      type: 'array',
      maxItems: 4,
      items: {
        type: 'integer',
      },
    },
  },
  um: {
    type: 'object',
    additionalProperties: {
      type: 'string',
    },
  },
  o: {
    type: 'object',
    properties: {
      p: {
        type: 'string',
        maxLength: 8,
      },
      q: {
        type: 'object',
        properties: {
          r: {
            type: 'string',
          },
          'x-y': {
            type: 'string',
            maxLength: 3,
          },
        },
      },
    },
  },
  ios: {
    'x-kubernetes-int-or-string': true,
  },
  iosm: {
    'x-kubernetes-int-or-string': true,
    maxLength: 5,
  },
  deep: {
    type: 'object',
    properties: {
      a: {
        type: 'object',
        properties: {
          b: {
            type: 'object',
            properties: {
              c: {
                type: 'array',
                maxItems: 4,
                items: {
                  type: 'object',
                  properties: {
                    m: {
                      type: 'string',
                      maxLength: 60,
                    },
                    g: {
                      type: 'array',
                      maxItems: 2,
                      items: {
                        type: 'array',
                        maxItems: 3,
                        items: {
                          type: 'string',
                          maxLength: 21,
                        },
                      },
                    },
                  },
                },
              },
            },
          },
        },
      },
    },
  },
};

export const costCases: Readonly<Record<string, readonly CostCase[]>> = {
  'numbers and booleans': [
    ['self.n <= self.m', 2000000, 2400000],
    ['!!self.b && !(!self.b)', 1666666, 2000000],
    ['-1 == self.n', 5000000, 6000000],
    ['-self.n == 1', 2500000, 3000000],
    ['self.d > 1.5 || self.n + 1 == 2', 1428571, 1714286],
  ],
  'texts are compared by their lengths': [
    ["self.s == 'abc'", 3333333, 4000000],
    ['self.s == self.u', 416666, 500000],
    ['self.u != self.u', 31, 39],
    ['self.s < self.u', 416666, 500000],
    ["self.e == 'threefold'", 3333333, 4000000],
    ["self.by == b'abc'", 3333333, 4000000],
    ['self.ts == self.ts', 1250000, 1500000],
    ["self.du > duration('1m')", 2500000, 3000000],
    ['self.dd == self.dd', 1666666, 2000000],
  ],
  'functions of texts': [
    ["self.s.startsWith('abcdefghijklmn')", 2500000, 3000000],
    ['self.s.endsWith(self.u)', 31, 39],
    ["self.s.contains('abcdefghijklmnop')", 238095, 285715],
    ['self.u.contains(self.s)', 1, 2],
    ["self.s.matches('^[a-z]+$')", 227272, 272728],
    ["self.u.matches('^a{1,2}(b|c)$')", 7, 10],
    ['matches(self.u, self.u)', 2000000, 2400000],
    ["self.s.find('[a-z]+') == 'b'", 222222, 266667],
    ["self.s.findAll('[a-z]+', 3).all(x, x == 'a')", 11834, 14202],
    ["self.s + self.s == 'ab'", 222222, 266667],
    ['(self.s + self.u).size() > 1', 31, 39],
    ["self.s.split(',').all(x, x == 'a')", 11862, 14235],
    ["self.s.split(',', 2).size() == 3", 227272, 272728],
    ["self.s.replace('', 'abc').startsWith(self.u)", 31, 39],
    ["self.s.replace('a', 'bcd').startsWith(self.u)", 31, 39],
    ["self.s.replace('abc', 'b').startsWith(self.u)", 31, 39],
    ['self.s.lowerAscii().trim().substring(1, 3) == self.s', 119047, 142858],
    ["self.s.charAt(2) == 'a'", 2500000, 3000000],
    ["self.s.indexOf('a') == self.u.lastIndexOf('b')", 31, 39],
    ["'%s-%d'.format([self.s, 5]) == 'a'", 714285, 857143],
    ["self.s.startsWith(strings.quote('a' + self.s))", 114942, 137932],
    ['strings.quote(self.u).startsWith(strings.quote(self.u))', 7, 10],
    ['string(bytes(self.s)).startsWith(string(bytes(self.s)))', 35211, 42254],
  ],
  loops: [
    ['self.l.all(x, x > 0)', 188679, 226416],
    ['self.l.exists(x, x == 2)', 188679, 226416],
    ['self.l.exists_one(x, x == 3)', 294117, 352942],
    ["self.sl.filter(x, x == 'a').all(y, y.startsWith('bbbbbbbbbbbbbbbbbbbbb'))", 68493, 82192],
    ['self.l.map(x, x * 2).sum() < 20', 60975, 73171],
    ['self.l.map(x, x > 1, x * 2).size() == 3', 57142, 68572],
    ['self.sl.all(a, self.sl.all(b, a == b))', 19723, 23669],
    ["self.ul.all(x, x == 'a')", 1, 3],
    ['self.ul.all(a, self.ul.all(b, a == b))', 0, 1],
    ["self.ll.all(r, r.all(c, c.matches('^a$')))", 16313, 19576],
    ["self.ll.map(r, r.join(',')).join(';').size() < 100", 0, 1],
    ['self.ol.all(x, x.w.all(y, y == x.k))', 5120, 6145],
    ['self.ol.exists(x, self.ol.exists(y, x.k == y.k && x.w.exists(z, z in y.w)))', 8417, 10102],
    ["self.ol.map(x, x.k).all(y, y == 'aaaaaaaaaaaaaaa')", 96153, 115385],
    ["self.ms.all(k, self.ms[k] == 'abcdefghijklmno')", 133333, 160000],
    ["self.um.all(k, k.matches('^a$') && self.um[k] == 'a')", 2, 4],
    ['self.ml.all(k, self.ml[k].all(v, v > 1))', 44052, 52864],
    ['self.l.all(i, v, v >= i)', 158730, 190477],
    ["self.sl.transformList(i, v, i > 0, v + 'x').size() == 2", 62893, 75472],
    ["self.ms.transformMap(k, v, v + 'a').all(k, k == 'abc')", 64935, 77923],
    ["self.ms.exists(k, v, k == 'a' && v == 'bbbbbbbbbbbbbbbbbbb')", 149253, 179105],
    ['self.deep.a.b.c.all(x, x.g.exists(y, self.u == x.m))', 325, 391],
    ["self.deep.a.b.c.all(x, x.g.all(y, x.m.startsWith('a') && y.exists(z, z == x.m)))", 0, 1],
  ],
  'lists and maps': [
    ["self.n in self.l && 'a' in self.ms", 588235, 705883],
    ["self.e in ['one', 'two']", 714285, 857143],
    ["self.ll[0][1] == 'a'", 2000000, 2400000],
    ["self.ms['a'] == self.sl[1]", 833333, 1000000],
    ["(self.sl + ['a']).all(x, x.startsWith('abcdefghijklm'))", 178571, 214286],
    ['self.l == [1, 2] && self.sl == self.ul', 555555, 666667],
    ["{'a': self.s}['a'] == 'abcdefghijklmnop'", 285714, 342858],
    ['self.sl.isSorted() && self.l.isSorted()', 147058, 176471],
    ['self.sl.map(x, x).isSorted()', 0, 1],
    ["self.sl.max() == 'a' && self.l.indexOf(3) == 1", 142857, 171429],
    ["self.sl.join(self.s) == 'ab'", 65359, 78432],
    ['self.sl.sort().distinct().size() == self.l.sort().size()', 3438, 4127],
    ['self.l.slice(0, 2) == self.l.reverse()', 256410, 307693],
    ['self.l.slice(5, 2).size() == 1', 0, 1],
    ['self.ll.flatten().size() == 2', 400000, 480000],
    ['lists.range(5).all(x, x > 1)', 238095, 285715],
    ['lists.range(self.n).size() == 2', 0, 1],
    ['sets.contains([1, 2, 3], self.l)', 232558, 279070],
    ['sets.equivalent(self.l, [2, 1]) || sets.intersects(self.ul, self.ul)', 0, 1],
  ],
  'ternaries and optionals': [
    ["self.n > 1 ? self.s == 'a' : self.u == 'b'", 1666666, 2000000],
    ["(self.b ? self.s : self.u) == 'abcdefghijklmnop'", 1666666, 2000000],
    [
      "(self.b ? ['a'] : ['abcdefghijklmnopqrstuvwxyz']).all(x, x.contains('aaaaaaaaaaaaaaaaaaaaaaaa'))",
      588235,
      705883,
    ],
    ['has(self.o.q.r) || has(self.ms.a)', 2000000, 2400000],
    ["self.?o.?p.orValue('x') == 'abc'", 2000000, 2400000],
    ["self.?s.optMap(v, v.startsWith('abcdefghijkl')).orValue(true)", 476190, 571429],
    ['self.?l.optFlatMap(v, v[?0]).orValue(1) == 1', 500000, 600000],
    ["self.?sl.orValue([]).all(x, x == 'a')", 0, 1],
    ['optional.of(self.s).hasValue()', 2500000, 3000000],
  ],
  "Kubernetes' libraries": [
    ["isQuantity(self.s) && quantity(self.s).isLessThan(quantity('1Gi'))", 217391, 260870],
    ["quantity(self.u).add(quantity('1')) == quantity(self.s)", 31, 39],
    ['url(self.s).getHost() == self.s', 222222, 266667],
    ['url(self.s) == url(self.u)', 15, 20],
    ["ip(self.s) == ip('1.2.3.4')", 416666, 500000],
    ["ip(self.s) != ip('1.2.3.4')", 0, 1],
    ['ip.isCanonical(self.s) && isCIDR(self.s)', 156250, 187500],
    ["cidr(self.s).containsIP(self.s) && cidr(self.s).containsCIDR(cidr('10.0.0.0/8'))", 128205, 153847],
    ['cidr(self.s).ip().family() == 4', 400000, 480000],
    ['!format.dns1123Label().validate(self.s).hasValue()', 15503, 18605],
    ["format.named('uri').value().validate(self.u).hasValue()", 0, 2],
    ['self.sl.all(x, isIP(x) && ip(x).family() == 4)', 70921, 85107],
  ],
  'types that are not known': [
    ["type(self.ios) == int ? self.ios < 10 : self.ios.endsWith('%')", 1428571, 1714286],
    ["self.iosm + self.iosm == 'aaaaaaaaaaaaaaaaaaaaa'", 909090, 1090910],
    ['self.iosm < self.iosm', 1666666, 2000000],
    ["dyn(self.sl).all(x, x == 'a')", 357142, 428572],
    ['type(self.ios) == string', 2500000, 3000000],
    ['1 in dyn(self.l)', 769230, 923077],
  ],
  'transitions and messages': [
    ['self.s == oldSelf.s', 416666, 500000],
    ['self.ol.all(x, oldSelf.ol.exists(y, x.k == y.k))', 27932, 33520],
    [{ rule: 'oldSelf.optMap(o, o.s == self.s).orValue(true)', optionalOldSelf: true }, 500000, 600000],
    [{ rule: '!oldSelf.hasValue() || self.s == oldSelf.value().s', optionalOldSelf: true }, 1250000, 1500000],
  ],
  'how large it is what an expression makes': [
    ["self.u.startsWith(self.s.replace('', 'abc'))", 80000, 96000],
    ["self.u.startsWith(self.s.replace('a', 'bcd'))", 96153, 115385],
    ["self.u.startsWith(self.s.replace('abc', 'b'))", 156250, 187500],
    ["self.u.startsWith(self.s.replace(self.e, 'abcdefg'))", 48309, 57972],
    ["self.u.startsWith(self.s.replace(self.s.replace('', 'ab'), 'abcdefghij'))", 53763, 64517],
    ["self.u.startsWith(self.s.replace('abcdef'.replace('abc', 'wxyz'), 'abcdefghij'))", 125000, 150000],
    ["self.u.startsWith(self.s.replace('abcdef'.replace('abc', 'xy'), 'abcdefghij'))", 104166, 125000],
    ["self.u.startsWith(self.s.replace('abcdef'.replace('', 'wxyz'), 'abcdefghij'))", 151515, 181819],
    ["self.u.startsWith(self.s.replace(self.b ? 'ab' : 'abcd', 'abcdefghij'))", 68493, 82192],
    ["self.u.startsWith(self.s.replace('ab' + 'c', 'abcdefghij'))", 89285, 107143],
    ["self.u.startsWith(self.s.replace(strings.quote('ab'), 'abcdefghij'))", 105263, 126316],
    ["self.u.startsWith(self.s.replace(string(b'abcdefgh'), 'abcdefghij'))", 68965, 82759],
    ["self.u.startsWith(self.s.replace(['ab', 'abcd'].join('ef'), 'abcdefghij'))", 0, 1],
    ['self.u.startsWith(strings.quote(self.s))', 153846, 184616],
    ['self.u.startsWith(self.sl.join(self.s))', 33112, 39736],
    ["self.u.startsWith(self.s.find('a'))", 222222, 266667],
    ['self.u.startsWith(url(self.s).getHost())', 0, 1],
    ['self.u.startsWith(self.s.trim())', 227272, 272728],
    ["self.u.startsWith(self.sl.map(x, x + 'abc')[0])", 63694, 76434],
    ["self.u.startsWith(self.sl.filter(x, x != '')[0])", 92592, 111112],
    ["self.u.startsWith((self.b ? ['a'] : ['abcdefghijklmn'])[0])", 588235, 705883],
    ["self.u.startsWith((['a'] + ['abcdefghijklmn'])[0])", 384615, 461539],
    ["self.u.startsWith({'k': 'abcdefghijklmn'}['k'])", 285714, 342858],
    ['self.u.startsWith([self.s][0])', 285714, 342858],
    ["self.u.startsWith(self.sl.transformList(i, v, v + 'abc')[0])", 63694, 76434],
    ["self.u.startsWith(self.ms.transformMap(k, v, v + 'abc')['a'])", 80645, 96775],
    ["self.?o.q.r.orValue('a') == 'b'", 2500000, 3000000],
    ["dyn(self.o).p == 'a'", 3333333, 4000000],
    ['lists.range(-5).size() == 0', 769230, 923077],
    ["dyn(self.sl).join('ab') == self.u", 1428571, 1714286],
    ['self.u.startsWith(dyn(self.s))', 400000, 480000],
    ["self.u.startsWith(self.sl.map(x, x.split('a'))[0][0])", 0, 1],
    ['self.sl.map(x, x.size()).sort().size() == 1', 54945, 65935],
    ["self.s.split('a').sort().size() > 1 && self.s.split('a', 3).distinct().size() > 1", 118, 143],
    ['self.l.slice(2, 9).map(x, x).size() > 1', 80645, 96775],
    ["self.u.startsWith(optional.of(['abcdefghijklmnop']).optMap(v, v[0]).orValue(self.s))", 0, 1],
    ["self.ll.flatten().all(x, x.startsWith('abcdefghijklmn'))", 119047, 142858],
    ['self.u.startsWith(self.ol.map(x, x.k)[0])', 109890, 131869],
    ['self.ol.map(x, x)[0].k == self.u', 31, 39],
    ['self.?n == optional.of(1)', 2500000, 3000000],
    ["self.?s == optional.of('a')", 0, 1],
    ['self.ll.flatten(2).size() == 3', 285714, 342858],
    ["self.u.startsWith(self.s.split('')[0])", 222222, 266667],
    ['self.u == self.ul.map(x, x)[0]', 0, 1],
    ["self.s > self.u || self.s >= 'abcdefghijklmnop' || self.u <= self.s", 192307, 230770],
    ["self.u.startsWith(self.s.replace(url(self.s).getHost(), 'abc'))", 67567, 81082],
    ["self.u.startsWith(['a', 'bcd'].join(self.s))", 0, 1],
  ],
};

const text = (maxLength?: number): JsonSchema => ({ type: 'string', ...(maxLength !== undefined && { maxLength }) });
const list = (items: JsonSchema, maxItems?: number): JsonSchema => ({
  type: 'array',
  items,
  ...(maxItems !== undefined && { maxItems }),
});
const map = (additionalProperties: JsonSchema, maxProperties?: number): JsonSchema => ({
  type: 'object',
  additionalProperties,
  ...(maxProperties !== undefined && { maxProperties }),
});
const spec = (
  fields: Readonly<Record<string, JsonSchema>>,
  ...rules: readonly (string | ValidationRule)[]
): JsonSchema => ({
  type: 'object',
  properties: { spec: { type: 'object', properties: fields, ...(rules.length > 0 && ruled(...rules)) } },
});
const root = (fields: Readonly<Record<string, JsonSchema>>, ...rules: readonly string[]): JsonSchema => ({
  type: 'object',
  properties: { ...fields, spec: { type: 'object' } },
  ...ruled(...rules),
});
const squared = 'self.l.all(a, self.l.all(b, a == b))';
const named = (name: JsonSchema): JsonSchema => ({ type: 'object', properties: { name, generateName: text() } });

/** Schemas as a whole: how often their parts can be there, and what their rules cost together. */
export const costSchemas: Readonly<Record<string, JsonSchema>> = {
  'items of a list without a bound': spec({ l: list({ ...text(10), ...ruled("self.startsWith('abc')") }) }),
  'values of a map without a bound': spec({ m: map({ ...text(10), ...ruled("self.matches('^abc$')") }) }),
  'items of a bounded list within one that is not': spec({
    l: list(list({ ...text(10), ...ruled("self == 'abcdefghijklmnopqrst'") }, 7)),
  }),
  'values of bounded maps within each other': spec({ m: map(map({ ...text(), ...ruled("self != ''") }, 3000), 4000) }),
  'objects are as large as what they need': spec({
    l: list({
      type: 'object',
      required: ['key', 'filled'],
      properties: { key: text(5), filled: { ...text(), default: 'x' } },
      ...ruled('[1, 2, 3].all(x, x > 0)'),
    }),
  }),
  'the smallest bool, number, time, duration, int-or-string': spec({
    b: list({ type: 'boolean', ...ruled('self && self && self && self && self') }),
    n: list({ type: 'integer', ...ruled('self > 1 && self < 7 && self != 3') }),
    t: list({ type: 'string', format: 'date-time', ...ruled('[1, 2, 3, 4, 5, 6].all(x, x > 0)') }),
    d: list({ type: 'string', format: 'date', ...ruled('[1, 2, 3, 4, 5, 6].all(x, x > 0)') }),
    u: list({ type: 'string', format: 'duration', ...ruled('[1, 2, 3].all(x, x > 0)') }),
    p: list({ 'x-kubernetes-int-or-string': true, ...ruled('[1, 2, 3].all(x, x > 0)') }),
  }),
  'a text of nothing, of known values, of long characters': spec({
    z: list({ ...text(0), ...ruled("self.matches('^abc$')") }),
    e: list({ type: 'string', enum: ['a', 'bcd'], ...ruled("self.matches('^abc$')") }),
    c: list({ type: 'string', enum: ['ä', 'bcd€'], ...ruled("self == 'abcdefghijkl'") }),
  }),
  'whole objects within objects have names': spec({
    l: list(
      {
        type: 'object',
        'x-kubernetes-embedded-resource': true,
        'x-kubernetes-preserve-unknown-fields': true,
        ...ruled('self.metadata.name.matches(self.kind)'),
      },
      5,
    ),
  }),
  'the name of an object is bounded only where all names are described': root(
    { metadata: named(text(63)) },
    'self.metadata.name.matches(self.metadata.name)',
  ),
  'the name of an object is bounded': root(
    { apiVersion: text(), kind: text(), metadata: named(text(63)) },
    'self.metadata.name.matches(self.metadata.name)',
  ),
  'rules that cost too much together': spec(
    { l: list(text(100), 2000) },
    ...Array.from({ length: 28 }, (_, index) => `self.l.all(x, x.contains('${'a'.repeat(10 * ((index % 7) + 1))}'))`),
  ),
  'rules and messages that cost too much alone and together': spec(
    { l: list(text(100), 9000) },
    { rule: squared, messageExpression: "self.l.map(x, x + 'abc').join(',')" },
    { rule: 'self.l.size() > 1', messageExpression: "self.l.join(',')" },
  ),
  'a bounded list whose square is too much': spec({ l: list(text(5), 900) }, squared),
  'a factor that is just between two': spec({
    l: list({ type: 'integer', ...ruled('self > 1 || self == 0 || self == 2 || self == 8 || self == 9') }, 2_250_000),
  }),
  'a rule that costs too much beside some that do not compile': spec(
    { l: list(text()) },
    squared,
    'self.none == 1',
    { rule: 'self.none', optionalOldSelf: true },
    { rule: 'true', optionalOldSelf: true },
  ),
  'rules and messages whose types are not known': spec(
    { p: { 'x-kubernetes-int-or-string': true } },
    'self.p',
    'self.p == 1 ? dyn(true) : false',
    { rule: 'self.p == 1', messageExpression: 'self.p' },
    { rule: 'dyn(true) == true', messageExpression: "'a' + dyn('b')" },
  ),
  'a rule whose schema has another mistake': spec(
    { l: { ...list(text()), ...ruled('self.all(a, self.all(b, a == b))') }, p: { type: 'string', pattern: '(' } },
    squared,
  ),
  'a rule above one without form': spec(
    { l: list(text()), n: { type: 'integer', ...ruled({ rule: 'true', message: ' ' }) } },
    squared,
  ),
  'values that may be null are of their types': spec(
    { s: { ...text(10), nullable: true }, o: { type: 'object', nullable: true, properties: { a: text() } } },
    "self.s == null || self.o.a == 'b'",
    'self.o == null || self.o.a == self.o.a',
  ),
  'what CEL does not see': spec(
    {
      a: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      b: { 'x-kubernetes-preserve-unknown-fields': true },
    },
    'self.a.x == 1',
    'self.b == 1',
    'self.a == self.a',
  ),
  'a listener in the style of the Gateway API': spec({
    l: {
      ...list(
        {
          type: 'object',
          required: ['name'],
          properties: { name: text(253), port: { type: 'integer' }, host: text(253) },
        },
        64,
      ),
      ...ruled(
        'self.all(a, self.exists_one(b, a.name == b.name))',
        'self.all(a, self.exists_one(b, a.port == b.port && (has(a.host) && has(b.host) ? a.host == b.host : !has(a.host) && !has(b.host))))',
      ),
    },
  }),
};

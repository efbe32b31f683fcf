import type { CaseApi, Json } from '../case-api.ts';
import { contractArea } from '../contract-case.ts';
import { definitions, redefine, schemaOf, widget, widgets, widgetsPath, withDefinition } from './crd-fixtures.ts';

const int = { type: 'integer' };
const text = { type: 'string', maxLength: 50 };

/** CEL rules of schemas (`x-kubernetes-validations`). */
export const crdCel = contractArea('crd-cel', [
  ...judged(
    'a rule on an object sees its fields',
    { n: int, m: int },
    [{ rule: 'self.n <= self.m' }],
    [{ n: 1, m: 2 }, { n: 3, m: 2 }, { n: 3 }],
  ),
  ...judged('a rule says its message', { n: int }, [{ rule: 'self.n > 5', message: 'n must be above 5' }], [{ n: 1 }]),
  ...judged(
    'a message can be an expression, and the plain message stands in where it fails',
    { n: int, s: text, l: { type: 'array', maxItems: 5, items: text } },
    [
      { rule: 'self.n > 5', messageExpression: '"n is not above 5, s is " + self.s' },
      { rule: 'self.n > 6', message: 'plain', messageExpression: 'self.l[3]' },
      { rule: 'self.n > 7', message: 'plain too', messageExpression: '"  "' },
    ],
    [{ n: 1, s: 'x', l: [] }],
  ),
  ...judged(
    'a rule names its field and its reason',
    { n: int, o: { type: 'object', properties: { p: int } } },
    [
      { rule: 'self.n > 1', reason: 'FieldValueForbidden', fieldPath: '.n', message: 'no' },
      { rule: 'self.n > 2', reason: 'FieldValueRequired', fieldPath: '.o.p', message: 'needed' },
      { rule: 'self.n > 3', reason: 'FieldValueDuplicate', message: 'twice' },
      { rule: 'self.n > 4', reason: 'FieldValueInvalid', fieldPath: ".o['p']", message: 'wrong' },
    ],
    [{ n: 0, o: { p: 1 } }],
  ),
  ...judged(
    'has tells whether a field is there',
    { a: text, b: text },
    [{ rule: 'has(self.a) != has(self.b)', message: 'one of a and b' }],
    [{ a: 'x' }, { a: 'x', b: 'y' }, {}],
  ),
  ...judged(
    'absent fields can be asked for optionally',
    { a: text },
    [{ rule: "self.?a.orValue('none') != 'none'" }],
    [{ a: 'x' }, {}],
  ),
  ...judged(
    'lists are asked as a whole',
    { l: { type: 'array', maxItems: 10, items: int } },
    [
      { rule: 'self.l.all(x, x > 0)', message: 'all above 0' },
      { rule: 'self.l.exists(x, x == 2)', message: 'a 2' },
      { rule: 'self.l.exists_one(x, x == 3)', message: 'one 3' },
      { rule: 'self.l.filter(x, x > 2).size() == 1', message: 'one above 2' },
      { rule: 'self.l.map(x, x * 2).sum() < 20', message: 'sum' },
      { rule: 'self.l.isSorted()', message: 'sorted' },
      { rule: '2 in self.l', message: '2 within' },
      { rule: 'self.l.min() == 1 && self.l.max() == 3', message: 'from 1 to 3' },
    ],
    [{ l: [1, 2, 3] }, { l: [3, 3, 0] }, { l: [] }],
  ),
  ...judged(
    'maps are asked by their keys',
    { m: { type: 'object', maxProperties: 10, additionalProperties: text } },
    [
      { rule: "self.m.all(k, k.startsWith('a'))", message: 'keys begin with a' },
      { rule: "'a' in self.m && self.m['a'] == 'x'", message: 'a is x' },
      { rule: 'self.m.size() < 3', message: 'less than three' },
    ],
    [{ m: { a: 'x' } }, { m: { b: 'y', c: 'z', d: 'w' } }],
  ),
  ...judged(
    'the library of strings',
    { s: text },
    [
      { rule: "self.s.split(',').size() == 3 && self.s.replace(',', '-') == 'a-b-b'", message: 'split and replace' },
      { rule: 'self.s.lowerAscii() == self.s && self.s.upperAscii() != self.s', message: 'lower case' },
      { rule: "self.s.indexOf('b') == 2 && self.s.lastIndexOf('b') == 4", message: 'index' },
      { rule: "self.s.substring(0, 1) == 'a' && self.s.charAt(0) == 'a'", message: 'substring' },
      { rule: "self.s.trim() == self.s && self.s.matches('^[a-z,]+$')", message: 'trim' },
      { rule: "self.s.find('[b-z]') == 'b' && self.s.findAll('b').size() == 2", message: 'find' },
      { rule: "'%s-%d'.format([self.s, 5]) == self.s + '-5'", message: 'format' },
    ],
    [{ s: 'a,b,b' }, { s: 'X y' }, { s: '' }],
  ),
  ...judged(
    'sets, and lists in another order',
    { l: { type: 'array', maxItems: 5, items: int } },
    [
      { rule: 'sets.contains([1, 2, 3], self.l)', message: 'some of 1, 2, 3' },
      { rule: 'sets.equivalent(self.l, [2, 1])', message: '1 and 2' },
      { rule: 'sets.intersects(self.l, [2])', message: 'a 2' },
      { rule: 'self.l.sort() == [1, 2] && self.l.distinct().size() == self.l.size()', message: 'sorted 1 and 2' },
      { rule: 'self.l.slice(0, 2) == [2, 1]', message: 'begins with 2 and 1' },
      { rule: 'self.l.indexOf(1) == 1 && self.l.lastIndexOf(1) == 1', message: 'a 1 at 1' },
    ],
    [{ l: [2, 1] }, { l: [1, 2, 2] }, { l: [7] }],
  ),
  ...judged(
    'comprehensions of two variables see keys and values',
    {
      l: { type: 'array', maxItems: 5, items: int },
      m: { type: 'object', maxProperties: 5, additionalProperties: int },
    },
    [
      { rule: 'self.l.all(i, v, v >= i)', message: 'not below its index' },
      { rule: "self.m.exists(k, v, k == 'a' && v == 1)", message: 'a is 1' },
      { rule: 'self.l.existsOne(i, v, i == v)', message: 'one equal' },
      { rule: 'self.l.transformList(i, v, i > 0, v * i) == [2]', message: 'a product' },
      { rule: "self.m.transformMap(k, v, v + 1) == {'a': 2}", message: 'one more' },
    ],
    [
      { l: [5, 2], m: { a: 1 } },
      { l: [0, 0], m: { b: 1 } },
    ],
  ),
  ...judged(
    'what cannot be evaluated says why',
    { s: text, n: int },
    [
      { rule: 'timestamp(self.s).getFullYear() > 1' },
      { rule: 'int(self.s) > 1' },
      { rule: 'duration(self.s).getHours() > 1' },
      { rule: 'quantity(self.s).isInteger()' },
      { rule: 'ip(self.s).family() == 4' },
      { rule: 'cidr(self.s).prefixLength() == 4' },
      { rule: "url(self.s).getHost() == 'x'" },
      { rule: "self.s.substring(10) == 'a'" },
      { rule: "self.s.charAt(99) == 'a'" },
      { rule: '5 % self.n == 1' },
      { rule: 'optional.none().value() == 1' },
      { rule: '[self.n][3] == 1 || self.n == 1' },
      { rule: "{'a': self.n}['b'] == 1 && self.n == 0" },
      { rule: 'self.n + 9223372036854775807 + 1 > 0' },
    ],
    [{ s: 'xyz', n: 0 }],
  ),
  ...judged(
    'either side of a logical operator may decide',
    { n: int },
    [
      { rule: 'self.n == 0 || 10 / self.n > 1', message: 'left' },
      { rule: '10 / self.n > 1 || self.n == 0', message: 'right' },
      { rule: '!(10 / self.n > 1 && self.n == 1)', message: 'and' },
      { rule: '[self.n].exists(x, 10 / x > 1) || true', message: 'within' },
    ],
    [{ n: 0 }, { n: 20 }],
  ),
  {
    title: 'a rule that costs too much ends the judgement',
    async run(api) {
      const l = {
        type: 'array',
        maxItems: 700,
        items: int,
        'x-kubernetes-validations': [{ rule: 'self.all(a, self.all(b, a == b || true))' }, { rule: 'self.size() < 0' }],
      };
      await withDefinition(api, widgets(api, {}, { schema: schemaOf({ l }) }), async () => {
        const spec = { l: Array.from({ length: 700 }, (_, index) => index) };
        await api.post(widgetsPath(api), widget(api, 'a', { spec }));
        await api.post(widgetsPath(api), widget(api, 'b', { spec: { l: [1, 2] } }));
      });
    },
  },
  {
    title: 'rules are asked of a status that changes',
    async run(api) {
      const status = {
        type: 'object',
        properties: { n: { ...int, 'x-kubernetes-validations': [{ rule: 'self < 5' }] } },
      };
      const { openAPIV3Schema } = schemaOf({ n: int });
      const schema = { openAPIV3Schema: { ...openAPIV3Schema, properties: { ...openAPIV3Schema.properties, status } } };
      await withDefinition(api, widgets(api, {}, { schema, subresources: { status: {} } }), async () => {
        await api.quietly.post(widgetsPath(api), widget(api, 'a', { spec: { n: 1 } }));
        await api.patch(`${widgetsPath(api)}/a/status`, 'merge', { status: { n: 7 } });
        await api.patch(`${widgetsPath(api)}/a/status`, 'merge', { status: { n: 3 } });
      });
    },
  },
  ...judged(
    'the libraries of Kubernetes',
    { s: text, i: text, c: text, q: text, u: text },
    [
      { rule: 'isIP(self.i) && ip(self.i).family() == 4', message: 'an IPv4 address' },
      { rule: "isCIDR(self.c) && cidr(self.c).containsIP('10.0.0.1')", message: 'a CIDR' },
      { rule: "isQuantity(self.q) && quantity(self.q).isLessThan(quantity('1Gi'))", message: 'a quantity' },
      {
        rule: "isURL(self.u) && url(self.u).getScheme() == 'https' && url(self.u).getHost() == 'a.b:80'",
        message: 'a URL',
      },
      { rule: '!format.dns1123Label().validate(self.s).hasValue()', message: 'a label' },
    ],
    [
      { s: 'a', i: '10.0.0.1', c: '10.0.0.0/8', q: '5Mi', u: 'https://a.b:80/c?d=e' },
      { s: 'A', i: 'x', c: '11.0.0.0/8', q: '5Gi', u: 'http://x' },
    ],
  ),
  ...judged(
    'numbers of different types compare',
    { d: { type: 'number' }, n: int },
    [{ rule: 'self.d > self.n && double(self.n) < self.d' }],
    [
      { d: 1.5, n: 1 },
      { d: 1, n: 1 },
    ],
  ),
  ...judged(
    'durations and times are typed by their format',
    { d: { type: 'string', format: 'duration' }, t: { type: 'string', format: 'date-time' } },
    [{ rule: "self.d > duration('1m') && self.t > timestamp('2020-01-01T00:00:00Z')", message: 'longer and later' }],
    [
      { d: '2m', t: '2026-01-01T00:00:00Z' },
      { d: '2s', t: '2026-01-01T00:00:00Z' },
    ],
  ),
  ...judged(
    'an int-or-string is looked at dynamically',
    { p: { 'x-kubernetes-int-or-string': true } },
    [{ rule: "type(self.p) == int ? self.p < 10 : self.p.endsWith('%')", message: 'small or a share' }],
    [{ p: 5 }, { p: 50 }, { p: '5%' }, { p: 'x' }],
  ),
  ...judged(
    'names that CEL reserves are escaped',
    { namespace: text, 'a-b': text, 'c.d': text, 'e/f': text, g__h: text },
    [
      {
        rule: "self.__namespace__ == 'x' && self.a__dash__b == 'x' && self.c__dot__d == 'x' && self.e__slash__f == 'x' && self.g__underscores__h == 'x'",
      },
    ],
    [
      { namespace: 'x', 'a-b': 'x', 'c.d': 'x', 'e/f': 'x', g__h: 'x' },
      { namespace: 'y', 'a-b': 'x', 'c.d': 'x', 'e/f': 'x', g__h: 'x' },
    ],
  ),
  {
    title: 'a rule at the root sees the metadata',
    async run(api) {
      const schema = {
        openAPIV3Schema: {
          ...schemaOf({}).openAPIV3Schema,
          'x-kubernetes-validations': [
            { rule: "self.metadata.name.startsWith('a')" },
            { rule: "self.kind == 'Widget'" },
          ],
        },
      };
      await withDefinition(api, widgets(api, {}, { schema }), async () => {
        await api.post(widgetsPath(api), widget(api, 'a'));
        await api.post(widgetsPath(api), widget(api, 'b'));
      });
    },
  },
  {
    title: 'rules of scalars, items and values are about each of them',
    async run(api) {
      const rules = (rule: string) => ({ 'x-kubernetes-validations': [{ rule }] });
      const properties = {
        n: { ...int, ...rules('self > 0') },
        s: { ...text, ...rules("self != 'x'") },
        b: { type: 'boolean', ...rules('self') },
        l: { type: 'array', maxItems: 3, items: { ...int, ...rules('self > 0') } },
        m: { type: 'object', maxProperties: 3, additionalProperties: { ...text, ...rules('size(self) < 2') } },
        o: { type: 'object', properties: { p: int }, ...rules('self.p > 0') },
      };
      await withDefinition(api, widgets(api, {}, { schema: schemaOf(properties) }), async () => {
        for (const spec of [{ n: 0 }, { s: 'x' }, { b: false }, { l: [1, 0] }, { m: { k: 'xx' } }, { o: { p: 0 } }]) {
          await api.post(widgetsPath(api), widget(api, 'a', { spec }));
        }
        await api.post(
          widgetsPath(api),
          widget(api, 'b', { spec: { n: 1, s: 'y', b: true, l: [1], m: { k: 'x' }, o: { p: 1 } } }),
        );
      });
    },
  },
  {
    title: 'a transition rule compares with what was',
    async run(api) {
      const properties = {
        n: { ...int, 'x-kubernetes-validations': [{ rule: 'self >= oldSelf', message: 'n only grows' }] },
      };
      await withDefinition(api, widgets(api, {}, { schema: schemaOf(properties) }), async () => {
        await api.post(widgetsPath(api), widget(api, 'a', { spec: { n: 5 } }));
        await api.patch(`${widgetsPath(api)}/a`, 'merge', { spec: { n: 4 } });
        await api.patch(`${widgetsPath(api)}/a`, 'merge', { spec: { n: 6 } });
        await api.patch(`${widgetsPath(api)}/a`, 'merge', { spec: { n: null } });
        await api.patch(`${widgetsPath(api)}/a`, 'merge', { spec: { n: 1 } });
      });
    },
  },
  {
    title: 'an optional old value lets a transition rule see creation',
    async run(api) {
      const rule = "oldSelf.hasValue() || self == 'new'";
      const properties = {
        s: { ...text, 'x-kubernetes-validations': [{ rule, optionalOldSelf: true, message: 'begins as new' }] },
      };
      await withDefinition(api, widgets(api, {}, { schema: schemaOf(properties) }), async () => {
        await api.post(widgetsPath(api), widget(api, 'a', { spec: { s: 'old' } }));
        await api.post(widgetsPath(api), widget(api, 'b', { spec: { s: 'new' } }));
        await api.patch(`${widgetsPath(api)}/b`, 'merge', { spec: { s: 'old' } });
      });
    },
  },
  {
    title: 'items of a map list are compared with their former selves',
    async run(api) {
      const items = {
        type: 'object',
        required: ['k'],
        properties: { k: text, v: { ...int, 'x-kubernetes-validations': [{ rule: 'self >= oldSelf' }] } },
      };
      const l = {
        type: 'array',
        maxItems: 5,
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
        items,
      };
      await withDefinition(api, widgets(api, {}, { schema: schemaOf({ l }) }), async () => {
        await api.quietly.post(
          widgetsPath(api),
          widget(api, 'a', {
            spec: {
              l: [
                { k: 'a', v: 1 },
                { k: 'b', v: 5 },
              ],
            },
          }),
        );
        await api.patch(`${widgetsPath(api)}/a`, 'merge', {
          spec: {
            l: [
              { k: 'b', v: 6 },
              { k: 'a', v: 1 },
              { k: 'c', v: 0 },
            ],
          },
        });
        await api.patch(`${widgetsPath(api)}/a`, 'merge', {
          spec: {
            l: [
              { k: 'b', v: 5 },
              { k: 'a', v: 1 },
            ],
          },
        });
      });
    },
  },
  {
    title: 'what is invalid anyway is not judged by rules',
    async run(api) {
      const properties = { n: { ...int, maximum: 10, 'x-kubernetes-validations': [{ rule: 'self < 5' }] }, s: text };
      await withDefinition(api, widgets(api, {}, { schema: schemaOf(properties) }), async () => {
        await api.post(widgetsPath(api), widget(api, 'a', { spec: { n: 11 } }));
        await api.post(widgetsPath(api), widget(api, 'a', { spec: { n: 7, s: 5 } }));
      });
    },
  },
  {
    title: 'a broken rule of an unchanged part is only warned of',
    async run(api) {
      const properties = { n: int, o: { type: 'object', properties: { p: int } } };
      const next = {
        n: int,
        o: {
          type: 'object',
          properties: { p: { ...int, 'x-kubernetes-validations': [{ rule: 'self > 5' }] } },
          'x-kubernetes-validations': [{ rule: 'self.p > 6' }],
        },
      };
      const definition = widgets(api, {}, { schema: schemaOf(properties) });
      await withDefinition(api, definition, async () => {
        await api.quietly.post(widgetsPath(api), widget(api, 'a', { spec: { n: 1, o: { p: 1 } } }));
        await redefine(api, definition, { versions: widgets(api, {}, { schema: schemaOf(next) }).spec.versions });
        await api.patch(`${widgetsPath(api)}/a`, 'merge', { spec: { n: 2 } });
        await api.patch(`${widgetsPath(api)}/a`, 'merge', { spec: { o: { p: 2 } } });
      });
    },
  },
  {
    title: 'a rule that fails to evaluate refuses the object',
    async run(api) {
      const rules = [{ rule: '10 / self.n > 1' }, { rule: 'self.l[3] > 1', message: 'a fourth' }];
      const schema = schemaOf(
        { n: int, l: { type: 'array', maxItems: 5, items: int } },
        { 'x-kubernetes-validations': rules },
      );
      await withDefinition(api, widgets(api, {}, { schema }), async () => {
        await api.post(widgetsPath(api), widget(api, 'a', { spec: { n: 0, l: [1] } }));
      });
    },
  },
  ...refusedRules('a rule must say something', [
    { rule: '' },
    { rule: ' ', message: ' ' },
    { rule: 'true', message: 'a\nb' },
    { rule: 'true\n&& true' },
  ]),
  ...refusedRules('a rule has known reasons and paths', [
    { rule: 'true', reason: 'Odd' },
    { rule: 'true', fieldPath: '.none' },
    { rule: 'true', fieldPath: 'n' },
    { rule: 'true', messageExpression: ' ' },
  ]),
  ...refusedRules('a rule must compile to a bool', [
    { rule: 'self.n +' },
    { rule: 'self.none > 1' },
    { rule: 'other > 1' },
    { rule: 'self.n' },
    { rule: "self.n == 'x'" },
    { rule: 'self.n.odd()' },
    { rule: 'self.n > 1 && self.n' },
    { rule: '!self.n' },
    { rule: 'true ? self.n : true' },
    { rule: "self.n in ['a']" },
    { rule: "[1, 'a'].size() == 2" },
    { rule: "{'a': 1, 'b': 'c'}.size() == 2" },
    { rule: 'foo(self.n)' },
    { rule: 'size(self.n, 1) == 1' },
    { rule: 'self.n.all(x, true)' },
    { rule: 'has(self)' },
    { rule: 'has(self.none)' },
    { rule: 'true', messageExpression: '5' },
    { rule: 'true', messageExpression: 'self.none' },
  ]),
  ...refusedRules('optionalOldSelf wants oldSelf', [{ rule: 'true', optionalOldSelf: true }]),
  {
    title: 'a transition rule within a list that is no map is refused',
    async run(api) {
      const l = {
        type: 'array',
        maxItems: 5,
        items: { ...int, 'x-kubernetes-validations': [{ rule: 'self > oldSelf' }] },
      };
      await api.post(definitions, widgets(api, {}, { schema: schemaOf({ l }) }), { query: { dryRun: 'All' } });
    },
  },
  {
    title: 'a rule may not cost too much',
    async run(api) {
      const l = {
        type: 'array',
        items: { type: 'string' },
        'x-kubernetes-validations': [{ rule: 'self.all(a, self.all(b, a == b))' }],
      };
      await api.post(definitions, widgets(api, {}, { schema: schemaOf({ l }) }), { query: { dryRun: 'All' } });
    },
  },
]);

/** A case of rules on `spec`, and specs that they validate. */
function judged(title: string, properties: Json, rules: readonly Json[], specs: readonly Json[]) {
  return [
    {
      title,
      async run(api: CaseApi) {
        const schema = schemaOf(properties, { 'x-kubernetes-validations': rules });
        await withDefinition(api, widgets(api, {}, { schema }), async () => {
          for (const [index, spec] of specs.entries())
            await api.post(widgetsPath(api), widget(api, `w${index}`, { spec }));
        });
      },
    },
  ];
}

/** A case of rules on `spec` for which the definition is rejected. */
function refusedRules(title: string, rules: readonly Json[]) {
  return [
    {
      title,
      async run(api: CaseApi) {
        for (const rule of rules) {
          const schema = schemaOf({ n: int }, { 'x-kubernetes-validations': [rule] });
          await api.post(definitions, widgets(api, {}, { schema }), { query: { dryRun: 'All' } });
        }
      },
    },
  ];
}

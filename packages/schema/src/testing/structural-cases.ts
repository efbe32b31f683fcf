import type { JsonSchema } from '../json-schema.ts';

const item: JsonSchema = { type: 'object', properties: { k: { type: 'string' } }, required: ['k'] };

/**
 * Schemas of one field `x` (`S` is the root), and why the API server refuses a
 * CustomResourceDefinition that has them.
 */
export const refusedSchemas: readonly (readonly [what: string, field: JsonSchema, errors: readonly string[]])[] = [
  ['says no type', {}, ['x.type: Required value: must not be empty for specified object fields']],
  [
    'says no type of items',
    { type: 'array', items: {} },
    ['x.items.type: Required value: must not be empty for specified array items'],
  ],
  ['says nothing of items', { type: 'array' }, ['x.items: Required value: must be specified']],
  [
    'says an unknown type',
    { type: 'text' as 'string' },
    [
      'x.type: Unsupported value: "text": supported values: "array", "boolean", "integer", "number", "object", "string"',
    ],
  ],
  [
    'wants unique items',
    { type: 'array', items: { type: 'string' }, uniqueItems: true },
    ['x.uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic'],
  ],
  ['has both named and free fields', { type: 'object', properties: {}, additionalProperties: item }, []],
  [
    'has named and free fields',
    { ...item, additionalProperties: item },
    ['x.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive'],
  ],
  [
    'denies preserving',
    { type: 'object', 'x-kubernetes-preserve-unknown-fields': false },
    ['x.x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined'],
  ],
  [
    'is number or text and preserves',
    { 'x-kubernetes-int-or-string': true, 'x-kubernetes-preserve-unknown-fields': true },
    [
      'x.x-kubernetes-preserve-unknown-fields: Invalid value: true: must be false if x-kubernetes-int-or-string is true',
    ],
  ],
  [
    'has a pattern that cannot be read',
    { type: 'string', pattern: '(' },
    ['x.pattern: Invalid value: "(": must be a valid regular expression, but isn\'t: …'],
  ],
  [
    'has a default that it refuses',
    { type: 'integer', default: 'a' },
    ['x.default: Invalid value: "string":  in body must be of type integer: "string"'],
  ],
  [
    'marks what is no list',
    { type: 'object', 'x-kubernetes-list-type': 'set' },
    ['x.type: Invalid value: "object": must be array if x-kubernetes-list-type is specified'],
  ],
  [
    'marks what is no object',
    { type: 'string', 'x-kubernetes-map-type': 'atomic' },
    ['x.type: Invalid value: "string": must be object if x-kubernetes-map-type is specified'],
  ],
  [
    'marks in unknown words',
    { type: 'array', items: item, 'x-kubernetes-list-type': 'bag' as 'set' },
    ['x.x-kubernetes-list-type: Unsupported value: "bag": supported values: "atomic", "set", "map"'],
  ],
  [
    'is a map without keys',
    { type: 'array', items: item, 'x-kubernetes-list-type': 'map' },
    ['x.x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map'],
  ],
  [
    'has keys and is no map',
    { type: 'array', items: item, 'x-kubernetes-list-map-keys': ['k'] },
    ['x.x-kubernetes-list-type: Required value: must be map if x-kubernetes-list-map-keys is non-empty'],
  ],
  [
    'has a key that is no field',
    { type: 'array', items: item, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['z'] },
    ['x.x-kubernetes-list-map-keys: Invalid value: ["z"]: entries must all be names of item properties'],
  ],
  [
    'has a key twice',
    { type: 'array', items: item, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k', 'k'] },
    ['x.x-kubernetes-list-map-keys: Invalid value: ["k","k"]: must not contain duplicate entries'],
  ],
  [
    'has a key that may be absent',
    {
      type: 'array',
      items: { ...item, required: [] },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
    },
    [
      'x.items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
    ],
  ],
  [
    'is a map of texts',
    {
      type: 'array',
      items: { type: 'string' },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
    },
    ['x.items.type: Invalid value: "string": must be object if parent array\'s x-kubernetes-list-type is map'],
  ],
  [
    'is a set of granular objects',
    { type: 'array', items: item, 'x-kubernetes-list-type': 'set' },
    [
      'x.items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set',
    ],
  ],
  [
    'embeds what is no object',
    { type: 'string', 'x-kubernetes-embedded-resource': true },
    [
      'x.properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
      'x.type: Invalid value: "string": must be object if x-kubernetes-embedded-resource is true',
    ],
  ],
  [
    'names a type below anyOf',
    { type: 'object', anyOf: [{ type: 'object' }] },
    ['x.anyOf[0].type: Forbidden: must be empty to be structural'],
  ],
  [
    'describes below not',
    { type: 'object', not: { description: 'no' } },
    ['x.not.description: Forbidden: must be empty to be structural'],
  ],
  [
    'defaults below oneOf',
    { type: 'string', oneOf: [{ default: 'a' }] },
    ['x.oneOf[0].default: Forbidden: must be undefined to be structural'],
  ],
  [
    'preserves below allOf',
    { type: 'object', allOf: [{ 'x-kubernetes-preserve-unknown-fields': true }] },
    ['x.allOf[0].x-kubernetes-preserve-unknown-fields: Forbidden: must be false to be structural'],
  ],
  [
    'validates metadata below anyOf',
    {
      type: 'object',
      properties: { metadata: { type: 'object' } },
      anyOf: [{ properties: { metadata: { minProperties: 1 } } }],
    },
    ['x.anyOf[0].properties[metadata]: Forbidden: must not be specified in a nested context'],
  ],
];

/** What differs between the regular expression engines is left out of a text. */
export function withoutEngine(text: string): string {
  return text.replace(/(but isn't: ).*$/s, '$1…');
}

/** Schemas of one field that it accepts. */
export const acceptedSchemas: readonly (readonly [what: string, field: JsonSchema])[] = [
  [
    'validates a field below allOf that it does not define: nobody looks below the root',
    { type: 'object', allOf: [{ properties: { y: { minLength: 1 } } }] },
  ],
  [
    'validates below alternatives what is defined outside',
    { ...item, oneOf: [{ required: ['k'] }, { properties: { k: { enum: ['a'] } } }] },
  ],
  [
    'may name types to say number or text',
    { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
  ],
  [
    'may name them below the first allOf',
    {
      'x-kubernetes-int-or-string': true,
      allOf: [{ anyOf: [{ type: 'integer' }, { type: 'string' }] }, { maxLength: 3 }],
    },
  ],
  ['may say nothing at all where it preserves', { 'x-kubernetes-preserve-unknown-fields': true }],
  ['may have a default that it accepts', { type: 'array', items: item, default: [{ k: 'a' }] }],
  [
    'is a set of atomic objects',
    { type: 'array', items: { ...item, 'x-kubernetes-map-type': 'atomic' }, 'x-kubernetes-list-type': 'set' },
  ],
];

/** Schemas of a whole object, and why they are refused. */
export const refusedRoots: readonly (readonly [what: string, root: JsonSchema, errors: readonly string[]])[] = [
  [
    'speaks of more of metadata than its name',
    { type: 'object', properties: { metadata: { type: 'object', properties: { labels: { type: 'object' } } } } },
    [
      'S.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified',
    ],
  ],
  [
    'has free fields at the root',
    { type: 'object', additionalProperties: item },
    ['S.additionalProperties: Forbidden: must not be used at the root'],
  ],
  ['is no object at the root', { type: 'string' }, ['S.type: Invalid value: "string": must be object at the root']],
  [
    'defines a field below allOf only',
    { type: 'object', allOf: [{ properties: { y: { minLength: 1 } } }] },
    ['S.properties[y]: Required value: because it is defined in S.allOf[0].properties[y]'],
  ],
  [
    'defines items below anyOf only',
    {
      type: 'object',
      properties: { l: { type: 'object' } },
      anyOf: [{ properties: { l: { items: { minLength: 1 } } } }],
    },
    ['S.properties[l].items: Required value: because it is defined in S.anyOf[0].properties[l].items'],
  ],
];

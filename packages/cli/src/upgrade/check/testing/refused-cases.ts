/**
 * For each rule of severity X a CRD that the API server rejects, and a part of the message by which
 * it does.
 */
import type { CustomResourceDefinition, JsonSchema } from '@isthmus/schema';

interface RefusedCase {
  readonly rule: string;
  readonly what: string;
  /** What is live before, one write after the other; none for a CRD that is new. */
  readonly steps: readonly CustomResourceDefinition[];
  readonly next: CustomResourceDefinition;
  readonly says: {
    readonly server: string;
    /** Whether our message holds it too. Default true. */
    readonly ours?: boolean;
    readonly status?: number;
    /** Whether it is sent as client-side apply sends it. */
    readonly annotation?: boolean;
  };
}

const text: JsonSchema = { type: 'string' };
const version = (name: string, a: JsonSchema = text, more: object = {}) => ({
  name,
  served: true,
  storage: false,
  schema: {
    openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { a } } } } as JsonSchema,
  },
  ...more,
});

function crd(
  plural: string,
  versions: readonly ReturnType<typeof version>[],
  spec: object = {},
): CustomResourceDefinition {
  const names = { kind: `K${plural}`, plural };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.refused.example.com` },
    spec: { group: 'refused.example.com', scope: 'Namespaced', names, versions, ...spec },
  };
}

const stored = { storage: true };
const one = (plural: string, a: JsonSchema = text, spec: object = {}) => crd(plural, [version('v1', a, stored)], spec);
const fresh = (rule: string, what: string, next: CustomResourceDefinition, says: RefusedCase['says']): RefusedCase => ({
  rule,
  what,
  steps: [],
  next,
  says,
});

const hook = { clientConfig: { url: 'https://hook.example.com/convert' }, conversionReviewVersions: ['v2'] };

const squared = 'self.all(a, self.all(b, a == b))';
/** Twenty rules on a list of so many ints. */
const withRules = (maxItems: number): JsonSchema => ({
  type: 'array',
  maxItems,
  items: { type: 'integer' },
  'x-kubernetes-validations': Array.from({ length: 20 }, (_, index) => ({
    rule: `self.all(a, self.all(b, a + b != ${index}))`,
  })),
});

export const refusedCases: readonly RefusedCase[] = [
  fresh(
    'G01',
    'a name that is not that of its resource',
    { ...one('g01'), metadata: { name: 'g01.example.com' } },
    { server: 'must be spec.names.plural+"."+spec.group' },
  ),
  {
    rule: 'G02',
    what: 'another kind',
    steps: [one('g02')],
    next: one('g02', text, { names: { kind: 'Other', plural: 'g02' } }),
    says: { server: 'spec.names.kind: Invalid value: "Other": field is immutable' },
  },
  {
    rule: 'G03',
    what: 'another scope',
    steps: [one('g03')],
    next: one('g03', text, { scope: 'Cluster' }),
    says: { server: 'spec.scope: Invalid value: "Cluster": field is immutable' },
  },
  fresh('G04', 'two storage versions', crd('g04', [version('v1', text, stored), version('v2', text, stored)]), {
    server: 'must have exactly one version marked as storage version',
  }),
  {
    rule: 'G05',
    what: 'the loss of a version that was stored in',
    steps: [
      crd('g05', [version('v1beta1', text, stored), version('v1')]),
      crd('g05', [version('v1beta1'), version('v1', text, stored)]),
    ],
    next: one('g05'),
    says: { server: 'status.storedVersions[0]: Invalid value: "v1beta1": missing from spec.versions' },
  },
  {
    rule: 'G06',
    what: 'the loss of the version that is stored in',
    steps: [crd('g06', [version('v1beta1', text, stored), version('v1')])],
    next: one('g06'),
    says: { server: 'missing from spec.versions; v1beta1 was previously a storage version', ours: false },
  },
  fresh(
    'G14',
    'a webhook that speaks no known version',
    one('g14', text, { conversion: { strategy: 'Webhook', webhook: hook } }),
    {
      server: 'must include at least one of v1, v1beta1',
    },
  ),
  fresh(
    'G26',
    'a label that is a template of a chart',
    {
      ...one('g26'),
      metadata: { ...one('g26').metadata, labels: { 'app.kubernetes.io/name': '{{ .Release.Name }}' } },
    },
    { server: 'metadata.labels: Invalid value: "{{ .Release.Name }}": a valid label must be an empty string' },
  ),
  fresh('G18', 'a field without a type', one('g18', { description: 'x' }), {
    server: 'must not be empty for specified object fields',
  }),
  fresh(
    'G18',
    'a version without a schema',
    one('g18n', text, { versions: [{ name: 'v1', served: true, storage: true }] }),
    { server: 'spec.versions[0].schema.openAPIV3Schema: Required value' },
  ),
  fresh(
    'G23',
    'an annotation of client-side apply that is too long',
    one('g23', { type: 'string', description: 'x'.repeat(300_000) }),
    {
      server: 'metadata.annotations: Too long',
      ours: false,
      annotation: true,
    },
  ),
  fresh('G23', 'a CRD that is too large', one('g23l', { type: 'string', description: 'x'.repeat(2_000_000) }), {
    server: 'too large',
    ours: false,
    status: 500,
  }),
  fresh('G26', 'a version that is no DNS label', crd('g26', [version('V_1', text, stored)]), {
    server: 'spec.versions[0].name: Invalid value: "V_1"',
  }),
  fresh('F20', 'a default of another type', one('f20', { type: 'string', default: 3 }), {
    server: 'must be of type string',
  }),
  fresh(
    'F20',
    'a default that would be pruned',
    one('f20p', { type: 'object', properties: { x: text }, default: { y: 1 } }),
    { server: 'must not have unknown fields' },
  ),
  fresh(
    'F29',
    'keys of a list that may be missing',
    one('f29', {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
      items: { type: 'object', properties: { k: text } },
    }),
    { server: 'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property' },
  ),
  fresh(
    'F33',
    'a rule that does not compile',
    one('f33', { type: 'string', 'x-kubernetes-validations': [{ rule: 'self.nothing > 1' }] }),
    { server: 'compilation failed' },
  ),
  fresh(
    'F33',
    'a rule that costs too much',
    one('f33c', { type: 'array', items: text, 'x-kubernetes-validations': [{ rule: squared }] }),
    { server: 'estimated rule cost exceeds budget by factor of more than 100x' },
  ),
  fresh(
    'F33',
    'a rule in a list without a bound',
    one('f33l', {
      type: 'array',
      items: { ...text, 'x-kubernetes-validations': [{ rule: "!(self in ['x', 'y'])" }] },
    }),
    { server: 'estimated rule cost exceeds budget by factor of 1.468006x' },
  ),
  {
    rule: 'F33',
    what: 'rules that cost too much together, with a bound that goes',
    steps: [one('f33t', withRules(100))],
    next: one('f33t', withRules(1000)),
    says: {
      server: 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by',
    },
  },
  fresh('F35', 'uniqueItems', one('f35', { type: 'array', items: text, uniqueItems: true }), {
    server: 'uniqueItems cannot be set to true',
  }),
  fresh('F35', 'a reference', one('f35r', { type: 'string', $ref: '#/definitions/x' } as JsonSchema), {
    server: '$ref is not supported',
  }),
];

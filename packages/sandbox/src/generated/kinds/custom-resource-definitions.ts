import fc from 'fast-check';
import { fields, list, oneOf } from '../arbitraries.ts';
import type { GeneratedKind, JsonObject } from '../frame.ts';
import { mutated } from '../mutations.ts';

const leaf: fc.Arbitrary<Record<string, unknown>> = fc.oneof(
  fields(
    { type: oneOf('string') },
    {
      maxLength: oneOf(10, -1),
      pattern: oneOf('^a+$', '('),
      enum: oneOf(['a'], []),
      format: oneOf('date-time', 'ipv4'),
    },
  ),
  fields(
    { type: oneOf('integer', 'number') },
    { minimum: oneOf(0, 5), maximum: oneOf(9), format: oneOf('int32', 'int64') },
  ),
  fields({ type: oneOf('boolean') }, { default: oneOf<unknown>(true, 'x'), nullable: fc.boolean() }),
  fields({ 'x-kubernetes-int-or-string': oneOf(true) }),
  fields({ type: oneOf('object'), 'x-kubernetes-preserve-unknown-fields': oneOf(true, false) }),
);
const schema = fc.letrec<{ node: Record<string, unknown> }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    leaf,
    fields(
      { type: oneOf('array'), items: tie('node') },
      { maxItems: oneOf(3), 'x-kubernetes-list-type': oneOf('atomic', 'set', 'map') },
    ),
    fields(
      {
        type: oneOf('object'),
        properties: fc.dictionary(oneOf('a', 'b', 'metadata'), tie('node'), { maxKeys: 3, noNullPrototype: true }),
      },
      { required: oneOf(['a'], ['c', 'a']), additionalProperties: oneOf(false), minProperties: oneOf(1) },
    ),
    fields({ type: oneOf('object'), additionalProperties: tie('node') }, {}),
    fields(
      { type: oneOf('object') },
      { oneOf: oneOf([{ required: ['a'] }], [{ type: 'string' }]), not: oneOf({ required: ['b'] }) },
    ),
    fields(
      { type: oneOf('object'), properties: fc.constant({ n: { type: 'integer' } }) },
      {
        'x-kubernetes-validations': list(
          fields(
            { rule: oneOf('self.n > 0', 'has(self.n)', 'self.missing == 1', 'self.n ==') },
            { message: oneOf('m', '') },
          ),
          2,
        ),
      },
    ),
  ),
})).node;

const root = fc
  .dictionary(oneOf('spec', 'status', 'value'), schema, { maxKeys: 3, noNullPrototype: true })
  .map((properties) => ({ openAPIV3Schema: { type: 'object', properties } }));

const column = fields(
  {
    name: oneOf('Age', 'Value'),
    type: oneOf('string', 'integer', 'date', 'other'),
    jsonPath: oneOf('.spec.a', 'spec', '.a['),
  },
  { priority: oneOf(0, 1) },
);
const version = fields(
  { schema: root },
  {
    subresources: oneOf<unknown>(
      { status: {} },
      { scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } },
      { scale: { specReplicasPath: 'spec', statusReplicasPath: '.status.replicas' } },
    ),
    additionalPrinterColumns: list(column, 2),
    selectableFields: oneOf<unknown>([{ jsonPath: '.spec.a' }], [{ jsonPath: 'x' }]),
    deprecated: fc.boolean(),
    deprecationWarning: oneOf('old'),
  },
);
const versions = fc
  .array(version, { minLength: 1, maxLength: 2 })
  .map((all) => all.map((one, index) => ({ name: `v${index + 1}`, served: true, storage: index === 0, ...one })));
const conversion = oneOf<unknown>(
  { strategy: 'None' },
  { strategy: 'Webhook' },
  {
    strategy: 'Webhook',
    webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: 'https://example.com/convert' } },
  },
  { strategy: 'Other' },
);
const names = fc.oneof(
  {
    weight: 5,
    arbitrary: fields(
      { plural: oneOf('things'), kind: oneOf('Thing') },
      {
        singular: oneOf('thing'),
        listKind: oneOf('ThingList'),
        shortNames: oneOf(['th'], ['TH']),
        categories: oneOf(['all']),
      },
    ),
  },
  { weight: 1, arbitrary: fields({ plural: oneOf('Things', 'others'), kind: oneOf('thing', 'Bad_Kind') }) },
);
const definition = fc
  .record({
    spec: fields(
      { group: oneOf('example.com', 'generated.example.com'), scope: oneOf('Namespaced', 'Cluster'), names, versions },
      { conversion, preserveUnknownFields: oneOf(false, true) },
    ),
    wrongName: oneOf(false, false, false, false, true),
  })
  .map(({ spec, wrongName }): JsonObject => {
    const { group } = spec as { readonly group: string };
    return {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: wrongName ? 'wrong.example.com' : `things.${group}` },
      spec,
    };
  });

export const customResourceDefinitions: GeneratedKind = {
  name: 'customresourcedefinitions',
  path: () => '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
  objects: mutated(definition, { borders: ['v1', 'object', 'Namespaced'] }),
  count: 200,
  causesInAnyOrder: true,
};

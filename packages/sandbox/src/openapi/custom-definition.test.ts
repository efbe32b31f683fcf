import { expect, it } from 'vitest';
import { defineBuiltIn } from '../builtin/define.ts';
import { customDefinitionName, customSchemas } from './custom-definition.ts';

const configMap = defineBuiltIn({ group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps' });
const lion = { ...configMap, group: 'zoo.example.com', kind: 'Lion', plural: 'lions' };

it('names a custom kind by its group in reverse', () => {
  expect(customDefinitionName(lion)).toBe('com.example.zoo.v1.Lion');
});

it('publishes the schema with what every object has, as the real server does', () => {
  const properties = {
    embedded: {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
    },
    port: { 'x-kubernetes-int-or-string': true },
  };
  const crd = { apiVersion: '', kind: '', metadata: { name: '' } };
  const schema = { type: 'object', required: ['spec'], properties: { spec: { type: 'object', properties } } };
  const metadata = { allOf: [{ $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' }] };
  const object = { apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata };
  expect(customSchemas(lion, { crd, schema, listKind: 'Pride' })).toEqual({
    'com.example.zoo.v1.Lion': {
      type: 'object',
      required: ['spec'],
      properties: {
        ...object,
        spec: {
          type: 'object',
          properties: {
            embedded: { ...properties.embedded, required: ['kind', 'apiVersion'], properties: object },
            port: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
          },
        },
      },
      'x-kubernetes-group-version-kind': [{ group: 'zoo.example.com', kind: 'Lion', version: 'v1' }],
    },
    'com.example.zoo.v1.LionList': {
      type: 'object',
      required: ['items'],
      properties: {
        ...object,
        items: { type: 'array', items: { $ref: '#/components/schemas/com.example.zoo.v1.Lion' } },
        metadata: { allOf: [{ $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta' }] },
      },
      'x-kubernetes-group-version-kind': [{ group: 'zoo.example.com', kind: 'Pride', version: 'v1' }],
    },
  });
});

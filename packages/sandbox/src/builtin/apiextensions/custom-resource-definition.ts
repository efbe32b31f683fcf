import { nameAndCreation } from '../columns/name-and-creation.ts';
import { defineBuiltIn, statusSubresource } from '../define.ts';

export const customResourceDefinition = defineBuiltIn({
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
  shortNames: ['crd', 'crds'],
  categories: ['api-extensions'],
  subresources: [statusSubresource],
  columns: nameAndCreation,
  strategy: { unconditionalUpdate: false, generation: 'spec' },
});

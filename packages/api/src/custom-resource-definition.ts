import type { CustomResourceDefinition as Definition } from '@isthmus/schema';
import { builtIn } from './core/built-in.ts';

export type CustomResourceDefinition = Definition;

export const CustomResourceDefinition = builtIn<CustomResourceDefinition>({
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
  statusSubresource: true,
});

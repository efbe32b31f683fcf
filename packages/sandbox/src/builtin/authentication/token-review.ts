import { defineBuiltIn } from '../define.ts';

export const tokenReview = defineBuiltIn({
  group: 'authentication.k8s.io',
  version: 'v1',
  kind: 'TokenReview',
  plural: 'tokenreviews',
  namespaced: false,
  virtual: true,
});

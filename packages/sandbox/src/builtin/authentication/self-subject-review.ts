import { defineBuiltIn } from '../define.ts';

export const selfSubjectReview = defineBuiltIn({
  group: 'authentication.k8s.io',
  version: 'v1',
  kind: 'SelfSubjectReview',
  plural: 'selfsubjectreviews',
  namespaced: false,
  virtual: true,
});

import { defineBuiltIn } from '../define.ts';

export const selfSubjectAccessReview = defineBuiltIn({
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'SelfSubjectAccessReview',
  plural: 'selfsubjectaccessreviews',
  namespaced: false,
  virtual: true,
});

import { defineBuiltIn } from '../define.ts';

export const subjectAccessReview = defineBuiltIn({
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'SubjectAccessReview',
  plural: 'subjectaccessreviews',
  namespaced: false,
  virtual: true,
});

import { defineBuiltIn } from '../define.ts';

export const localSubjectAccessReview = defineBuiltIn({
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'LocalSubjectAccessReview',
  plural: 'localsubjectaccessreviews',
  virtual: true,
});

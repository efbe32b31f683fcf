import { defineBuiltIn } from '../define.ts';

export const selfSubjectRulesReview = defineBuiltIn({
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'SelfSubjectRulesReview',
  plural: 'selfsubjectrulesreviews',
  namespaced: false,
  virtual: true,
});

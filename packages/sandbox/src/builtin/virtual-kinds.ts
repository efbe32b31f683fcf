import { defineBuiltIn } from './define.ts';

const authentication = 'authentication.k8s.io';
const authorization = 'authorization.k8s.io';

/** Kinds that are only created: the server answers, and stores nothing. */
const created = { version: 'v1', virtual: true };

export const binding = defineBuiltIn({ ...created, group: '', kind: 'Binding', plural: 'bindings' });

export const reviews = [
  { group: authentication, kind: 'SelfSubjectReview', plural: 'selfsubjectreviews', namespaced: false },
  { group: authentication, kind: 'TokenReview', plural: 'tokenreviews', namespaced: false },
  { group: authorization, kind: 'LocalSubjectAccessReview', plural: 'localsubjectaccessreviews' },
  { group: authorization, kind: 'SelfSubjectAccessReview', plural: 'selfsubjectaccessreviews', namespaced: false },
  { group: authorization, kind: 'SelfSubjectRulesReview', plural: 'selfsubjectrulesreviews', namespaced: false },
  { group: authorization, kind: 'SubjectAccessReview', plural: 'subjectaccessreviews', namespaced: false },
].map((kind) => defineBuiltIn({ ...created, ...kind }));

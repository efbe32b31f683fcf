import type { Access } from '@isthmus/kube';

/**
 * Every resource of every group, as RBAC writes it: those that CRDs bring are not known beforehand.
 * Beside it, discovery is read, which every authenticated user may (`system:discovery`).
 */
export const everyResource: Omit<Access, 'verbs'> = {
  at: 'local',
  type: { group: '*', plural: '*', namespaced: false },
  scope: 'all',
};

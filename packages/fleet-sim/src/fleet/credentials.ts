import type { Credentials } from '@isthmus/sandbox';

/** A user with all permissions. */
export const clusterAdmin: Credentials = {
  kind: 'user',
  user: { username: 'admin', groups: ['system:masters', 'system:authenticated'] },
};

/** The user with the token of a ServiceAccount. */
export function serviceAccount(namespace: string, name: string): Credentials {
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
  return { kind: 'user', user: { username: `system:serviceaccount:${namespace}:${name}`, groups } };
}

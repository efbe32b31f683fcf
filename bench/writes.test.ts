import { expect, it } from 'vitest';
import { isController } from './writes.ts';

it.each([
  ['system:serviceaccount:kube-system:antrea-mc-controller', true],
  ['system:serviceaccount:antrea-multicluster:antrea-mc-controller', true],
  ['system:serviceaccount:antrea-multicluster:member-east', true],
  ['system:serviceaccount:kube-system:endpointslice-controller', false],
  ['system:serviceaccount:kube-system:antrea-mc-controller-2', false],
  ['system:serviceaccount:default:bench', false],
  ['kubernetes-admin', false],
])('counts the requests of %s: %s', (user, isCounted) => {
  expect(isController({ user })).toBe(isCounted);
});

import { expect, it } from 'vitest';
import { isReservedKey } from './reserved-keys.ts';

it.each([
  'app.kubernetes.io/managed-by',
  'app.kubernetes.io/instance',
  'endpointslice.kubernetes.io/managed-by',
  'multicluster.kubernetes.io/service-name',
  'kubernetes.io/service-name',
  'kubectl.kubernetes.io/last-applied-configuration',
  'external-dns.alpha.kubernetes.io/hostname',
  'Kubernetes.IO/note',
  'config.k8s.io/owning-inventory',
  'multicluster.x-k8s.io/release-version',
  'isthmus.dev/withdrawals',
  'multicluster.antrea.io/imported-service',
  'meta.helm.sh/release-name',
  'argocd.argoproj.io/tracking-id',
  'kustomize.toolkit.fluxcd.io/name',
  'kapp.k14s.io/app',
  'objectset.rio.cattle.io/hash',
])('%s is reserved: it would claim the object, or make a controller act on it', (key) => {
  expect(isReservedKey(key)).toBe(true);
});

it.each([
  'team',
  'managed-by',
  'example.com/tier',
  'notkubernetes.io/x',
  'kubernetes.io.example.com/x',
  'app.kubernetes.io/name',
  'app.kubernetes.io/version',
  'app.kubernetes.io/component',
  'app.kubernetes.io/part-of',
])('%s may be exported', (key) => {
  expect(isReservedKey(key)).toBe(false);
});

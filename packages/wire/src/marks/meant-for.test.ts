import type { ResourceImport } from '@isthmus/api';
import { expect, it } from 'vitest';
import { isMeantFor } from './meant-for.ts';

it.each<[string, ResourceImport['spec'], boolean]>([
  ['that names no cluster is', { kind: 'ServiceImport' }, true],
  ['with an empty list is', { kind: 'ServiceImport', clusterID: [] }, true],
  ['that names it is', { kind: 'ClusterInfo', clusterID: ['west', 'east'] }, true],
  ['that names others is not', { kind: 'ClusterInfo', clusterID: ['west'] }, false],
  ['with slices of its only exporter is', { kind: 'Endpoints', clusterID: ['west'], endpointSlices: [] }, true],
  ['that an Antrea leader left of it is', { kind: 'Endpoints', clusterID: ['west'], endpoints: {} }, true],
  ['without a spec is', undefined, true],
])('an import %s for the cluster', (_, spec, expected) => {
  expect(isMeantFor({ metadata: { name: 'x' }, spec }, 'east')).toBe(expected);
});

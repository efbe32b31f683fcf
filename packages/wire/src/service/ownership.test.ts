import type { EndpointSlice, Service, ServiceImport } from '@isthmus/api';
import { importedSlicePrefix } from '@isthmus/api';
import { describe, expect, it } from 'vitest';
import { carriesOurLabel } from '../marks/managed-by.ts';
import { isOurService, isOurServiceImport, isOurSlice } from './ownership.ts';

const ourLabel = { 'app.kubernetes.io/managed-by': 'isthmus' };
const antreas = { 'multicluster.antrea.io/imported-service': 'true' };
const service = (
  annotations?: Readonly<Record<string, string>>,
  clusterIP = '10.97.0.11',
  labels?: Readonly<Record<string, string>>,
): Service => ({ metadata: { name: 'antrea-mc-cart', annotations, labels }, spec: { clusterIP } });
const serviceImport = (labels?: Readonly<Record<string, string>>, ...ips: readonly string[]): ServiceImport => ({
  metadata: { name: 'cart', labels },
  spec: { type: 'ClusterSetIP', ports: [], ips },
});

it.each([
  ['our label', ourLabel, true],
  ["somebody else's", { 'app.kubernetes.io/managed-by': 'Helm' }, false],
  ['none', undefined, false],
])('an object with %s is ours: %s', (_, labels, expected) => {
  expect(carriesOurLabel({ metadata: { name: 'x', labels } })).toBe(expected);
});

it.each([
  ["Antrea's annotation, which ours carry too", antreas, undefined, true],
  ['our label alone', undefined, ourLabel, true],
  ['neither', undefined, undefined, false],
  ['others', { note: 'mine' }, { 'app.kubernetes.io/managed-by': 'Helm' }, false],
])('a Service with %s may be changed', (_, annotations, labels, expected) => {
  expect(isOurService(service(annotations, '10.97.0.11', labels))).toBe(expected);
});

describe('whether a ServiceImport may be changed', () => {
  it.each([
    ['it carries our label', serviceImport(ourLabel), undefined, true],
    [
      'it points at the imported Service beside it, as those of Antrea do',
      serviceImport({}, '10.97.0.11'),
      service(antreas),
      true,
    ],
    ['it points elsewhere', serviceImport({}, '10.97.0.12'), service(antreas), false],
    ['it points at a Service that nobody imported', serviceImport({}, '10.97.0.11'), service(), false],
    ['there is no Service', serviceImport({}, '10.97.0.11'), undefined, false],
    ['neither has an address', serviceImport({}, ''), service(antreas, ''), false],
    ['it has no addresses', serviceImport(), service(antreas), false],
    ['it has no spec', { metadata: { name: 'cart' } }, service(antreas), false],
  ])('%s', (_, object, derived, expected) => {
    expect(isOurServiceImport(object, derived)).toBe(expected);
  });
});

const sliceLabel = (value: string) => ({ 'endpointslice.kubernetes.io/managed-by': value });
const ofCart = [{ apiVersion: 'v1', kind: 'Service', name: 'antrea-mc-cart', uid: '1' }];
const ourName = importedSlicePrefix('cart', 'west');
const controllers = sliceLabel('endpointslice-controller.k8s.io');

it.each<[string, EndpointSlice['metadata'], boolean]>([
  ['both our labels', { name: 'x', labels: { ...ourLabel, ...sliceLabel('isthmus.dev') } }, true],
  ['the label of slices alone', { name: 'x', labels: sliceLabel('isthmus.dev') }, true],
  ['the label of all our objects alone', { name: 'x', labels: ourLabel }, true],
  [
    'our name for an import, and labels of somebody else',
    { name: ourName, labels: sliceLabel('other'), ownerReferences: ofCart },
    true,
  ],
  ['our name for an import, and no label', { name: ourName, ownerReferences: ofCart }, true],
  [
    'our name for the import of another Service',
    { name: importedSlicePrefix('db', 'west'), ownerReferences: ofCart },
    false,
  ],
  [
    'the labels that a controller of Kubernetes copies from our Service',
    { name: 'antrea-mc-cart-x7k2p', labels: { ...ourLabel, ...controllers }, ownerReferences: ofCart },
    false,
  ],
  ['no mark of ours', { name: 'antrea-mc-cart-1', ownerReferences: ofCart }, false],
])('a slice with %s is ours: %j, %s', (_, metadata, expected) => {
  expect(isOurSlice({ metadata, addressType: 'IPv4', endpoints: null })).toBe(expected);
});

import type { ResourceExport } from '@isthmus/api';
import { describe, expect, it } from 'vitest';
import { endpointIPTypeOf, mergeKeys, readExport } from './read-export.ts';
import { exportsOf } from './testing/exports.ts';

const [service, endpoints] = exportsOf('east', 'shop/cart');
const changed = (spec: object, name = service?.metadata.name ?? ''): ResourceExport => ({
  metadata: { name, labels: service?.metadata.labels },
  spec: { ...service?.spec, ...spec },
});

describe('an export as a member wrote it', () => {
  it('names its cluster and Service, and which half', () => {
    expect(service === undefined ? undefined : readExport(service)).toMatchObject({
      kind: 'Service',
      clusterID: 'east',
      namespace: 'shop',
      name: 'cart',
    });
    expect(endpoints === undefined ? undefined : readExport(endpoints)).toMatchObject({ kind: 'Endpoints' });
  });

  it.each([
    ['no spec', { metadata: { name: 'x' } }, 'spec.kind "" is not Service or Endpoints'],
    ['an unknown kind', changed({ kind: 'Nonsense' }), 'spec.kind "Nonsense" is not Service or Endpoints'],
    ['no Service', changed({ service: undefined }), 'spec.service.serviceSpec is missing'],
    ['a Service without spec', changed({ service: {} }), 'spec.service.serviceSpec is missing'],
    ['no endpoints', changed({ kind: 'Endpoints', endpoints: undefined }), 'spec.endpoints is missing'],
    [
      'endpoints in the form of slices alone',
      changed({ kind: 'Endpoints', endpoints: { endpoints: [{ addresses: ['10.30.1.5'] }], ports: [{ port: 80 }] } }),
      'spec.endpoints.subsets is missing, and this release does not read spec.endpoints.endpoints and spec.endpoints.ports',
    ],
    ['no cluster ID', changed({ clusterID: undefined }), /^spec\.clusterID "": must not be empty$/],
    ['a cluster ID that is none', changed({ clusterID: 'East!' }), /^spec\.clusterID "East!": /],
    ['a Namespace that is none', changed({ namespace: 'a/b' }), /^spec\.namespace "a\/b": /],
    ['a name that is none', changed({ name: 'Cart' }), /^spec\.name "Cart": /],
    ['two things wrong', changed({ name: '', namespace: '' }), /^spec\.namespace .*; spec\.name /],
    ['another name than it says', changed({ name: 'other' }), 'the name must be east-shop-other-service to match spec'],
    ["another cluster's ID", changed({ clusterID: 'west' }), 'the name must be west-shop-cart-service to match spec'],
  ])('with %s is refused with the reason', (_, object, problem) => {
    expect(readExport(object)).toEqual({
      problem: typeof problem === 'string' ? problem : expect.stringMatching(problem),
    });
  });
});

describe('the key under which an export is merged', () => {
  it.each([
    ['a Service', changed({}), ['shop-cart']],
    ['endpoints', changed({ kind: 'Endpoints' }), ['shop-cart']],
    ['another kind', changed({ kind: 'ClusterInfo' }), []],
    ['no spec', { metadata: { name: 'x' } }, []],
  ])('of %s', (_, object, keys) => {
    expect(mergeKeys(object)).toEqual(keys);
  });

  it.each([
    ['no Namespace', { namespace: undefined }],
    ['a Namespace that is none', { namespace: '../shop' }],
    ['a name that is none', { name: 'Cart' }],
  ])('is its own for an export with %s', (_, spec) => {
    const [key = ''] = mergeKeys(changed(spec, 'odd-one'));
    expect(key).toBe('unplaced/odd-one');
  });

  it('of an export that cannot be placed has a slash, which no base has', () => {
    expect(mergeKeys(changed({}))).toEqual([expect.not.stringContaining('/')]);
  });
});

describe('whether endpoints are Pods', () => {
  it.each([
    ['PodIP', 'PodIP'],
    ['ClusterIP', 'ClusterIP'],
    ['Nonsense', undefined],
    [undefined, undefined],
  ])('annotation %s means %s', (said, meant) => {
    const annotations = said === undefined ? undefined : { 'isthmus.dev/endpoint-ip-type': said };
    expect(endpointIPTypeOf({ metadata: { name: 'x', annotations } })).toBe(meant);
  });
});

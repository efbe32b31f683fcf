import type { KubernetesObject, ResourceType } from '@isthmus/machinery';
import { anyCharacter } from '@isthmus/testkit';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { metadataOf } from './metadata-type.ts';
import {
  createRequest,
  deleteRequest,
  getRequest,
  listRequest,
  patchRequest,
  pathOf,
  updateRequest,
  watchRequest,
} from './requests.ts';

const service: ResourceType = { group: '', version: 'v1', kind: 'Service', plural: 'services', namespaced: true };
const namespace: ResourceType = {
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  namespaced: false,
};
const lease: ResourceType = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  namespaced: true,
};
const role: ResourceType = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'ClusterRole',
  plural: 'clusterroles',
  namespaced: false,
};
const cart = { namespace: 'shop', name: 'cart' };

describe('paths', () => {
  it.each<[string, ResourceType, Parameters<typeof pathOf>[1], string]>([
    ['a core object in a Namespace', service, cart, '/api/v1/namespaces/shop/services/cart'],
    ['all Namespaces', service, {}, '/api/v1/services'],
    ['one Namespace', service, { namespace: 'shop' }, '/api/v1/namespaces/shop/services'],
    ['a status', service, { ...cart, subresource: 'status' }, '/api/v1/namespaces/shop/services/cart/status'],
    ['a core object without Namespace', namespace, { name: 'shop' }, '/api/v1/namespaces/shop'],
    ['a group', lease, { namespace: 'a', name: 'b' }, '/apis/coordination.k8s.io/v1/namespaces/a/leases/b'],
    ['a group without Namespace', role, {}, '/apis/rbac.authorization.k8s.io/v1/clusterroles'],
    [
      'a name that must be encoded',
      role,
      { name: 'system:node proxy' },
      '/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Anode%20proxy',
    ],
    ['a name with dots in it', service, { namespace: 'shop', name: 'a..b' }, '/api/v1/namespaces/shop/services/a..b'],
    [
      'a name with a query in it',
      service,
      { namespace: 'shop', name: 'a?b#c' },
      '/api/v1/namespaces/shop/services/a%3Fb%23c',
    ],
  ])('lead to %s', (_case, type, parts, path) => {
    expect(pathOf(type, parts)).toBe(path);
  });

  it.each(['', '.', '..', '../x', 'a/b', '/', '%2e%2e', '\ud800'])('refuse the name %j', (name) => {
    expect(() => getRequest(service, { namespace: 'shop', name })).toThrow(/^services: the name /);
  });

  it.each(['..', 'a/../b', 'kube-system/secrets'])('refuse the Namespace %j', (hostile) => {
    expect(() => getRequest(service, { namespace: hostile, name: 'x' })).toThrow(/^services: the Namespace /);
  });

  it('stay within the resource whatever the name', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter(), maxLength: 40 }), (name) => {
        let path: string;
        try {
          path = getRequest(service, { namespace: 'shop', name }).path;
        } catch {
          return;
        }
        const url = new URL(path, 'https://server');
        expect(url.pathname).toBe(path);
        expect(decodeURIComponent(path.slice('/api/v1/namespaces/shop/services/'.length))).toBe(name);
        expect(path.split('/')).toHaveLength(7);
      }),
    );
  });

  it('need a Namespace where the kind has one, and take none where it has not', () => {
    expect(() => getRequest(service, { name: 'cart' })).toThrow(
      'services cart: the object has no Namespace, and its kind needs one',
    );
    expect(() => getRequest(namespace, { namespace: 'x', name: 'y' })).toThrow(
      'namespaces are cluster-scoped: leave out the Namespace x',
    );
  });
});

const object: KubernetesObject & { readonly spec: object } = { metadata: { ...cart }, spec: { type: 'ClusterIP' } };

describe('requests', () => {
  it('list a page', () => {
    expect(
      listRequest(service, { namespace: 'shop', labelSelector: 'a in (b,c)', limit: 500, continueToken: 't/=' }),
    ).toEqual({
      method: 'GET',
      path: '/api/v1/namespaces/shop/services',
      query: { labelSelector: 'a in (b,c)', limit: '500', continue: 't/=' },
      headers: { accept: 'application/json' },
    });
  });

  it('list everything at once with limit 0', () => {
    expect(listRequest(service, { limit: 0 }).query).toEqual({});
  });

  it('watch with bookmarks', () => {
    const options = { resourceVersion: '7', timeoutSeconds: 289.2, fieldSelector: 'metadata.name=cart' };
    expect(watchRequest(service, options)).toEqual({
      method: 'GET',
      path: '/api/v1/services',
      query: {
        watch: 'true',
        allowWatchBookmarks: 'true',
        fieldSelector: 'metadata.name=cart',
        resourceVersion: '7',
        timeoutSeconds: '290',
      },
      headers: { accept: 'application/json' },
    });
  });

  it('fill in apiVersion and kind on create and update', () => {
    expect(createRequest(lease, object, { dryRun: true })).toEqual({
      method: 'POST',
      path: '/apis/coordination.k8s.io/v1/namespaces/shop/leases',
      query: { dryRun: 'All' },
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body: JSON.stringify({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', ...object }),
    });
    const strict = createRequest(lease, object, { fieldValidation: 'Strict' });
    expect(strict.query).toEqual({ fieldValidation: 'Strict' });
    const update = updateRequest(service, object, { subresource: 'status' });
    expect([update.method, update.path]).toEqual(['PUT', '/api/v1/namespaces/shop/services/cart/status']);
    expect(JSON.parse(update.body ?? '')).toEqual({ apiVersion: 'v1', kind: 'Service', ...object });
  });

  it('leave out an empty name where the server is to make one up', () => {
    const request = createRequest(service, { metadata: { name: '', generateName: 'cart-', namespace: 'shop' } }, {});
    expect(request.body).toBe(
      '{"apiVersion":"v1","kind":"Service","metadata":{"generateName":"cart-","namespace":"shop"}}',
    );
    expect(() => createRequest(service, { metadata: { name: '', namespace: 'shop' } }, {})).toThrow(
      'no name and no generateName',
    );
  });

  it.each([
    ['merge', { type: 'merge', body: { a: null } }, 'application/merge-patch+json', {}, '{"a":null}'],
    [
      'json',
      { type: 'json', body: [{ op: 'remove', path: '/a' }] },
      'application/json-patch+json',
      {},
      '[{"op":"remove","path":"/a"}]',
    ],
    ['strategic', { type: 'strategic', body: {} }, 'application/strategic-merge-patch+json', {}, '{}'],
    [
      'apply',
      { type: 'apply', body: { spec: 1 }, fieldManager: 'me', force: true },
      'application/apply-patch+yaml',
      { fieldManager: 'me', force: 'true' },
      '{"apiVersion":"v1","kind":"Service","spec":1}',
    ],
  ] as const)('send a %s patch with its content type', (_type, patch, contentType, query, body) => {
    expect(patchRequest(service, cart, patch, { subresource: 'status' })).toEqual({
      method: 'PATCH',
      path: '/api/v1/namespaces/shop/services/cart/status',
      query,
      headers: { accept: 'application/json', 'content-type': contentType },
      body,
    });
  });

  it('delete with a body only where it has content', () => {
    expect(deleteRequest(service, cart, {})).toEqual({
      method: 'DELETE',
      path: '/api/v1/namespaces/shop/services/cart',
      headers: { accept: 'application/json' },
    });
    const request = deleteRequest(service, cart, { preconditions: { uid: 'u' }, propagationPolicy: 'Foreground' });
    expect(JSON.parse(request.body ?? '')).toEqual({
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      preconditions: { uid: 'u' },
      propagationPolicy: 'Foreground',
    });
  });
});

describe('the metadata view of a type', () => {
  const view = metadataOf(service);

  it('asks for metadata only', () => {
    const one = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json';
    expect(getRequest(view, cart).headers).toEqual({ accept: one });
    expect(watchRequest(view, { resourceVersion: '1', timeoutSeconds: 1 }).headers).toEqual({ accept: one });
    expect(deleteRequest(view, cart, {}).headers).toEqual({ accept: one });
    expect(listRequest(view, {}).headers).toEqual({
      accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json',
    });
  });

  it('cannot be created or updated, because the rest of the object would be lost', () => {
    expect(() => updateRequest(view, object, {})).toThrow('services shop/cart: only its metadata is known');
    expect(() => createRequest(view, object, {})).toThrow('only its metadata is known');
  });
});

import { describe, expect, it } from 'vitest';
import type { Admission, AdmissionRequest } from '../core/core.ts';
import type { Stored } from '../store/stored.ts';
import { openAdmission, outcome, serverCore } from '../testing/server-core.ts';
import { readBuiltInScale, writeBuiltInScale } from './built-in-scale.ts';

const apps = 'apps/v1';
const place = { name: 'web', namespace: 'shop' };
const spec = {
  replicas: 2,
  selector: { matchLabels: { app: 'web' } },
  template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'web:1' }] } },
};

function setting(admission: Admission = openAdmission) {
  const server = serverCore(admission);
  server.put('v1', 'namespaces', { metadata: { name: 'shop' } });
  const made = server.create(apps, 'deployments', { metadata: { ...place, uid: 'd' }, spec });
  server.put(apps, 'deployments', { ...made, status: { replicas: 1 } });
  const target = server.target(apps, 'deployments', place, { subresource: 'scale' });
  const now = () => server.core.store.get('apps/deployments', 'shop/web');
  const replicas = () => (now()?.['spec'] as { readonly replicas?: number } | undefined)?.replicas;
  const put = (body: object) =>
    outcome(() =>
      writeBuiltInScale(server.core, target, {
        method: 'PUT',
        path: '/scale',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ apiVersion: 'autoscaling/v1', kind: 'Scale', ...body }),
      }),
    );
  const patch = (type: string, body: object) =>
    outcome(() =>
      writeBuiltInScale(server.core, target, {
        method: 'PATCH',
        path: '/scale',
        headers: { 'content-type': type },
        query: { fieldManager: 'own', force: 'true' },
        body: JSON.stringify(body),
      }),
    );
  return { ...server, target, now, replicas, put, patch };
}
const scale = (replicas: number | undefined, metadata: object = {}) => ({
  metadata: { ...place, ...metadata },
  spec: replicas === undefined ? {} : { replicas },
});

it('the Scale of an object has its replicas, and the labels of its Pods', async () => {
  const { core, target, now } = setting();
  expect(await readBuiltInScale(core, { ...target, subresource: undefined })).toEqual({
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: {
      ...place,
      uid: 'd',
      resourceVersion: now()?.metadata.resourceVersion,
      creationTimestamp: '2026-11-21T00:00:00Z',
    },
    spec: { replicas: 2 },
    status: { replicas: 1, selector: 'app=web' },
  });
});

describe('a Scale that is written', () => {
  it.each<readonly [string, object, number]>([
    ['sets the replicas', scale(5), 5],
    ['without replicas sets none', scale(undefined), 0],
    ['of this uid and version', scale(5, { uid: 'd' }), 5],
  ])('%s', async (_, body, replicas) => {
    const server = setting();
    // No replicas are written as none.
    expect(await server.put(body)).toMatchObject({ kind: 'Scale', spec: replicas === 0 ? {} : { replicas } });
    expect(server.replicas()).toBe(replicas);
    // The rest of the object stays.
    expect(server.now()?.['spec']).toMatchObject({ selector: spec.selector });
  });

  it.each<readonly [string, object, readonly unknown[]]>([
    [
      'of another name',
      scale(5, { name: 'other' }),
      [400, 'the name of the object (other) does not match the name on the URL (web)'],
    ],
    [
      'of less than none',
      scale(-1),
      [422, expect.stringContaining('spec.replicas: Invalid value: -1: must be greater than or equal to 0')],
    ],
    [
      'of another object',
      scale(5, { uid: 'e' }),
      [
        409,
        'Operation cannot be fulfilled on deployments.apps "web": StorageError: invalid object, Code: 4, Key: /deployments/shop/web, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: e, UID in object meta: d',
      ],
    ],
    [
      'of an earlier version',
      scale(5, { resourceVersion: '1' }),
      [409, expect.stringContaining('the object has been modified')],
    ],
  ])('%s is rejected', async (_, body, expected) => {
    const server = setting();
    expect(await server.put(body)).toEqual(expected);
    expect(server.replicas()).toBe(2);
  });

  it('may be patched', async () => {
    const server = setting();
    expect(await server.patch('application/merge-patch+json', { spec: { replicas: 3 } })).toMatchObject({
      spec: { replicas: 3 },
    });
    expect(server.replicas()).toBe(3);
  });

  it('has the manager that applies it, or that writes it', async () => {
    const managers = ({ now }: ReturnType<typeof setting>) =>
      (
        (now()?.metadata.managedFields ?? []) as readonly {
          readonly manager: string;
          readonly subresource?: string;
          readonly operation: string;
        }[]
      ).map(({ manager, operation, subresource }) => [manager, operation, subresource]);
    const applied = setting();
    const body = { apiVersion: 'autoscaling/v1', kind: 'Scale', ...scale(3) };
    expect(await applied.patch('application/apply-patch+yaml', body)).toMatchObject({ spec: { replicas: 3 } });
    expect(managers(applied)).toContainEqual(['test', 'Apply', 'scale']);
    const written = setting();
    await written.put(scale(3));
    expect(managers(written)).toContainEqual(['test', 'Update', 'scale']);
  });
});

describe('the admission of a Scale', () => {
  const noting = (seen: (readonly unknown[])[]): Admission => ({
    mutate: (_, request) => {
      seen.push(['mutate', ...shown(request)]);
      return Promise.resolve(request.object);
    },
    validate: (_, request) => {
      seen.push(['validate', ...shown(request)]);
      return Promise.resolve();
    },
  });
  const replicasOf = (object: Stored | undefined) =>
    (object?.['spec'] as { readonly replicas?: number } | undefined)?.replicas;
  const shown = ({ operation, object, before, body, options }: AdmissionRequest) => [
    operation,
    body?.kind,
    object?.kind,
    replicasOf(before),
    replicasOf(object),
    (options as { readonly kind: string }).kind,
  ];

  it.each(['PUT', 'PATCH'])('is that of the Scale, not of the object: %s', async (method) => {
    const seen: (readonly unknown[])[] = [];
    const server = setting(noting(seen));
    if (method === 'PUT') await server.put(scale(5));
    else await server.patch('application/merge-patch+json', { spec: { replicas: 5 } });
    const options = method === 'PUT' ? 'UpdateOptions' : 'PatchOptions';
    expect(seen).toEqual([
      ['mutate', 'UPDATE', 'Scale', 'Scale', 2, 5, options],
      ['validate', 'UPDATE', 'Scale', 'Scale', 2, 5, options],
    ]);
  });

  it('may change the replicas', async () => {
    const server = setting({
      ...openAdmission,
      mutate: (_, { object }) => Promise.resolve(object && { ...object, spec: { replicas: 7 } }),
    });
    await server.put(scale(5));
    expect(server.replicas()).toBe(7);
  });
});

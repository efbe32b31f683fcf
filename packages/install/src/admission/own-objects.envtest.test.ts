import { EndpointSlice, Endpoints, FixedName, Namespace, Service, ServiceImport } from '@isthmus/api';
import { isForbidden } from '@isthmus/kube';
import type { Client } from '@isthmus/kube';
import type { KubernetesObject, ResourceType } from '@isthmus/machinery';
import { installObjects, readManifest, startPolicedServer, waitLimitMs } from '@isthmus/testkit';
import type { PolicedServer } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

const namespace: string = FixedName.memberNamespace;
const wait = { timeout: waitLimitMs(), interval: 250 };
const marked = { labels: { 'app.kubernetes.io/managed-by': 'isthmus' } };
const imported = { annotations: { 'multicluster.antrea.io/imported-service': 'true' } };
const ports = [{ name: 'http', port: 80 }];

let policed: PolicedServer;
let admin: Client;
let controller: Client;

beforeAll(async () => {
  policed = await startPolicedServer({ name: 'own-objects' });
  ({ admin } = policed);
  await installObjects(admin, await readManifest('deploy/member.yaml'));
  await admin.create(Namespace, { metadata: { name: 'shop' } });
  controller = await policed.logIn(namespace, FixedName.controllerServiceAccount);
  const forbidden = () => controller.create(Service, service('cart'), { dryRun: true });
  await vi.waitFor(() => expect(forbidden()).rejects.toThrow('writes only imported objects'), wait);
});
afterAll(async () => {
  await policed?.[Symbol.asyncDispose]();
});

function service(name: string, metadata: object = {}): Service {
  return { metadata: { name, namespace: 'shop', ...metadata }, spec: { ports } };
}
function slice(name: string, metadata: object = {}): EndpointSlice {
  return { metadata: { name, namespace: 'shop', ...metadata }, addressType: 'IPv4', endpoints: [], ports: [] };
}
function serviceImport(name: string, metadata: object = {}): ServiceImport {
  return { metadata: { name, namespace: 'shop', ...metadata }, spec: { type: 'Headless', ports } };
}
function endpoints(name: string, metadata: object = {}): Endpoints {
  return { metadata: { name, namespace: 'shop', ...metadata }, subsets: [] };
}

async function outcome(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'accepted';
  } catch (error) {
    return isForbidden(error) && String(error).includes('writes only imported objects') ? 'rejected' : String(error);
  }
}

/** The answers to a patch and to a deletion of an object that an administrator has created. */
async function answersTo<T extends KubernetesObject>(type: ResourceType<T>, object: T, asController = false) {
  const { metadata } = await (asController ? controller : admin).create(type, object);
  const body = { metadata: { annotations: { changed: 'true' } } };
  const changed =
    type.kind === Endpoints.kind ? '-' : await outcome(controller.patch(type, metadata, { type: 'merge', body }));
  const deleted = await outcome(controller.delete(type, metadata));
  if (deleted !== 'accepted') await admin.delete(type, metadata);
  return [changed, deleted];
}

describe('the controller of a member', () => {
  it('writes what it imports', async () => {
    expect(await answersTo(Service, service('antrea-mc-cart', marked), true)).toEqual(['accepted', 'accepted']);
    expect(await answersTo(EndpointSlice, slice('antrea-mc-cart-x', marked), true)).toEqual(['accepted', 'accepted']);
    expect(await answersTo(ServiceImport, serviceImport('cart', marked), true)).toEqual(['accepted', 'accepted']);
  });

  it('writes what a member of Antrea imported', async () => {
    expect(await answersTo(Service, service('antrea-mc-cart', imported))).toEqual(['accepted', 'accepted']);
    expect(await answersTo(ServiceImport, serviceImport('cart'))).toEqual(['accepted', 'accepted']);
    expect(await answersTo(Endpoints, endpoints('antrea-mc-cart', imported))).toEqual(['-', 'accepted']);
  });

  it('writes no other objects', async () => {
    const no = ['rejected', 'rejected'];
    expect(await answersTo(Service, service('cart'))).toEqual(no);
    expect(await answersTo(Service, service('cart', marked))).toEqual(no);
    expect(await answersTo(Service, service('antrea-mc-cart'))).toEqual(no);
    expect(await answersTo(EndpointSlice, slice('cart-x', marked))).toEqual(no);
    expect(await answersTo(Endpoints, endpoints('cart', imported))).toEqual(['-', 'rejected']);
    expect(await answersTo(Endpoints, endpoints('antrea-mc-cart'))).toEqual(['-', 'rejected']);
    const ofOther = { labels: { 'app.kubernetes.io/managed-by': 'submariner' } };
    expect(await answersTo(ServiceImport, serviceImport('cart', ofOther))).toEqual(no);
    const api = { name: 'kubernetes', namespace: 'default' };
    const body = { metadata: { ...marked } };
    expect(await outcome(controller.patch(Service, api, { type: 'merge', body }))).toBe('rejected');
    expect(await outcome(controller.delete(Service, api))).toBe('rejected');
  });

  it('creates nothing that is not marked', async () => {
    const dry = { dryRun: true } as const;
    const found = [
      await outcome(controller.create(Service, service('antrea-mc-cart'), dry)),
      await outcome(controller.create(ServiceImport, serviceImport('cart'), dry)),
      await outcome(controller.create(EndpointSlice, slice('cart-x'), dry)),
    ];
    expect(found).toEqual(['rejected', 'rejected', 'rejected']);
  });
});

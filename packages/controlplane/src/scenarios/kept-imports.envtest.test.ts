import { setTimeout as delay } from 'node:timers/promises';
import { Secret, Service, ServiceImport } from '@isthmus/api';
import type { ServicePort } from '@isthmus/api';
import type { RealCluster, RealFleet } from '@isthmus/testkit';
import { leaderSecret } from '@isthmus/fleet-sim';
import { startRealFleet } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/**
 * A member on real API servers that runs without its leader: its own half of an import keeps
 * working. The tests are in the order of one story.
 */
let fleet: RealFleet;
const west = () => fleet.cluster('west');
const cart = { namespace: 'shop', name: 'cart' };
const derived = { namespace: 'shop', name: 'antrea-mc-cart' };
const secretRef = leaderSecret;
const http: readonly ServicePort[] = [{ name: 'http', protocol: 'TCP', port: 80, targetPort: 8080 }];

const pod = (name: string) => ({ namespace: 'shop', name });
const serve = (cluster: RealCluster, name: string, ip: string) => cluster.user.pod(pod(name), { app: 'cart', ip });
const own = async () => (await west().view.slices(cart)).filter((slice) => slice.startsWith('west'));
const others = async () => (await west().view.slices(cart)).filter((slice) => !slice.startsWith('west'));

beforeAll(async () => {
  fleet = await startRealFleet({ clusters: { east: 'member', west: 'member', north: 'leader' } });
  await Promise.all([fleet.cluster('east').user.namespace('shop'), west().user.namespace('shop')]);
  const eastUser = fleet.cluster('east').user;
  await eastUser.exportService(cart, http, '10.10.3.4');
  await west().user.service(cart, { ports: http, selector: { app: 'cart' } });
  await serve(west(), 'cart-0', '10.20.1.5');
  await west().user.export(cart);
  await fleet.eventually('own Pods serve', own, ['west: 10.20.1.5 http:8080']);
  await fleet.eventually('so does the other cluster', async () => (await others()).length, 1);
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

interface Way {
  readonly what: string;
  readonly cutOff: () => Promise<unknown>;
  readonly condition: string;
  readonly mend: () => Promise<unknown>;
}

let secret: Secret | undefined;
const ways: readonly Way[] = [
  {
    what: 'the leader cannot be reached after a restart',
    async cutOff() {
      await fleet.leader.server.stop('kube-apiserver');
      await west().stop('member');
      await west().start('member');
    },
    condition: 'False Disconnected',
    mend: () => fleet.leader.server.start('kube-apiserver'),
  },
  {
    what: 'the Secret with the token is missing, also after a restart',
    async cutOff() {
      secret = await west().admin.get(Secret, secretRef);
      await west().user.remove(Secret, secretRef);
      await fleet.eventually('it is missed', () => west().view.clusterSet(), 'False SecretNotFound');
      await west().stop('member');
      await west().start('member');
    },
    condition: 'False SecretNotFound',
    async mend() {
      await west().admin.create(Secret, { metadata: { ...secretRef }, type: 'Opaque', data: secret?.data });
    },
  },
];

describe.each(ways)('while $what', ({ cutOff, condition, mend }) => {
  it('own Pods of an import come and go, drift is repaired, and the import stays at its address', async () => {
    const before = { ip: await west().view.importedIP(cart), others: await others() };
    const { metadata } = await west().admin.get(Service, derived);
    await cutOff();
    await fleet.eventually('it is reported', () => west().view.clusterSet(), condition);
    await serve(west(), 'cart-1', '10.20.1.6');
    await fleet.eventually('a new Pod serves', own, ['west: 10.20.1.5,10.20.1.6 http:8080']);
    await west().shell('kubectl delete pod cart-0 -n shop --grace-period=0 --force');
    await fleet.eventually('a deleted Pod does not', own, ['west: 10.20.1.6 http:8080']);

    const wrong = { spec: { selector: { app: 'mine' }, ports: [{ name: 'x', port: 4, protocol: 'TCP' }] } };
    await west().admin.patch(Service, derived, { type: 'merge', body: wrong });
    await fleet.eventually(
      'the Service is repaired',
      async () => {
        const { spec } = await west().admin.get(Service, derived);
        return [spec?.selector ?? null, (spec?.ports ?? []).map(({ name, port }) => `${name ?? ''} ${port}`)];
      },
      [null, ['http 80']],
    );
    expect((await west().admin.get(Service, derived)).metadata.uid).toBe(metadata.uid);
    // After half a minute, it shows that it does not follow its exporters.
    expect(['True Ready', 'Unknown NotConnected']).toContain(await west().view.imported(cart));
    expect({ ip: await west().view.importedIP(cart), others: await others() }).toEqual(before);

    await mend();
    await fleet.eventually('west is connected again', () => west().view.clusterSet(), 'True Connected');
    await west().shell('kubectl delete pod cart-1 -n shop --grace-period=0 --force');
    await serve(west(), 'cart-0', '10.20.1.5');
    await fleet.eventually('and all is as before', own, ['west: 10.20.1.5 http:8080']);
    expect({ ip: await west().view.importedIP(cart), others: await others() }).toEqual(before);
  });
});

it('a derived Service that is deleted is back with its address', async () => {
  const { metadata, spec } = await west().admin.get(Service, derived);
  await west().admin.delete(Service, derived);
  const back = await fleet.until('it is back', async () => {
    const found = await west().user.find(Service, derived);
    return found?.metadata.uid === metadata.uid ? undefined : found;
  });
  expect(back.spec?.clusterIP).toBe(spec?.clusterIP);
});

it('a ServiceImport that a finalizer holds is deleted once, with its Service, and created again when it is gone', async () => {
  const ref = { namespace: 'shop', name: 'held' };
  const held = { namespace: 'shop', name: 'antrea-mc-held' };
  const east = fleet.cluster('east');
  await east.user.exportService(ref, http, '10.10.3.9');
  await fleet.until('it is imported', () => west().user.find(ServiceImport, ref));
  const body = { metadata: { finalizers: ['example.com/cleanup'] } };
  await west().admin.patch(ServiceImport, ref, { type: 'merge', body });
  await east.user.unexport(ref);
  await fleet.eventually('it is reported', () => west().view.imported(ref), 'False BeingDeleted');
  expect(await west().user.find(Service, held)).toBeUndefined();
  const { metadata } = await west().admin.get(ServiceImport, ref);
  await delay(3_000);
  expect((await west().admin.get(ServiceImport, ref)).metadata.resourceVersion).toBe(metadata.resourceVersion);
  expect(await west().user.find(Service, held)).toBeUndefined();
  await east.user.export(ref);
  await fleet.until('its Service is created again', () => west().user.find(Service, held));
  expect(await west().view.imported(ref)).toBe('False BeingDeleted');
  await west().admin.patch(ServiceImport, ref, { type: 'merge', body: { metadata: { finalizers: null } } });
  await fleet.until('it is created again', async () => {
    const found = await west().user.find(ServiceImport, ref);
    return found?.metadata.uid === metadata.uid ? undefined : found;
  });
});

import { ClusterSet, Event, ResourceExport, Role, RoleBinding, Service, ServiceAccount } from '@isthmus/api';
import type { Client } from '@isthmus/kube';
import { systemClock } from '@isthmus/kube';
import { conditionOf } from '@isthmus/machinery';
import { clusterSetName, leaderNamespace, memberNamespace } from '@isthmus/fleet-sim';
import type { RealFleet } from '@isthmus/testkit';
import { createAntreaMember, serviceAccountToken, startRealFleet, tokenClient } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exportService } from '../testing/attacks/as-antrea.ts';
import { attackerOf } from '../testing/attacks/attack.ts';

const shop = 'shop';
const exported = 400;
/** A /24 without its first and its last address. */
const addresses = 254;
const evil = { ...attackerOf(1), id: 'evil' };

let fleet: RealFleet;
beforeAll(async () => {
  fleet = await startRealFleet({
    clusters: { north: 'leader', east: 'member' },
    serviceCIDRs: { east: '10.97.0.0/24' },
  });
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

/** Does the work over some connections. */
async function atOnce(count: number, work: (at: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async () => {
    for (let at = next++; at < count; at = next++) await work(at);
  };
  await Promise.all(Array.from({ length: 8 }, worker));
}

/** A client with the token of an account that may create Services in one Namespace. */
async function tenantOf({ admin, server }: RealFleet['leader']): Promise<Client> {
  const ref = { namespace: shop, name: 'tenant' };
  await admin.create(ServiceAccount, { metadata: ref });
  await admin.create(Role, {
    metadata: ref,
    rules: [{ apiGroups: [''], resources: ['services'], verbs: ['create'] }],
  });
  await admin.create(RoleBinding, {
    metadata: ref,
    roleRef: { apiGroup: RoleBinding.group, kind: 'Role', name: ref.name },
    subjects: [{ kind: 'ServiceAccount', ...ref }],
  });
  const token = await serviceAccountToken(admin, shop, ref.name);
  const { url, caData } = server;
  return tokenClient({ url, caData, token }, { clock: systemClock() });
}

const own = (at: number): Service => ({
  metadata: { namespace: shop, name: `own-${at}` },
  spec: { ports: [{ port: 80 }] },
});

describe('a member that exports 400 Services into a cluster whose Service range is a /24', () => {
  it('leaves addresses for the tenants there, and exporter and importer name it', async () => {
    const east = fleet.cluster('east');
    await east.user.namespace(shop);
    using member = await createAntreaMember(fleet.leader, {
      clusterID: evil.id,
      namespace: leaderNamespace,
      clusterSetID: clusterSetName,
      leaderClusterID: 'north',
    });
    await member.beat();
    await atOnce(exported, async (at) => {
      for (const { type, object } of exportService(evil, { name: `s${at}` })) await member.client.create(type, object);
    });
    const imported = async () =>
      (await east.admin.list(Service, { namespace: shop })).items.filter(({ metadata }) =>
        metadata.name.startsWith('antrea-mc-'),
      );
    const failed = async () => {
      const { items } = await fleet.leader.admin.list(ResourceExport, { namespace: leaderNamespace });
      return items.flatMap(({ status }) => conditionOf(status?.conditions, 'ImportFailed')?.message ?? []);
    };
    await fleet.until('the exporter reads it', async () =>
      (await failed()).some((text) => text.includes('a quarter of the')),
    );
    // It has as many as it may have, and gets no more.
    const quarter = Math.floor((addresses - 1) / 4);
    await fleet.eventually('its share is imported', async () => (await imported()).length, quarter);
    await fleet.steadily('its share is imported', async () => (await imported()).length, quarter, 3_000);

    using tenant = closing(await tenantOf(east));
    await fleet.until('the tenant has its rights', () => tenant.client.create(Service, own(0)));
    await atOnce(99, (at) => tenant.client.create(Service, own(at + 1)));
    const { items } = await east.admin.list(Event, { namespace: memberNamespace });
    const told = items.filter(
      ({ reason, involvedObject }) => reason === 'OverQuota' && involvedObject.kind === ClusterSet.kind,
    );
    expect(told.map(({ message = '' }) => message).join('\n')).toContain('Cluster evil has');
  });
});

function closing(client: Client): Disposable & { readonly client: Client } {
  return { client, [Symbol.dispose]: () => client.close() };
}

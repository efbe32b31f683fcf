import { Annotation, ClusterSet, MemberClusterAnnounce, ResourceExport, ServiceAccount } from '@isthmus/api';
import { conditionOf } from '@isthmus/machinery';
import type { VirtualFleet } from '@isthmus/fleet-sim';
import {
  clusterSetCondition,
  clusterSetName,
  createVirtualFleet,
  eventsOf,
  leaderNamespace as namespace,
  recordWrites,
} from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';

const clusters = { north: 'leader', east: 'member', west: 'member' } as const;
const account = { namespace, name: 'member-evil' };
const other = { namespace, name: 'member-east' };

/** A hundredth of the usual quota, and everything is written at a hundredth of the usual pace. */
const leaderConfig = { memberWrites: { megabytesPerMinute: 0.64, rewritesPerMinute: 120 } };

async function fleetWithEvil(): Promise<VirtualFleet> {
  const fleet = await createVirtualFleet({ clusters, leaderConfig });
  const { admin } = fleet.leader.server;
  admin.put(ServiceAccount, { metadata: { ...account, annotations: { [Annotation.clusterID]: 'evil' } } });
  admin.put(ServiceAccount, { metadata: { ...other, annotations: { [Annotation.clusterID]: 'east' } } });
  await fleet.clock.advance(30_000);
  return fleet;
}

/** An export as a member writes it, of about `bytes`. */
function exportOf(clusterID: string, name: string, bytes: number): ResourceExport {
  return {
    metadata: {
      name: `${clusterID}-shop-${name}-service`,
      namespace,
      annotations: { filling: 'x'.repeat(bytes) },
      labels: { sourceClusterID: clusterID, sourceKind: 'Service', sourceName: name, sourceNamespace: 'shop' },
    },
    spec: { clusterID, kind: 'Service', namespace: 'shop', name, service: { serviceSpec: {} } },
  };
}

/**
 * Writes that often in a second of virtual time, for that many seconds, until the account is
 * suspended.
 */
async function flood(fleet: VirtualFleet, perSecond: number, seconds: number, write: (n: number) => void) {
  for (let second = 1; second <= seconds; second++) {
    for (let n = 0; n < perSecond; n++) write(second * perSecond + n);
    await fleet.clock.advance(1_000);
    if (suspended(fleet) !== undefined) return second;
  }
  return undefined;
}

const suspended = (fleet: VirtualFleet, ref = account) =>
  fleet.leader.server.admin.get(ServiceAccount, ref)?.metadata.annotations?.[Annotation.suspended];
const reported = (fleet: VirtualFleet) =>
  conditionOf(
    fleet.leader.server.admin.get(ClusterSet, { namespace, name: clusterSetName })?.status?.conditions,
    'MembersSuspended',
  );

describe('a member that writes as fast as it can', () => {
  it('is suspended within ten seconds by name, with figures and the command that ends it, and no other one is', async () => {
    await using fleet = await fleetWithEvil();
    const { admin } = fleet.leader.server;
    const seconds = await flood(fleet, 12, 30, (n) =>
      admin.put(ResourceExport, exportOf('evil', `s${n % 4}`, 12_500 + n)),
    );
    expect(seconds).toBeLessThanOrEqual(10);
    await fleet.until('the ClusterSet reports it', () => reported(fleet) !== undefined, 5_000);
    expect(reported(fleet)).toMatchObject({ status: 'True', reason: 'MemberSuspended' });
    expect(reported(fleet)?.message).toMatch(
      /^ServiceAccount member-evil of cluster "evil" is suspended and can write nothing: "\S+ it wrote 1[0-9.]* MB and rewrote objects \d+ times in \d+ s, and may write 0\.64 MB and 120 rewrites per minute"\. .*: kubectl -n antrea-multicluster annotate serviceaccount member-evil isthmus\.dev\/suspended-$/,
    );
    expect(eventsOf(fleet.leader).filter((event) => event.startsWith('MemberSuspended'))).toHaveLength(1);
    expect(suspended(fleet, other)).toBeUndefined();
    for (const name of ['east', 'west']) expect(clusterSetCondition(fleet.cluster(name))).toBe('True Connected');
  });

  it('is suspended with its announcement, and with exports that it deletes again', async () => {
    await using fleet = await fleetWithEvil();
    const { admin } = fleet.leader.server;
    const announcement = (n: number) =>
      admin.put(MemberClusterAnnounce, {
        metadata: { namespace, name: 'member-announce-from-evil', annotations: { n: String(n) } },
        clusterID: 'evil',
        clusterSetID: clusterSetName,
        leaderClusterID: 'north',
      });
    expect(await flood(fleet, 10, 30, announcement)).toBeLessThanOrEqual(10);
    admin.patch(ServiceAccount, account, { metadata: { annotations: { [Annotation.suspended]: null } } });
    await fleet.clock.advance(60_000);
    const churn = (n: number) => {
      const object = exportOf('evil', `s${n}`, 10);
      admin.put(ResourceExport, object);
      admin.delete(ResourceExport, { namespace, name: object.metadata.name });
    };
    expect(await flood(fleet, 10, 30, churn)).toBeLessThanOrEqual(10);
  });

  it('stays suspended when the leader restarts, until a person lets it write again', async () => {
    await using fleet = await fleetWithEvil();
    const { admin } = fleet.leader.server;
    const write = (n: number) => admin.put(ResourceExport, exportOf('evil', 's', 12_500 + n));
    await flood(fleet, 12, 30, write);
    const before = suspended(fleet);
    fleet.leader.kill();
    await fleet.clock.advance(5_000);
    fleet.leader.start();
    await fleet.clock.advance(60_000);
    expect(suspended(fleet)).toBe(before);
    const writes = recordWrites(fleet);
    await fleet.clock.advance(60_000);
    expect(writes().filter((line) => line.includes('serviceaccounts'))).toEqual([]);
    expect(reported(fleet)?.reason).toBe('MemberSuspended');
    admin.patch(ServiceAccount, account, { metadata: { annotations: { [Annotation.suspended]: null } } });
    await fleet.until('it is not reported any more', () => reported(fleet) === undefined, 5_000);
    await flood(fleet, 1, 60, write);
    expect(suspended(fleet)).toBeUndefined();
  });

  it('is reported if the leader may not suspend it, until it may', async () => {
    await using fleet = await fleetWithEvil();
    const { admin } = fleet.leader.server;
    const isAnnotating = ({ method, path }: { readonly method: string; readonly path: string }) =>
      method === 'PATCH' && path.endsWith(`/serviceaccounts/${account.name}`);
    const restore = fleet
      .link('north-leader', 'north')
      .add({ match: isAnnotating, fault: { kind: 'status', code: 403 } });
    const write = (n: number) => admin.put(ResourceExport, exportOf('evil', 's', 12_500 + n));
    await flood(fleet, 12, 15, write);
    await fleet.until('it is reported', () => reported(fleet)?.reason === 'MemberNotSuspended', 10_000);
    expect(reported(fleet)?.message).toContain(
      'kubectl -n antrea-multicluster annotate serviceaccount member-evil isthmus.dev/suspended=true',
    );
    restore();
    await fleet.until('it is suspended', () => reported(fleet)?.reason === 'MemberSuspended', 10_000);
  });
});

describe('a member that behaves', () => {
  it('exports all at once, rewrites all of it twice, and leaves, without being suspended', async () => {
    await using fleet = await createVirtualFleet({ clusters: { north: 'leader' }, leaderConfig });
    const { admin } = fleet.leader.server;
    admin.put(ServiceAccount, { metadata: { ...account, annotations: { [Annotation.clusterID]: 'evil' } } });
    await fleet.clock.advance(10_000);
    const names = Array.from({ length: 200 }, (_, index) => `s${index}`);
    for (const bytes of [900, 901, 902]) {
      for (const name of names) admin.put(ResourceExport, exportOf('evil', name, bytes));
      await fleet.clock.advance(2_000);
    }
    await fleet.clock.advance(60_000);
    for (const name of names) admin.delete(ResourceExport, { namespace, name: `evil-shop-${name}-service` });
    await fleet.clock.advance(10_000);
    expect(suspended(fleet)).toBeUndefined();
    expect(reported(fleet)).toBeUndefined();
  });
});

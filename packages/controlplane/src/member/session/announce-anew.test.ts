import { MemberClusterAnnounce, ResourceExport, memberAnnounceName } from '@isthmus/api';
import { createVirtualFleet, exportCart, leaderNamespace } from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';

describe('an announcement that somebody deletes', () => {
  it('is made again before the next heartbeat, and what was exported stays', async () => {
    await using fleet = await createVirtualFleet({ clusters: { north: 'leader', west: 'member' } });
    const { admin } = fleet.leader.server;
    exportCart(fleet.cluster('west'), '10.20.1.5');
    await fleet.until('exported', () => admin.list(ResourceExport).length === 2);
    const ref = { namespace: leaderNamespace, name: memberAnnounceName('west') };
    const before = admin.get(MemberClusterAnnounce, ref)?.metadata.uid;
    const exported = admin.list(ResourceExport).map(({ metadata }) => metadata.uid);
    expect(before).toBeDefined();
    admin.delete(MemberClusterAnnounce, ref);
    await fleet.until(
      'announced again',
      () => {
        const after = admin.get(MemberClusterAnnounce, ref)?.metadata.uid;
        return after !== undefined && after !== before;
      },
      5_000,
    );
    expect(admin.list(ResourceExport).map(({ metadata }) => metadata.uid)).toEqual(exported);
  });
});

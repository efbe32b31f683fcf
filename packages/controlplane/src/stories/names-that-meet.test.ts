import {
  MemberClusterAnnounce,
  ResourceExport,
  ResourceImport,
  Service,
  ServiceImport,
  importedServiceName,
  memberAnnounceName,
} from '@isthmus/api';
import type { ResourceType } from '@isthmus/machinery';
import type { VirtualFleet } from '@isthmus/fleet-sim';
import {
  createVirtualFleet,
  eventsOf,
  exportCondition,
  exportMessage,
  exportService,
  importedPorts,
  leaderNamespace,
  putService,
  unexportService,
} from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import { runAntreaLeader } from '../adversary/testing/antrea-leader.ts';

const pair = { north: 'leader', west: 'member' } as const;
const http = (port: number) => [{ name: 'http', protocol: 'TCP', port, targetPort: 8080 }];
const exportsOf = (fleet: VirtualFleet) => fleet.leader.server.admin.list(ResourceExport, leaderNamespace);
const serviceExport = (fleet: VirtualFleet, name: string) =>
  fleet.leader.server.admin.get(ResourceExport, { namespace: leaderNamespace, name })?.spec?.service?.serviceSpec;

describe('a Service whose name another Service of the cluster has on the leader', () => {
  const [first, second] = [
    { namespace: 'prod', name: 'web-api' },
    { namespace: 'prod-web', name: 'api' },
  ];
  const states = (fleet: VirtualFleet) =>
    [first, second].map((ref) => exportCondition(fleet.cluster('west'), 'Ready', ref)).join();
  const namesOf = (fleet: VirtualFleet) => exportsOf(fleet).map(({ metadata }) => metadata.name);
  const dotted = ['west-prod-web.api-endpoints', 'west-prod-web.api-service'];

  async function exportBoth(fleet: VirtualFleet): Promise<void> {
    const west = fleet.cluster('west');
    for (const [index, ref] of [first, second].entries()) {
      putService(west, http(80 + index), ref);
      exportService(west, ref);
      await fleet.until('it is answered', () => exportCondition(west, 'Ready', ref) !== undefined, 10_000);
    }
  }

  it('is exported under a name with a dot, keeps it when the other is gone, and withdraws it in the end', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair });
    const west = fleet.cluster('west');
    await exportBoth(fleet);
    await fleet.until('both are exported', () => states(fleet) === 'True Exported,True Exported');
    expect(serviceExport(fleet, 'west-prod-web-api-service')?.ports?.[0]?.port).toBe(80);
    expect(serviceExport(fleet, 'west-prod-web.api-service')?.ports?.[0]?.port).toBe(81);
    await fleet.until('both are imported', () => importedPorts(west, second).join() === 'http TCP 81');
    // Neither was ever reported as failed.
    expect(eventsOf(west)).toEqual([]);
    unexportService(west, first);
    await fleet.until('the first is gone', () => west.server.admin.get(ServiceImport, first) === undefined, 1_000);
    west.kill();
    west.start();
    await fleet.clock.advance(60_000);
    expect(namesOf(fleet)).toEqual(dotted);
    expect(importedPorts(west, second).join()).toBe('http TCP 81');
    putService(west, http(82), second);
    await fleet.until('a change is exported', () => importedPorts(west, second).join() === 'http TCP 82');
    unexportService(west, second);
    await fleet.until('both are gone', () => namesOf(fleet).length === 0, 2_000);
    await fleet.until('also here', () => west.server.admin.get(ServiceImport, second) === undefined, 1_000);
  });

  it('is exported under both names when a cluster joins with both, without a failure on the way', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair });
    const west = fleet.cluster('west');
    west.kill();
    for (const [index, ref] of [first, second].entries()) {
      putService(west, http(80 + index), ref);
      exportService(west, ref);
    }
    fleet.leader.server.admin.remove(MemberClusterAnnounce, {
      namespace: leaderNamespace,
      name: memberAnnounceName('west'),
    });
    west.start();
    await fleet.until('both are exported', () => states(fleet) === 'True Exported,True Exported', 10_000);
    expect(eventsOf(west).filter((event) => event.includes('ServiceExport'))).toEqual([]);
  });

  it.each([
    ['its exports', ResourceExport, /^west-prod-web\.api-/],
    ['the exports of both', ResourceExport, /^west-/],
    ['its imports', ResourceImport, /^prod-web\.api-/],
    ['all imports', ResourceImport, /./],
  ])('keeps its import when the leader loses %s', async (_, type: ResourceType, lost) => {
    await using fleet = await createVirtualFleet({ clusters: pair });
    const west = fleet.cluster('west');
    await exportBoth(fleet);
    const imported = () =>
      [first, second].map(({ namespace, name }) => {
        const found = west.server.admin.get(Service, { namespace, name: importedServiceName(name) });
        return `${found?.metadata.uid} ${found?.spec?.ports?.[0]?.port}`;
      });
    await fleet.until('both are imported', () => imported().every((one) => !one.includes('undefined')));
    const before = imported();
    const { admin } = fleet.leader.server;
    fleet.leader.kill();
    for (const { metadata } of admin.list(type, leaderNamespace))
      if (lost.test(metadata.name)) admin.remove(type, metadata);
    fleet.leader.start();
    for (let seconds = 0; seconds < 180; seconds++) {
      await fleet.clock.advance(1_000);
      expect(imported()).toEqual(before);
    }
    expect(states(fleet)).toBe('True Exported,True Exported');
    expect(exportsOf(fleet)).toHaveLength(4);
    expect(admin.list(ResourceImport, leaderNamespace)).toHaveLength(4);
  });

  it('is reported under a leader that does not accept names with a dot, and exported when the name is free', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair });
    const west = fleet.cluster('west');
    fleet.leader.kill('leader');
    const { admin } = fleet.leader.server;
    const announce = { namespace: leaderNamespace, name: memberAnnounceName('west') };
    admin.remove(MemberClusterAnnounce, announce);
    runAntreaLeader(fleet);
    await fleet.clock.advance(15_000);
    await exportBoth(fleet);
    await fleet.until('the second is answered', () => states(fleet) === 'True Exported,False Failed', 60_000);
    expect(exportMessage(west, 'Ready', second)).toMatch(
      /ResourceExport west-prod-web-api-service on leader north already belongs to prod\/web-api/,
    );
    expect(namesOf(fleet).filter((name) => dotted.includes(name))).toEqual([]);
    unexportService(west, first);
    await fleet.until('the second is exported', () => exportCondition(west, 'Ready', second) === 'True Exported');
    await fleet.until('and imported', () => importedPorts(west, second).join() === 'http TCP 81');
    await fleet.until('the first is gone', () => west.server.admin.get(ServiceImport, first) === undefined, 5_000);
  });

  it('withdraws its name with a dot when an Antrea leader takes over, and has one again when ours is back', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair });
    await exportBoth(fleet);
    await fleet.until('both are exported', () => states(fleet) === 'True Exported,True Exported');
    fleet.leader.kill('leader');
    const end = runAntreaLeader(fleet);
    const left = () => namesOf(fleet).filter((name) => dotted.includes(name)).length;
    await fleet.until('the names with a dot are gone', () => left() === 0, 120_000);
    await fleet.until('the second is answered', () => states(fleet) === 'True Exported,False Failed');
    end();
    fleet.leader.start('leader');
    await fleet.until('both are exported', () => states(fleet) === 'True Exported,True Exported', 60_000);
  });

  it('keeps no half of an export under a name whose other half belongs to another Service, or both would wait forever', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair });
    const west = fleet.cluster('west');
    await exportBoth(fleet);
    // As after a crash between the two withdrawals of the first, when the second has taken the
    // name.
    west.kill();
    const name = 'west-prod-web-api-service';
    const { admin } = fleet.leader.server;
    const held = admin.get(ResourceExport, { namespace: leaderNamespace, name });
    const labels = { ...held?.metadata.labels, sourceNamespace: second.namespace, sourceName: second.name };
    admin.put(ResourceExport, {
      metadata: { ...held?.metadata, name, namespace: leaderNamespace, labels },
      spec: { ...held?.spec, namespace: second.namespace, name: second.name },
    });
    west.start();
    await fleet.until('both are exported', () => states(fleet) === 'True Exported,True Exported', 120_000);
    await fleet.until('and imported', () => importedPorts(west, second).join() === 'http TCP 81');
    const ofSecond = exportsOf(fleet).filter(({ spec }) => spec?.name === second.name);
    expect(ofSecond).toHaveLength(2);
  });
});

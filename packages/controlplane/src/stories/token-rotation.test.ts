import { ResourceExport, Secret, ServiceImport } from '@isthmus/api';
import {
  createVirtualFleet,
  exportService,
  leaderNamespace,
  leaderSecret,
  memberNamespace,
  putService,
  westPorts,
} from '@isthmus/fleet-sim';
import { expect, it } from 'vitest';

const three = { north: 'leader', east: 'member', west: 'member' } as const;
const names = Array.from({ length: 12 }, (_, index) => `s-${index}`);
const refOf = (name: string) => ({ namespace: 'shop', name });

it('a token that is rotated while requests are under way loses no export', async () => {
  await using fleet = await createVirtualFleet({ clusters: three });
  putService(fleet.cluster('east'), westPorts, refOf('other'));
  const slow = { kind: 'latency', ms: 400 } as const;
  fleet.link('west-member', 'north').add({ match: ({ method }) => method !== 'GET', fault: slow });
  const west = fleet.cluster('west');
  for (const name of names) {
    putService(west, westPorts, refOf(name));
    exportService(west, refOf(name));
  }
  let rotations = 0;
  while (rotations < 5) {
    await fleet.clock.advance(700);
    const before = rotations === 0 ? 'member-west' : `rotated-${rotations}`;
    rotations++;
    west.server.admin.put(Secret, {
      metadata: { name: leaderSecret.name, namespace: memberNamespace },
      data: { 'ca.crt': btoa('a certificate'), token: btoa(`rotated-${rotations}`) },
    });
    fleet.revoke(before);
  }
  await fleet.until(
    'all are imported',
    () => fleet.cluster('east').server.admin.list(ServiceImport).length === names.length,
    120_000,
  );
  expect(fleet.leader.server.admin.list(ResourceExport, leaderNamespace)).toHaveLength(2 * names.length);
});

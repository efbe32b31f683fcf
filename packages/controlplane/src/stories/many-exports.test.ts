import type { ResourceImport } from '@isthmus/api';
import { ClusterSet, ResourceExport } from '@isthmus/api';
import { conditionOf } from '@isthmus/machinery';
import type { VirtualFleet } from '@isthmus/fleet-sim';
import {
  createVirtualFleet,
  exportCondition,
  exportService,
  leaderNamespace,
  putAntreaExports,
  putService,
  westPorts,
} from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import { exportLimits } from '../common-area/limits.ts';

const http = [{ name: 'http', protocol: 'TCP', port: 80 }];
const names = (count: number) => Array.from({ length: count }, (_, index) => `s-${index}`);

function putExports(fleet: VirtualFleet, all: readonly string[]): void {
  const subsets = [{ addresses: [{ ip: '10.96.7.7' }], ports: http }];
  for (const name of all) putAntreaExports(fleet, 'greedy', { namespace: 'shop', name, ports: http, subsets });
}

/** Counts the Services that are published from now on, without a list at each look. */
function countPublished(fleet: VirtualFleet): () => number {
  let count = 0;
  fleet.leader.server.admin.onChange(({ resource, before, after }) => {
    const object: ResourceImport | undefined = after;
    if (resource.endsWith('/resourceimports') && before === undefined && object?.spec?.kind === 'ServiceImport')
      count++;
  });
  return () => count;
}

const isIgnored = (fleet: VirtualFleet) =>
  fleet.leader.server.admin
    .list(ClusterSet)
    .some(({ status }) => conditionOf(status?.conditions, 'ExportsIgnored') !== undefined);

describe('many small exports of one member', () => {
  it('are published by a leader that starts with them, and those that come at once while it runs', async () => {
    await using fleet = await createVirtualFleet({ clusters: { north: 'leader' } });
    const [before, meanwhile] = [names(60).slice(0, 30), names(60).slice(30)];
    const published = countPublished(fleet);
    fleet.leader.kill();
    putExports(fleet, before);
    fleet.leader.start();
    await fleet.until('those of before are published', () => published() === before.length);
    putExports(fleet, meanwhile);
    await fleet.until('all are published', () => published() === before.length + meanwhile.length);
    await fleet.clock.advance(5_000);
    expect(isIgnored(fleet)).toBe(false);
  });

  it('are within the limits, 10,000 Services and as large as those of a member of ours', async () => {
    await using fleet = await createVirtualFleet({ clusters: { north: 'leader', west: 'member' } });
    const ref = { namespace: 'shop', name: 'a-name-as-long-as-those-of-most-services' };
    putService(fleet.cluster('west'), westPorts, ref);
    exportService(fleet.cluster('west'), ref);
    await fleet.until('it is exported', () => exportCondition(fleet.cluster('west'), 'Ready', ref) === 'True Exported');
    const sizes = fleet.leader.server.admin
      .list(ResourceExport, leaderNamespace)
      .map((object) => JSON.stringify(object).length);
    expect(sizes).toHaveLength(2);
    expect(exportLimits.objects).toBeGreaterThanOrEqual(20_000);
    expect(exportLimits.bytes).toBeGreaterThan(10_000 * sizes.reduce((sum, size) => sum + size, 0));
  });
});

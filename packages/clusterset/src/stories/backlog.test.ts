import { Namespace, Service, ServiceExport } from '@isthmus/api';
import type { VirtualFleet } from '@isthmus/testkit';
import { createVirtualFleet, exportCondition, exportService, recordWrites } from '@isthmus/testkit';
import { describe, expect, it } from 'vitest';

const clusters = { north: 'leader', west: 'member' } as const;
const count = 40;
const refs = Array.from({ length: count }, (_, index) => ({ namespace: 'shop', name: `s-${index}` }));
const http = [{ name: 'http', protocol: 'TCP', port: 80 }];

/** A fleet whose leader needs `ms` for each write to its API server, and a member that exports many Services at once. */
async function busyFleet(ms: number): Promise<VirtualFleet> {
  const fleet = await createVirtualFleet({ clusters });
  const slow = { kind: 'latency', ms } as const;
  fleet.link('north-leader', 'north').add({ match: ({ method }) => method !== 'GET', fault: slow });
  const west = fleet.cluster('west');
  west.server.admin.put(Namespace, { metadata: { name: 'shop' } });
  for (const ref of refs) {
    west.server.admin.put(Service, { metadata: ref, spec: { ports: http } });
    exportService(west, ref);
  }
  return fleet;
}

const conditions = (fleet: VirtualFleet) => refs.map((ref) => exportCondition(fleet.cluster('west'), 'Ready', ref));
const statusWrites = (writes: readonly string[]) =>
  writes.filter((line) => line.includes(`/${ServiceExport.plural}/`) && line.includes('/status'));

describe('a leader that works through many exports', () => {
  it('costs each ServiceExport one status write, without a pending state meanwhile', async () => {
    await using fleet = await busyFleet(300);
    const writes = recordWrites(fleet);
    await fleet.until(
      'half are exported',
      () => conditions(fleet).filter((said) => said === 'True Exported').length > 20,
    );
    expect(new Set(conditions(fleet))).toEqual(new Set(['True Exported', 'none']));
    await fleet.until('all are exported', () => conditions(fleet).every((said) => said === 'True Exported'));
    expect(statusWrites(writes())).toHaveLength(count);
  });

  it('is named on those that have waited for half a minute', async () => {
    await using fleet = await busyFleet(2_000);
    await fleet.until('some are exported', () => conditions(fleet).includes('True Exported'));
    await fleet.until('the others are told', () => !conditions(fleet).includes('none'), 31_000);
    expect(new Set(conditions(fleet))).toEqual(new Set(['True Exported', 'False Pending']));
    await fleet.until('all are exported', () => conditions(fleet).every((said) => said === 'True Exported'), 120_000);
  });
});

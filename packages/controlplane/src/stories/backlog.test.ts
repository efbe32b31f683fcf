import { Namespace, Service, ServiceExport } from '@isthmus/api';
import type { VirtualFleet } from '@isthmus/fleet-sim';
import { createVirtualFleet, exportCondition, exportService, recordWrites } from '@isthmus/fleet-sim';
import { checksAllPoints } from '@isthmus/testkit';
import { describe, expect, it } from 'vitest';

const clusters = { north: 'leader', west: 'member' } as const;
const refsOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ namespace: 'shop', name: `s-${index}` }));
const http = [{ name: 'http', protocol: 'TCP', port: 80 }];

/**
 * A fleet whose leader needs `ms` for each write to its API server, and a member that exports
 * `count` Services at once.
 */
async function busyFleet(ms: number, count: number): Promise<VirtualFleet> {
  const fleet = await createVirtualFleet({ clusters });
  const slow = { kind: 'latency', ms } as const;
  if (ms > 0) fleet.link('north-leader', 'north').add({ match: ({ method }) => method !== 'GET', fault: slow });
  const west = fleet.cluster('west');
  west.server.admin.put(Namespace, { metadata: { name: 'shop' } });
  for (const ref of refsOf(count)) {
    west.server.admin.put(Service, { metadata: ref, spec: { ports: http } });
    exportService(west, ref);
  }
  return fleet;
}

const conditions = (fleet: VirtualFleet) =>
  fleet
    .cluster('west')
    .server.admin.list(ServiceExport)
    .map(({ metadata: { namespace = '', name } }) =>
      exportCondition(fleet.cluster('west'), 'Ready', { namespace, name }),
    );
const statusWrites = (writes: readonly string[]) =>
  writes.filter((line) => line.includes(`/${ServiceExport.plural}/`) && line.includes('/status'));

describe('a leader that works through many exports', () => {
  it('costs each ServiceExport one status write, without a pending state meanwhile', async () => {
    await using fleet = await busyFleet(800, 15);
    const writes = recordWrites(fleet);
    await fleet.until(
      'half are exported',
      () => conditions(fleet).filter((said) => said === 'True Exported').length > 7,
    );
    expect(new Set(conditions(fleet))).toEqual(new Set(['True Exported', 'none']));
    await fleet.until('all are exported', () => conditions(fleet).every((said) => said === 'True Exported'));
    expect(statusWrites(writes())).toHaveLength(15);
  });

  it.runIf(checksAllPoints())('is named on those that have waited for two minutes', async () => {
    await using fleet = await busyFleet(0, 4);
    await fleet.until('all are exported', () => conditions(fleet).every((said) => said === 'True Exported'));
    // From now on the leader publishes changes, but no new imports.
    const fault = { kind: 'status', code: 503 } as const;
    const match = ({ method, path }: { readonly method: string; readonly path: string }) =>
      method === 'POST' && path.endsWith('/resourceimports');
    fleet.link('north-leader', 'north').add({ match, fault });
    const west = fleet.cluster('west');
    const late = { namespace: 'shop', name: 'late' };
    west.server.admin.put(Service, { metadata: late, spec: { ports: http } });
    exportService(west, late);
    let changes = 0;
    const changeFor = async (seconds: number) => {
      for (let second = 0; second < seconds; second += 3) {
        const ports = http.map((port) => ({ ...port, port: 1_000 + ++changes }));
        west.server.admin.patch(Service, { namespace: 'shop', name: 's-0' }, { spec: { ports } });
        await fleet.clock.advance(3_000);
      }
    };
    await changeFor(117);
    expect(exportCondition(west, 'Ready', late)).toBe('none');
    await changeFor(6);
    expect(exportCondition(west, 'Ready', late)).toBe('False Pending');
  });
});

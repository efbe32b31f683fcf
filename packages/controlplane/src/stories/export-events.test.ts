import { Service, ServiceExport } from '@isthmus/api';
import type { VirtualCluster } from '@isthmus/fleet-sim';
import {
  cart,
  createVirtualFleet,
  eastPorts,
  eventsOf,
  exportCart,
  exportCondition,
  exportMessage,
  exportService,
  putAntreaExports,
  putService,
  westPorts,
} from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';

const pair = { north: 'leader', west: 'member' } as const;

const ofExports = (cluster: VirtualCluster) => eventsOf(cluster).filter((event) => / ServiceExport\//.test(event));

describe('the Events of a ServiceExport', () => {
  it('report each thing that becomes wrong, once, and none that is well', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair });
    const west = fleet.cluster('west');
    exportCart(west, '10.20.1.5');
    await fleet.until('exported', () => exportCondition(west, 'Ready') === 'True Exported');
    expect(ofExports(west)).toEqual([]);
    west.server.admin.delete(Service, cart);
    await fleet.until('it is reported', () => ofExports(west).length === 1, 5_000);
    expect(ofExports(west)).toEqual([
      'NoService ServiceExport/cart: Service does not exist. Create Service shop/cart, or delete this ServiceExport.',
    ]);
    await fleet.clock.advance(60_000);
    west.kill();
    west.start();
    await fleet.clock.advance(60_000);
    expect(ofExports(west)).toHaveLength(1);
    putService(west, westPorts);
    await fleet.until('exported', () => exportCondition(west, 'Ready') === 'True Exported');
    expect(ofExports(west)).toHaveLength(1);
  });

  it('name what the leader has rejected', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair });
    const west = fleet.cluster('west');
    // An import of this Namespace has no name with a dot.
    const api = { namespace: 'prod-endpoints', name: 'api' };
    putAntreaExports(fleet, 'east', { namespace: 'prod', name: 'endpoints-api', ports: westPorts, subsets: [] });
    await fleet.clock.advance(5_000);
    putService(west, westPorts, api);
    exportService(west, api);
    await fleet.until('it is reported', () => ofExports(west).length === 1, 5_000);
    expect(ofExports(west)[0]).toMatch(/^Failed ServiceExport\/api: Leader north rejected the export: /);
    expect(exportCondition(west, 'Ready', api)).toBe('False Failed');
  });

  it('name a conflict of ports with the command that resolves it, on the condition, too', async () => {
    await using fleet = await createVirtualFleet({ clusters: { ...pair, east: 'member' } });
    const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
    exportCart(west, '10.20.1.5', westPorts);
    await fleet.until('exported', () => exportCondition(west, 'Ready') === 'True Exported');
    fleet.clock.jump(5_000);
    exportCart(east, '10.10.3.4', eastPorts);
    await fleet.until('it is reported', () => [east, west].every((each) => ofExports(each).length === 1), 5_000);
    for (const cluster of [east, west]) {
      expect(exportCondition(cluster, 'Conflict')).toBe('True PortConflict');
      expect(exportMessage(cluster, 'Conflict')).toMatch(
        /Port http is TCP 80 in west .*\. To resolve it, make them the same in every exporting cluster: kubectl -n shop edit service cart$/,
      );
      expect(ofExports(cluster)[0]).toBe(`PortConflict ServiceExport/cart: ${exportMessage(cluster, 'Conflict')}`);
    }
    putService(east, westPorts);
    await fleet.until('it is over', () => exportCondition(east, 'Conflict') === 'False NoConflicts');
    expect(exportMessage(east, 'Conflict')).not.toContain('kubectl');
    expect(east.server.admin.get(ServiceExport, cart)?.status?.conditions).toHaveLength(3);
  });
});

import { Namespace, Service, ServiceImport } from '@isthmus/api';
import type { VirtualFleet } from '@isthmus/fleet-sim';
import {
  cart,
  createVirtualFleet,
  derivedCart,
  exportCart,
  importedSlices,
  putPod,
  putService,
  recordWrites,
  westPorts,
} from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import { runAntreaBeside } from './testing/antrea-beside.ts';

const three = { north: 'leader', east: 'member', west: 'member' } as const;

describe('an Antrea member controller that runs beside ours in one cluster', () => {
  async function fleetWithBoth(): Promise<{ readonly fleet: VirtualFleet; readonly antrea: () => readonly string[] }> {
    const fleet = await createVirtualFleet({ clusters: three });
    const antrea = runAntreaBeside(fleet, fleet.cluster('west'));
    exportCart(fleet.cluster('west'), '10.20.1.5');
    exportCart(fleet.cluster('east'), '10.10.3.4');
    await fleet.until('west has imported both', () => importedSlices(fleet.cluster('west')).length >= 2);
    await fleet.clock.advance(30_000);
    antrea();
    return { fleet, antrea };
  }

  it('costs no writes while nothing changes', async () => {
    const { fleet, antrea } = await fleetWithBoth();
    await using _ = fleet;
    const ours = recordWrites(fleet);
    await fleet.clock.advance(600_000);
    expect(antrea()).toEqual([]);
    expect(ours()).toEqual([]);
  });

  it('costs a bounded number of writes per change, and what other clusters see is right', async () => {
    const { fleet, antrea } = await fleetWithBoth();
    await using _ = fleet;
    const west = fleet.cluster('west');
    const uid = west.server.admin.get(Service, derivedCart)?.metadata.uid;
    const ours = recordWrites(fleet);
    putService(west, [...westPorts, { name: 'admin', protocol: 'TCP', port: 9000, targetPort: 9000 }]);
    putPod(west, 'cart-2', '10.20.2.7');
    await fleet.clock.advance(120_000);
    expect(antrea().length).toBeLessThanOrEqual(12);
    expect(ours().length).toBeLessThanOrEqual(40);
    expect(west.server.admin.get(Service, derivedCart)?.metadata.uid).toBe(uid);
    const ip = west.server.admin.get(Service, cart)?.spec?.clusterIP ?? '';
    expect(importedSlices(fleet.cluster('east'))).toContain(`west: ${ip} http:80,metrics:9090,admin:9000`);
    expect(west.server.admin.get(ServiceImport, cart)?.spec?.ports.map(({ name }) => name)).toEqual([
      'http',
      'metrics',
      'admin',
    ]);
  });
});

it('two members in dispute over a Service write nothing once both have the verdict', async () => {
  await using fleet = await createVirtualFleet({ clusters: { ...three, south: 'member' } });
  const ports = [80, 81, 82].map((port) => [{ name: 'http', protocol: 'TCP', port, targetPort: 8080 }]);
  ['east', 'west', 'south'].forEach((name, index) =>
    exportCart(fleet.cluster(name), `10.20.${index}.5`, ports[index] ?? []),
  );
  fleet.cluster('east').server.admin.put(Namespace, { metadata: { name: 'shop' } });
  await fleet.clock.advance(60_000);
  const writes = recordWrites(fleet);
  await fleet.clock.advance(180_000);
  expect(writes()).toEqual([]);
});

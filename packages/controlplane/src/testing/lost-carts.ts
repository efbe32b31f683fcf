import { EndpointSlice, Label, Service, ServiceImport } from '@isthmus/api';
import type { ResourceType } from '@isthmus/machinery';
import type { VirtualFleet } from '@isthmus/fleet-sim';
import { exportService, leaderNamespace, putPod, putService, westPorts } from '@isthmus/fleet-sim';

/**
 * More Services than can be lost without doubt if the leader does not mark withdrawals
 * (`decide-loss.ts`).
 */
export const names = Array.from({ length: 12 }, (_, index) => ({ namespace: 'shop', name: `cart-${index}` }));

/** West exports this many Services, and east imports them. Afterwards both have time to rest. */
export async function shareCarts(fleet: VirtualFleet, count: number, restMs: number): Promise<void> {
  const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
  putService(east, westPorts, { namespace: 'shop', name: 'other' });
  for (const [index, ref] of names.slice(0, count).entries()) {
    putService(west, westPorts, ref);
    putPod(west, ref.name, `10.20.1.${index + 1}`, { app: ref.name });
    exportService(west, ref);
  }
  await fleet.until('east has imported all', () => existing(fleet).slices.length === count);
  await fleet.clock.advance(restMs);
}

/** All objects of east's imports, as a connection would notice them. */
export function existing(fleet: VirtualFleet) {
  const { admin } = fleet.cluster('east').server;
  return {
    imports: admin
      .list(ServiceImport)
      .map(({ metadata, spec }) => `${metadata.name} ${metadata.uid ?? ''} ${spec?.ips?.[0] ?? ''}`),
    services: admin
      .list(Service, 'shop')
      .map(
        ({ metadata, spec }) =>
          `${metadata.name} ${metadata.uid ?? ''} ${spec?.clusterIP ?? ''} ${JSON.stringify(spec?.ports)}`,
      ),
    slices: admin
      .list(EndpointSlice, 'shop')
      .filter(({ metadata }) => metadata.labels?.[Label.mcsServiceName] !== undefined)
      .map(({ metadata, endpoints, ports }) => `${metadata.name} ${JSON.stringify([endpoints, ports])}`),
  };
}

/** The objects of a kind in the Common Area. */
export const all = (fleet: VirtualFleet, type: ResourceType) => fleet.leader.server.admin.list(type, leaderNamespace);

export const deleteAll = (fleet: VirtualFleet, type: ResourceType) =>
  all(fleet, type).forEach(({ metadata }) => fleet.leader.server.admin.delete(type, metadata));

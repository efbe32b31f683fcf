import { EndpointSlice, Label } from '@isthmus/api';
import type { ServicePort } from '@isthmus/api';
import type { VirtualCluster, VirtualFleet } from '@isthmus/fleet-sim';
import { createVirtualFleet, exportCart, putService } from '@isthmus/fleet-sim';

export const http: readonly ServicePort[] = [{ name: 'http', protocol: 'TCP', port: 80, targetPort: 8080 }];

const pods = { east: '10.10.1.1', west: '10.20.1.1' };

/**
 * A fleet under our leader. East and west, or one of them, export `shop/cart` with their Pods, and
 * all three import it. All have been at rest for `settleMs`.
 */
export async function fleetOfThree(
  settleMs: number,
  exporters: readonly (keyof typeof pods)[] = ['east', 'west'],
): Promise<VirtualFleet> {
  const fleet = await createVirtualFleet({
    clusters: { north: 'leader', east: 'member', south: 'member', west: 'member' },
    endpointIPType: 'PodIP',
  });
  for (const member of members(fleet)) putService(member, http, { namespace: 'shop', name: 'other' });
  for (const name of exporters) exportCart(fleet.cluster(name), pods[name], http);
  await fleet.until('all import it', () =>
    members(fleet).every((member) => addresses(member).length === exporters.length),
  );
  await fleet.clock.advance(settleMs);
  return fleet;
}

export const members = (fleet: VirtualFleet) => ['east', 'south', 'west'].map((name) => fleet.cluster(name));

/** The addresses of the imported Service's endpoints, sorted and without duplicates. */
export function addresses({ server }: VirtualCluster): readonly string[] {
  const all = server.admin
    .list(EndpointSlice, 'shop')
    .filter(({ metadata }) => metadata.labels?.[Label.mcsServiceName] === 'cart')
    .flatMap(({ endpoints }) => endpoints ?? [])
    .flatMap((endpoint) => endpoint.addresses);
  return [...new Set(all)].toSorted();
}

/**
 * Watches every write to slices from now on. The returned function names the clusters, and the
 * addresses that were missing for a moment.
 */
export function recordGaps(fleet: VirtualFleet, steady: readonly string[]): () => readonly string[] {
  const gaps = new Set<string>();
  for (const member of members(fleet)) {
    member.server.admin.onChange(({ resource }) => {
      if (!resource.endsWith('/endpointslices')) return;
      const now = addresses(member);
      for (const address of steady) if (!now.includes(address)) gaps.add(`${member.name} lacks ${address}`);
    });
  }
  return () => [...gaps];
}

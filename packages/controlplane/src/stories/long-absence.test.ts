import {
  ClusterInfoImport,
  Gateway,
  MemberClusterAnnounce,
  Namespace,
  ResourceExport,
  ServiceImport,
} from '@isthmus/api';
import { cart, createVirtualFleet, exportCart, memberNamespace } from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';

describe('a member that was away for longer than the leader remembers it', () => {
  // A day of heartbeats is half a minute of processor time.
  const forgottenAfterMs = 2 * 60_000;

  it.each(['its controller was down', 'the way to the leader was cut'] as const)(
    'exports its Services and its network again when it is back, where %s',
    async (why) => {
      await using fleet = await createVirtualFleet({
        clusters: { north: 'leader', east: 'member', west: 'member' },
        endpointIPType: 'PodIP',
        forgottenAfterMs,
      });
      const [east, west] = [fleet.cluster('east').server.admin, fleet.cluster('west')];
      east.put(Namespace, { metadata: { name: cart.namespace } });
      exportCart(west, '10.20.1.1');
      west.server.admin.put(Gateway, {
        metadata: { namespace: memberNamespace, name: 'node-1' },
        gatewayIP: '192.0.2.1',
        serviceCIDR: '10.96.0.0/16',
      });
      const network = { namespace: memberNamespace, name: 'west-clusterinfo' };
      const known = () => [east.get(ServiceImport, cart), east.get(ClusterInfoImport, network)].map(Boolean).join(' ');
      await fleet.until('east has both', () => known() === 'true true');
      const link = fleet.link('west-member', 'north');
      if (why === 'its controller was down') west.kill();
      else link.cut('silence');
      const left = () =>
        [...fleet.leader.server.admin.list(ResourceExport), ...fleet.leader.server.admin.list(MemberClusterAnnounce)]
          .map(({ metadata }) => metadata.name)
          .filter((name) => name.includes('west'));
      await fleet.until(
        'it is forgotten',
        () => left().length === 0 && known() === 'false false',
        2 * forgottenAfterMs,
      );
      await fleet.clock.advance(60_000);
      if (why === 'its controller was down') west.start();
      else link.heal();
      await fleet.until('east has both again', () => known() === 'true true', 180_000);
      expect(left()).toContain('member-announce-from-west');
    },
  );
});

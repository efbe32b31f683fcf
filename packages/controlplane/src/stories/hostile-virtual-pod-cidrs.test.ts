import type { ClusterInfo } from '@isthmus/api';
import { ClusterSet, ResourceExport, ResourceImport } from '@isthmus/api';
import type { VirtualFleet, VirtualFleetOptions } from '@isthmus/fleet-sim';
import {
  clusterSetName,
  createVirtualFleet,
  grantAnything,
  leaderNamespace,
  memberNamespace,
} from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import { four } from '../testing/announced-network.ts';
import {
  announce,
  conditionOn,
  ledgerAnnotation,
  ledgerOf,
  same,
  virtualAnnotation,
} from '../testing/virtual-ranges-story.ts';

const pool = ['100.64.0.0/13'];
const clusterSetRef = { namespace: leaderNamespace, name: clusterSetName };

/** A write of south with its own token, without a controller: any content in its own export. */
function claim(fleet: VirtualFleet, clusterInfo: ClusterInfo, known = ''): void {
  const { admin } = fleet.leader.server;
  const name = 'south-clusterinfo';
  const spec = {
    kind: 'ClusterInfo',
    clusterID: 'south',
    name: 'south',
    namespace: memberNamespace,
    clusterInfo: { clusterID: 'south', gatewayInfos: [{ gatewayIP: '192.0.2.3' }], ...clusterInfo },
  };
  const metadata = { name, namespace: leaderNamespace, annotations: { [virtualAnnotation]: known } };
  const ref = { namespace: leaderNamespace, name };
  if (admin.get(ResourceExport, ref) === undefined) admin.put(ResourceExport, { metadata, spec });
  else admin.patch(ResourceExport, ref, { metadata: { annotations: { [virtualAnnotation]: known } }, spec });
}

const publishedOf = (fleet: VirtualFleet, cluster: string) =>
  fleet.leader.server.admin.get(ResourceImport, { namespace: leaderNamespace, name: `${cluster}-clusterinfo` });
const podCIDRs = (fleet: VirtualFleet, cluster: string) =>
  (publishedOf(fleet, cluster)?.spec?.clusterinfo?.podCIDRs ?? []).join(' ');
const both = 'east 10.10.0.0/16=100.64.0.0/16, west 10.10.0.0/16=100.65.0.0/16';
const published = '10.10.0.0/16 100.64.0.0/16 | 100.65.0.0/16';
const publishedOfBoth = (fleet: VirtualFleet) => `${podCIDRs(fleet, 'east')} | ${podCIDRs(fleet, 'west')}`;

/** East and west, in this order, with the same Pod CIDR. */
async function overlap(fleet: VirtualFleet): Promise<void> {
  announce(fleet.cluster('east'), same);
  await fleet.until('east is published', () => publishedOf(fleet, 'east') !== undefined);
  announce(fleet.cluster('west'), same);
}

async function fleetOf(options: Partial<VirtualFleetOptions> = {}): Promise<VirtualFleet> {
  const fleet = await createVirtualFleet({ clusters: four, leaderConfig: { virtualPodCIDRs: pool }, ...options });
  fleet.cluster('south').kill();
  return fleet;
}

describe('a member that writes what it likes into its export', () => {
  it.each<[what: string, claims: ClusterInfo]>([
    ['that it announces as its Pod CIDR', { podCIDRs: pool }],
    ['that it announces as its Service CIDR', { serviceCIDR: '100.64.0.0/13' }],
    [
      'by a gateway in each of its ranges',
      { gatewayInfos: [64, 65, 66, 67, 68, 69, 70, 71].map((part) => ({ gatewayIP: `100.${part}.1.1` })) },
    ],
  ])('does not use up the pool %s', async (_what, claims) => {
    await using fleet = await fleetOf();
    claim(fleet, claims);
    await fleet.clock.advance(5_000);
    await overlap(fleet);
    await fleet.until('both are bridged', () => publishedOfBoth(fleet) === published, 10_000);
    expect(ledgerOf(fleet)).toBe(both);
  });

  it('does not keep a virtual range by announcing it as its own', async () => {
    await using fleet = await fleetOf();
    grantAnything(fleet, 'south');
    announce(fleet.cluster('east'), same);
    await fleet.until('east is published', () => publishedOf(fleet, 'east') !== undefined);
    claim(fleet, { podCIDRs: same });
    await fleet.until('south has a range', () => ledgerOf(fleet).includes('south 10.10.0.0/16=100.65.0.0/16'), 10_000);
    const known = '10.10.0.0/16=100.65.0.0/16';
    claim(fleet, { podCIDRs: same }, known);
    await fleet.until('it is published', () => podCIDRs(fleet, 'south') === '100.65.0.0/16');
    claim(fleet, { podCIDRs: [...same, '100.65.0.0/16'] }, known);
    await fleet.clock.advance(5_000);
    claim(fleet, { podCIDRs: ['100.65.0.0/16'] }, known);
    await fleet.until('it is not published any more', () => podCIDRs(fleet, 'south') === '', 10_000);
    expect(ledgerOf(fleet)).toContain('south 10.10.0.0/16=100.65.0.0/16 free from ');
  });

  it('makes no other cluster get a virtual range by ranges that the leader does not allow, or that have a special use', async () => {
    const allowedCIDRs = ['10.10.0.0/16', '10.96.0.0/13'];
    await using fleet = await fleetOf({ leaderConfig: { virtualPodCIDRs: pool, allowedCIDRs } });
    announce(fleet.cluster('east'), same);
    await fleet.until('east is published', () => publishedOf(fleet, 'east') !== undefined);
    claim(fleet, { podCIDRs: ['10.0.0.0/8'], serviceCIDR: '0.0.0.0/0' });
    await fleet.clock.advance(60_000);
    expect(ledgerOf(fleet)).toBe('');
    expect(podCIDRs(fleet, 'east')).toBe('10.10.0.0/16');
  });
});

describe('the report of missing virtual ranges', () => {
  const missing = (fleet: VirtualFleet) => conditionOn(fleet, 'north', 'VirtualPodCIDRsMissing');

  it('ends when the pool is removed from the configuration', async () => {
    const leaderConfig = { virtualPodCIDRs: ['100.64.0.0/15'] };
    await using fleet = await fleetOf({ leaderConfig });
    await overlap(fleet);
    await fleet.until('the leader reports it', () => missing(fleet) !== undefined, 10_000);
    fleet.leader.kill();
    leaderConfig.virtualPodCIDRs = [];
    fleet.leader.start();
    await fleet.until('it does not any more', () => missing(fleet) === undefined, 10_000);
  });

  it('is not on the leader where a larger pool would not help, and names in that cluster what does', async () => {
    await using fleet = await fleetOf();
    announce(fleet.cluster('east'), same);
    await fleet.until('east is published', () => publishedOf(fleet, 'east') !== undefined);
    const many = Array.from({ length: 9 }, (_, index) => `10.10.${index}.0/24`);
    announce(fleet.cluster('west'), many);
    await fleet.until('west reports it', () => conditionOn(fleet, 'west', 'NetworkConflict') !== undefined, 10_000);
    await fleet.clock.advance(10_000);
    expect(conditionOn(fleet, 'west', 'NetworkConflict')?.message).toContain(
      'west has 8 virtual ranges, those of the last day included, and one cluster gets no more. Correct podCIDRs in the configuration of west. Or announce fewer and larger podCIDRs in the configuration of west.',
    );
    expect(missing(fleet)).toBeUndefined();
  });
});

describe('virtual ranges that somebody removes', () => {
  it.each<[what: string, remove: (fleet: VirtualFleet) => Promise<void>]>([
    [
      'from the annotation of the ClusterSet of the leader',
      async ({ leader: { server } }) => {
        const annotations = { [ledgerAnnotation]: 'west 10.10.0.0/16=100.65.0.0/16' };
        server.admin.patch(ClusterSet, clusterSetRef, { metadata: { annotations } });
      },
    ],
    [
      'with that annotation',
      async ({ leader: { server } }) => {
        server.admin.patch(ClusterSet, clusterSetRef, { metadata: { annotations: { [ledgerAnnotation]: null } } });
      },
    ],
    [
      'with the ClusterSet of the leader, which is created again',
      async ({ leader: { server }, clock }) => {
        const spec = server.admin.get(ClusterSet, clusterSetRef)?.spec;
        server.admin.delete(ClusterSet, clusterSetRef);
        await clock.advance(20_000);
        server.admin.put(ClusterSet, { metadata: clusterSetRef, spec });
      },
    ],
  ])('%s stay published all the time', async (_what, remove) => {
    await using fleet = await fleetOf();
    await overlap(fleet);
    await fleet.until('both are bridged', () => publishedOfBoth(fleet) === published, 10_000);
    await fleet.clock.advance(5_000);
    const seen = new Set<string>();
    fleet.leader.server.admin.onChange(() => seen.add(publishedOfBoth(fleet)));
    await remove(fleet);
    await fleet.clock.advance(60_000);
    expect([...seen]).toEqual([published]);
    expect(ledgerOf(fleet)).toBe(both);
  });
});

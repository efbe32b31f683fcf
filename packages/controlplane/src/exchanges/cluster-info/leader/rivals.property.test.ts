import type { ClusterInfo } from '@isthmus/api';
import { ResourceExport, ResourceImport } from '@isthmus/api';
import { seededRandom } from '@isthmus/machinery';
import type { VirtualFleet } from '@isthmus/fleet-sim';
import { createVirtualFleet, grantAnything, leaderNamespace } from '@isthmus/fleet-sim';
import { sweepOf } from '@isthmus/testkit';
import type { LeaderExchange } from '@isthmus/wire';
import { describe, expect, it, vi } from 'vitest';
import { clusterInfoMerge } from './decide.ts';
import { judgeRanges } from './judge-ranges.ts';
import type { RangeRules } from './range-rules.ts';

const rules: RangeRules = { allowed: [], pool: [], endpointIPTypeOf: () => 'ClusterIP' };
const count = 12;

const put = (fleet: VirtualFleet, clusterInfo: ClusterInfo) =>
  fleet.leader.server.admin.put(ResourceExport, {
    metadata: {
      namespace: leaderNamespace,
      name: `${clusterInfo.clusterID}-clusterinfo`,
      labels: { sourceKind: 'ClusterInfo', sourceClusterID: clusterInfo.clusterID ?? '' },
    },
    spec: { kind: 'ClusterInfo', clusterID: clusterInfo.clusterID, name: clusterInfo.clusterID, clusterInfo },
  });
const publishedBy = (fleet: VirtualFleet): ReadonlyMap<string, ClusterInfo> =>
  new Map(
    fleet.leader.server.admin
      .list(ResourceImport)
      .map(({ spec }) => [spec?.clusterinfo?.clusterID ?? '', spec?.clusterinfo ?? {}]),
  );

/** All networks judged together. A leader judges each network only with its rivals. */
function expected(networks: readonly ClusterInfo[], published: ReadonlyMap<string, ClusterInfo>) {
  const announced = networks.map((info) => ({
    clusterID: info.clusterID ?? '',
    announced: info,
    published: published.get(info.clusterID ?? ''),
    since: '',
  }));
  const { usableOf } = judgeRanges(announced, rules);
  return new Map(
    announced.flatMap(({ clusterID }) => {
      const usable = usableOf(clusterID);
      return usable === undefined ? [] : [[clusterID, usable] as const];
    }),
  );
}

describe('the networks that a leader publishes', () => {
  const seeds = Array.from({ length: 20 }, (_, index) => ({ seed: index + 1 }));

  it.each(sweepOf(seeds, { oneIn: 5 }))(
    'are those that all of them together leave, in whichever order they come and go (seed $seed)',
    async ({ seed }) => {
      const random = seededRandom(seed);
      const below = (limit: number) => Math.floor(random.next() * limit);
      const range = () => {
        const length = [15, 16, 17, 20][below(4)] ?? 16;
        return `10.${below(24)}.${length > 16 ? below(2) * 128 : 0}.0/${length}`;
      };
      const network = (number: number): ClusterInfo => ({
        clusterID: `c${String(number).padStart(2, '0')}`,
        serviceCIDR: range(),
        podCIDRs: Array.from({ length: below(3) }, range),
        gatewayInfos: Array.from({ length: 1 + below(2) }, (_, at) => ({
          gatewayIP: `10.${below(24)}.0.${number + 20 * at}`,
        })),
      });
      await using fleet = await createVirtualFleet({ clusters: { north: 'leader' } });
      fleet.leader.kill();
      const networks = Array.from({ length: count }, (_, number) => network(number));
      grantAnything(fleet, ...networks.map(({ clusterID = '' }) => clusterID));
      for (const one of networks.toSorted(() => random.next() - 0.5)) put(fleet, one);
      fleet.leader.start();
      await fleet.clock.advance(5_000);
      let published = publishedBy(fleet);
      expect(published).toEqual(expected(networks, new Map()));
      for (let change = 0; change < 6; change++) {
        const at = below(count);
        networks[at] = network(at);
        const wanted = expected(networks, published);
        put(fleet, networks[at]);
        await fleet.clock.advance(5_000);
        published = publishedBy(fleet);
        expect(published).toEqual(wanted);
      }
    },
  );
});

const contentionOf = ({ contention }: LeaderExchange) => {
  if (contention === undefined) throw new Error('networks contend for ranges');
  return contention;
};

it('a network that a cluster rewrites is read once for each change, and those that it is compared with are not', async () => {
  await using fleet = await createVirtualFleet({ clusters: { north: 'leader' } });
  for (let number = 0; number < 20; number++)
    put(fleet, { clusterID: `c${number}`, podCIDRs: [`10.${100 + number}.0.0/16`] });
  put(fleet, { clusterID: 'evil', podCIDRs: ['10.0.0.0/16'] });
  await fleet.until('all are published', () => publishedBy(fleet).size === 21);
  const read = vi.spyOn(contentionOf(clusterInfoMerge), 'stakeOf');
  put(fleet, { clusterID: 'evil', podCIDRs: ['10.1.0.0/16'] });
  await fleet.clock.advance(5_000);
  const names = read.mock.calls.map(([{ metadata }]) => metadata.name);
  read.mockRestore();
  // Once for its announcement, and once for its publication at that time.
  expect(names).toEqual(['evil-clusterinfo', 'evil-clusterinfo']);
});

it('hundreds of exports that one cluster makes under wrong names are not compared with each other', async () => {
  await using fleet = await createVirtualFleet({ clusters: { north: 'leader' } });
  fleet.leader.kill();
  const podCIDRs = Array.from({ length: 63 }, (_, number) => `10.${number}.0.0/16`);
  for (let number = 0; number < 400; number++) {
    fleet.leader.server.admin.put(ResourceExport, {
      metadata: {
        namespace: leaderNamespace,
        name: `evil-${number}`,
        labels: { sourceKind: 'ClusterInfo', sourceClusterID: 'evil' },
      },
      spec: { kind: 'ClusterInfo', clusterID: 'evil', clusterInfo: { clusterID: 'evil', podCIDRs } },
    });
  }
  put(fleet, { clusterID: 'east', serviceCIDR: '10.0.0.0/12' });
  const compared = vi.spyOn(contentionOf(clusterInfoMerge), 'contend');
  fleet.leader.start();
  await fleet.clock.advance(5_000);
  expect([...publishedBy(fleet).keys()]).toEqual(['east']);
  expect(compared).not.toHaveBeenCalled();
  compared.mockRestore();
});

import { EndpointSlice, Label, ResourceExport, ResourceImport, Service } from '@isthmus/api';
import type { ServicePort } from '@isthmus/api';
import type { FleetWrite, VirtualCluster, VirtualFleet } from '@isthmus/fleet-sim';
import {
  cart,
  createVirtualFleet,
  derivedCart,
  exportCart,
  importedPorts,
  importedSlices,
  leaderNamespace,
  putAntreaExports,
  putService,
} from '@isthmus/fleet-sim';
import { sweepStep } from '@isthmus/testkit';
import { describe, expect, it } from 'vitest';
import { runAntreaLeader } from '../adversary/testing/antrea-leader.ts';

const three = { north: 'leader', east: 'member', west: 'member' } as const;
const named = (name: string): readonly ServicePort[] => [
  { name, protocol: 'TCP', port: 80, targetPort: 8080 },
  { name: 'metrics', protocol: 'TCP', port: 9090, targetPort: 9090 },
];
const members = (fleet: VirtualFleet) => [fleet.cluster('east'), fleet.cluster('west')];

/** The ports of the imported Service without endpoints. */
function deadPorts({ server: { admin } }: VirtualCluster): readonly string[] {
  const slices = admin
    .list(EndpointSlice, cart.namespace)
    .filter(({ metadata }) => metadata.labels?.[Label.serviceName] === derivedCart.name);
  const served = new Set(
    slices
      .filter(({ endpoints }) => (endpoints ?? []).length > 0)
      .flatMap(({ ports }) => (ports ?? []).map(({ name }) => name ?? '')),
  );
  const names = (admin.get(Service, derivedCart)?.spec?.ports ?? []).map(({ name = '' }) => name);
  return [
    ...names.filter((name) => !served.has(name)),
    ...slices.filter(({ endpoints }) => (endpoints ?? []).length === 0).map(() => 'an empty slice'),
    ...(slices.length === 0 ? ['no slice'] : []),
  ];
}

/**
 * Checks each write to Services and slices from now on. Returns the ports that had no endpoints for
 * a moment.
 */
function recordGaps(fleet: VirtualFleet): () => readonly string[] {
  const gaps = new Set<string>();
  for (const member of members(fleet)) {
    member.server.admin.onChange(({ resource }) => {
      if (!/\/(endpointslices|services)$/.test(resource)) return;
      for (const port of deadPorts(member)) gaps.add(`${member.name}: ${port}`);
    });
  }
  fleet.leader.server.admin.onChange(({ resource, after }) => {
    if (!resource.endsWith('/resourceimports')) return;
    const imported: ResourceImport | undefined = after;
    const { kind, endpoints, endpointSlices } = imported?.spec ?? {};
    const some = endpointSlices ?? endpoints?.subsets ?? [];
    if (kind !== 'ServiceImport' && some.length === 0) gaps.add(`north: ${kind ?? 'nothing'}`);
  });
  return () => [...gaps];
}

const has = (cluster: VirtualCluster, name: string) =>
  importedPorts(cluster).join() === `${name} TCP 80,metrics TCP 9090` &&
  importedSlices(cluster).length === 1 &&
  new RegExp(` ${name}:\\d+,metrics:\\d+$`).test(importedSlices(cluster).join());

async function westExports(options: Partial<Parameters<typeof createVirtualFleet>[0]> = {}): Promise<VirtualFleet> {
  const fleet = await createVirtualFleet({ clusters: three, ...options });
  putService(fleet.cluster('east'), named('other'), { namespace: 'shop', name: 'other' });
  exportCart(fleet.cluster('west'), '10.20.1.5', named('http'));
  await fleet.until('both import it', () => members(fleet).every((member) => has(member, 'http')));
  await fleet.clock.advance(10_000);
  return fleet;
}

describe('a port that gets another name', () => {
  it.each(['ClusterIP', 'PodIP'] as const)(
    'never leads nowhere, not for one write, where %ss are exported',
    async (endpointIPType) => {
      await using fleet = await westExports({ endpointIPType });
      const gaps = recordGaps(fleet);
      for (const name of ['web', 'www', 'http']) {
        putService(fleet.cluster('west'), named(name));
        await fleet.until(`${name} is imported`, () => members(fleet).every((member) => has(member, name)));
        await fleet.clock.advance(10_000);
      }
      expect(gaps()).toEqual([]);
    },
  );

  it('is served under both names for some seconds, since a Service and its slices are watched apart', async () => {
    await using fleet = await westExports();
    putService(fleet.cluster('west'), named('web'));
    const east = fleet.cluster('east');
    await fleet.until('the Service has it', () => importedPorts(east).join().startsWith('web'));
    await fleet.clock.advance(3_000);
    expect(importedSlices(east).join()).toMatch(/ web:80,http:80,metrics:9090$/);
    await fleet.clock.advance(5_000);
    expect(has(east, 'web')).toBe(true);
  });

  it('never leads nowhere where an Antrea member exports it, however late its endpoints follow', async () => {
    await using fleet = await createVirtualFleet({ clusters: three });
    for (const member of members(fleet)) putService(member, named('other'), { namespace: 'shop', name: 'other' });
    const peer = (ports: string, endpoints: string) =>
      putAntreaExports(fleet, 'south', {
        ...cart,
        ports: named(ports),
        subsets: [
          {
            addresses: [{ ip: '10.99.0.7' }],
            ports: [
              { name: endpoints, port: 80, protocol: 'TCP' },
              { name: 'metrics', port: 9090, protocol: 'TCP' },
            ],
          },
        ],
      });
    peer('http', 'http');
    await fleet.until('both import it', () => members(fleet).every((member) => has(member, 'http')));
    const gaps = recordGaps(fleet);
    peer('web', 'http');
    await fleet.clock.advance(30_000);
    for (const member of members(fleet)) expect(has(member, 'http')).toBe(true);
    peer('web', 'web');
    await fleet.until('web is imported', () => members(fleet).every((member) => has(member, 'web')));
    expect(gaps()).toEqual([]);
  });

  it('never leads nowhere under an Antrea leader', async () => {
    await using fleet = await westExports();
    fleet.leader.kill('leader');
    const end = runAntreaLeader(fleet);
    await fleet.clock.advance(30_000);
    const gaps = recordGaps(fleet);
    putService(fleet.cluster('west'), named('web'));
    await fleet.until('both import web', () =>
      members(fleet).every((member) => importedPorts(member)[0] === 'web TCP 80'),
    );
    await fleet.clock.advance(10_000);
    end();
    expect(gaps()).toEqual([]);
    for (const member of members(fleet)) expect(deadPorts(member)).toEqual([]);
  });

  it('never leads nowhere while the leader cannot be reached, nor when it is back', async () => {
    await using fleet = await westExports();
    const gaps = recordGaps(fleet);
    const link = fleet.link('west-member', 'north');
    link.cut('refuse');
    putService(fleet.cluster('west'), named('web'));
    await fleet.clock.advance(120_000);
    for (const member of members(fleet)) expect(has(member, 'http')).toBe(true);
    link.heal();
    await fleet.until('web is imported', () => members(fleet).every((member) => has(member, 'web')));
    expect(gaps()).toEqual([]);
  });

  it('leaves another port of the Service alone that took its number', async () => {
    await using fleet = await westExports();
    const gaps = recordGaps(fleet);
    const [first, second] = named('http');
    const swapped = [
      { ...first, name: 'metrics' },
      { ...second, name: 'http' },
    ] as readonly ServicePort[];
    putService(fleet.cluster('west'), swapped);
    await fleet.until('it is imported', () =>
      members(fleet).every((member) => importedPorts(member).join() === 'metrics TCP 80,http TCP 9090'),
    );
    await fleet.clock.advance(10_000);
    for (const member of members(fleet)) expect(deadPorts(member)).toEqual([]);
    expect(gaps()).toEqual([]);
  });
});

describe('a controller that dies while a port gets another name', () => {
  /**
   * The controller `way` dies at its `n`th write of the rename and starts again a second later. It
   * dies once more when everything is done.
   */
  async function dyingAt(way: string, n: number): Promise<{ died: boolean; gaps: readonly string[]; done: boolean }> {
    let left = Number.POSITIVE_INFINITY;
    const onWrite = ({ controller, path }: FleetWrite) => {
      if (controller !== way || /memberclusterannounces|leases|events/.test(path)) return 'pass' as const;
      left--;
      return left === 0 ? ('die-after' as const) : ('pass' as const);
    };
    await using fleet = await westExports({ onWrite });
    const gaps = recordGaps(fleet);
    left = n;
    putService(fleet.cluster('west'), named('web'));
    await fleet.clock.advance(20_000);
    const died = left <= 0;
    const [name = ''] = way.split('-');
    fleet.cluster(name).kill();
    fleet.cluster(name).start();
    await fleet.clock.advance(40_000);
    return { died, gaps: gaps(), done: members(fleet).every((member) => has(member, 'web')) };
  }

  it.each(['north-leader', 'west-member', 'east-member'])(
    'leaves the import working, at whichever of its writes: %s',
    async (way) => {
      let died = true;
      let deaths = 0;
      for (let n = 1; died; n += sweepStep({ oneIn: 8 })) {
        const run = await dyingAt(way, n);
        ({ died } = run);
        expect(run, `write ${n}`).toEqual({ died, gaps: [], done: true });
        if (died) deaths++;
      }
      expect(deaths).toBeGreaterThan(0);
    },
  );
});

it('the Common Area has one name at the end, for exports and imports', async () => {
  await using fleet = await westExports();
  putService(fleet.cluster('west'), named('web'));
  await fleet.until('web is imported', () => members(fleet).every((member) => has(member, 'web')));
  const { admin } = fleet.leader.server;
  const texts = [...admin.list(ResourceExport, leaderNamespace), ...admin.list(ResourceImport, leaderNamespace)];
  expect(texts.filter(({ spec }) => JSON.stringify(spec).includes('"http"'))).toEqual([]);
});

import { ClusterInfoImport, ClusterSet, Gateway, ResourceExport, ResourceImport } from '@isthmus/api';
import type { VirtualFleet, WriteVerdict } from '@isthmus/fleet-sim';
import {
  clusterSetName,
  createVirtualFleet,
  grantAnything,
  leaderNamespace,
  memberNamespace,
} from '@isthmus/fleet-sim';
import { sweepOf } from '@isthmus/testkit';
import { describe, expect, it } from 'vitest';

type Cluster = 'east' | 'west';

/** A cluster gets a Gateway with this Service CIDR, or loses it. */
function act(fleet: VirtualFleet, name: Cluster, serviceCIDR: string | undefined): void {
  const { admin } = fleet.cluster(name).server;
  const ref = { namespace: memberNamespace, name: 'node-1' };
  if (serviceCIDR === undefined) admin.delete(Gateway, ref);
  else admin.put(Gateway, { metadata: ref, gatewayIP: name === 'east' ? '192.0.2.1' : '192.0.2.2', serviceCIDR });
}

const steps: readonly (readonly [Cluster, string | undefined])[] = [
  ['east', '10.96.0.0/16'],
  // It is announced later, so it is reported and not published.
  ['west', '10.96.128.0/17'],
  // Now west is published.
  ['east', undefined],
  // Now east is the later one.
  ['east', '10.96.0.0/16'],
  ['west', '10.97.0.0/16'],
  ['west', undefined],
  ['east', undefined],
];

/** The state of networks: exported, published, imported and reported. */
function stateOf(fleet: VirtualFleet): readonly string[] {
  const { admin } = fleet.leader.server;
  const text = (value: unknown) => JSON.stringify(value) ?? '-';
  const reasons = (conditions: readonly { type: string; status: string; reason?: string | undefined }[] | undefined) =>
    (conditions ?? []).map(({ type, status, reason }) => `${type}=${status} ${reason ?? ''}`).join(', ');
  return [
    ...admin.list(ResourceExport).map((one) => `export ${one.metadata.name}: ${reasons(one.status?.conditions)}`),
    ...admin.list(ResourceImport).map(({ metadata, spec }) => {
      const conflict = metadata.annotations?.['isthmus.dev/network-conflict'] ?? '';
      return `import ${metadata.name}: ${text(spec?.clusterinfo)} ${conflict}`;
    }),
    ...fleet.clusters.flatMap(({ name, server }) => [
      ...server.admin
        .list(ClusterInfoImport)
        .map((one) => `${name} ${one.metadata.name}: ${text(one.spec)} ${reasons(one.status?.conditions)}`),
      ...[memberNamespace, leaderNamespace].flatMap((namespace) => {
        const found = server.admin.get(ClusterSet, { namespace, name: clusterSetName });
        return found === undefined ? [] : [`${name} ClusterSet: ${reasons(found.status?.conditions)}`];
      }),
    ]),
  ];
}

async function run(verdictOf: (write: number) => WriteVerdict = () => 'pass') {
  let writes = 0;
  let counting = false;
  await using fleet = await createVirtualFleet({
    clusters: { north: 'leader', east: 'member', west: 'member', south: 'member' },
    onWrite(write) {
      // Heartbeats depend on time; Events may be written twice.
      if (!counting || /memberclusterannounces|\/events/.test(write.path)) return 'pass';
      writes += 1;
      return verdictOf(writes);
    },
  });
  grantAnything(fleet, 'east', 'west');
  counting = true;
  const breaches: string[] = [];
  const exporting = new Map<string, string>();
  for (const { name, server } of fleet.clusters) {
    server.admin.onChange(({ key, before, after }) => {
      if (before?.kind !== 'ClusterInfoImport' || after !== undefined) return;
      const source = before.metadata.name.replace('-clusterinfo', '');
      if (exporting.get(source) === before.metadata.name) breaches.push(`${name}: ${key} vanished`);
    });
  }
  const states: (readonly string[])[] = [];
  for (const [name, serviceCIDR] of steps) {
    // A network that a step withdraws, or makes unusable, may disappear.
    exporting.delete(name);
    act(fleet, name, serviceCIDR);
    // An importer that was away holds imports for half a minute if it did not see their withdrawal.
    await fleet.clock.advance(90_000);
    states.push(stateOf(fleet));
    for (const { metadata } of fleet.cluster('south').server.admin.list(ClusterInfoImport))
      exporting.set(metadata.name.replace('-clusterinfo', ''), metadata.name);
  }
  return { states, writes, breaches };
}

describe('networks whose ranges overlap, with a controller that dies', async () => {
  const calm = await run();
  const points = Array.from({ length: calm.writes }, (_, index) => index + 1).flatMap((write) =>
    (['die-before', 'die-after'] as const).map((verdict) => ({ write, verdict })),
  );

  it('are reported and published in turn where nobody dies', () => {
    const published = calm.states.map((state) =>
      state.flatMap((line) => /^import (\w+)-clusterinfo/.exec(line)?.[1] ?? []).join(' '),
    );
    expect(published).toEqual(['east', 'east', 'west', 'west', 'east west', 'east', '']);
    const reported = calm.states.map((state) => state.some((line) => line.includes('RangeOverlaps')));
    expect(reported).toEqual([false, true, false, true, false, false, false]);
    expect(calm.breaches).toEqual([]);
  });

  it.each(sweepOf(points, { oneIn: 70, kindOf: ({ verdict }) => verdict }))(
    'at write $write ($verdict), leave the same states, and none vanishes without cause',
    async ({ write, verdict }) => {
      const { states, breaches } = await run((number) => (number === write ? verdict : 'pass'));
      expect(states).toEqual(calm.states);
      expect(breaches).toEqual([]);
    },
  );
});

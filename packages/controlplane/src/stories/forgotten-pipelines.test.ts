import {
  ClusterInfoImport,
  ClusterNetworkPolicy,
  ClusterSet,
  LabelIdentity,
  MemberClusterAnnounce,
  ResourceExport,
  ResourceImport,
} from '@isthmus/api';
import type { KubernetesObject, ResourceType } from '@isthmus/machinery';
import type { VirtualCluster, VirtualFleet } from '@isthmus/fleet-sim';
import { clusterSetName, leaderNamespace } from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import type { Pipelines } from '../testing/pipelines.ts';
import { createPipelines, putPodOf } from '../testing/pipelines.ts';

const members = ({ fleet }: Pipelines) => [fleet.cluster('east'), fleet.cluster('west')];
/** The numbers of a cluster, each with its labels; without foreign objects. */
const numbers = ({ server }: VirtualCluster) =>
  server.admin
    .list(LabelIdentity)
    .filter(({ metadata }) => metadata.name !== 'theirs')
    .map(({ spec }) => `${spec?.id} ${spec?.label}`);

/** Six more sets of labels, whose numbers were given alternately to west and east. */
async function pipelinesWithNumbers(): Promise<Pipelines> {
  const pipelines = await createPipelines();
  const [east, west] = members(pipelines) as [VirtualCluster, VirtualCluster];
  for (let index = 0; index < 6; index++) {
    const before = numbers(east).length;
    putPodOf(index % 2 === 0 ? west : east, `app-${index}`);
    const isThere = () => [east, west].every((one) => numbers(one).length === before + 1);
    await pipelines.fleet.until('it has a number', isThere);
  }
  await pipelines.fleet.clock.advance(20_000);
  return pipelines;
}

/** All imports of both. With the uid: a recreated object is another one. */
function imported(pipelines: Pipelines): readonly string[] {
  const types: readonly ResourceType<KubernetesObject & { readonly spec?: unknown }>[] = [
    LabelIdentity,
    ClusterInfoImport,
    ClusterNetworkPolicy,
  ];
  return members(pipelines).flatMap(({ name, server }) =>
    types
      .flatMap((type) => server.admin.list(type))
      .map(({ kind, metadata, spec }) => `${name} ${kind} ${metadata.name} ${metadata.uid} ${JSON.stringify(spec)}`),
  );
}

/**
 * Collects cases in which a number means one set of labels in east and another in west: a policy
 * would apply to the wrong Pods.
 */
function ambiguousNumbers(pipelines: Pipelines): readonly string[] {
  const found: string[] = [];
  const look = () => {
    const labels = new Map<string, string>();
    for (const one of members(pipelines).flatMap(numbers)) {
      const [number = '', label = ''] = one.split(' ');
      const other = labels.get(number) ?? label;
      if (other !== label) found.push(`${number}: ${[label, other].toSorted().join(' and ')}`);
      labels.set(number, label);
    }
  };
  for (const { server } of members(pipelines))
    server.admin.onChange(({ after }) => {
      if (after?.kind === LabelIdentity.kind) look();
    });
  return found;
}

/**
 * A new API server that is set up again: it has the ClusterSet, the tokens and the exported policy,
 * and nothing that controllers wrote.
 */
async function forget({ leader, clock }: VirtualFleet): Promise<void> {
  const { admin } = leader.server;
  const policy = admin.get(ResourceExport, { namespace: leaderNamespace, name: 'strict' });
  leader.kill();
  for (const type of [ResourceExport, ResourceImport, MemberClusterAnnounce, ClusterSet])
    for (const { metadata } of admin.list<KubernetesObject>(type, leaderNamespace)) admin.remove(type, metadata);
  admin.compact();
  await clock.advance(5_000);
  admin.put(ClusterSet, {
    metadata: { name: clusterSetName, namespace: leaderNamespace },
    spec: { clusterID: 'north', leaders: [{ clusterID: 'north' }], namespace: leaderNamespace },
  });
  admin.put(ResourceExport, {
    metadata: { name: 'strict', namespace: leaderNamespace },
    spec: policy?.spec,
  });
}

describe('a leader that has forgotten everything', () => {
  /**
   * What the others have at the end and had before, if west is back after this many seconds; and
   * the states in between.
   */
  async function recovered(away: readonly string[], awaySeconds: number) {
    await using pipelines = await pipelinesWithNumbers();
    const { fleet, breaches } = pipelines;
    const before = imported(pipelines);
    const ambiguous = ambiguousNumbers(pipelines);
    const links = away.map((name) => fleet.link(`${name}-member`, 'north'));
    links.forEach((link) => link.cut('silence'));
    await forget(fleet);
    fleet.leader.start();
    await fleet.clock.advance(15_000);
    // New labels get none of the numbers that are still to come back.
    putPodOf(fleet.cluster('east'), 'new');
    await fleet.clock.advance((awaySeconds - 15) * 1_000);
    links.forEach((link) => link.heal());
    await fleet.clock.advance(180_000);
    const isNew = (line: string) => line.includes('app=new"');
    const after = imported(pipelines);
    expect(after.filter(isNew)).toHaveLength(2);
    expect(ambiguous).toEqual([]);
    expect(fleet.leader.server.admin.list(ResourceImport)).toHaveLength(13);
    const lost = breaches.filter((line) => !line.startsWith('north'));
    return { before, after: after.filter((line) => !isNew(line)), lost };
  }

  it.each([
    ['both members at once', []],
    ['the member first that got its numbers last', ['west']],
  ])('gets it back from %s, nothing vanishes, and each set of labels keeps its number', async (_, away) => {
    const { before, after, lost } = await recovered(away, 20);
    expect([after, lost]).toEqual([before, []]);
  });

  it('gives the labels of a member that comes back later the numbers that they had', async () => {
    const withoutUid = (line: string) => line.replace(/ [0-9a-f]{8}-\S+/, '');
    const { before, after } = await recovered(['west'], 120);
    expect(after.map(withoutUid)).toEqual(before.map(withoutUid));
  });
});

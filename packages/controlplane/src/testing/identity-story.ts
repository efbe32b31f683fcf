import { LabelIdentity, Namespace, Pod, ResourceExport, ResourceImport, labelIdentityHash } from '@isthmus/api';
import type { FleetWrite, VirtualFleet, WriteVerdict } from '@isthmus/fleet-sim';
import { createVirtualFleet, leaderNamespace } from '@isthmus/fleet-sim';

const members = (fleet: VirtualFleet) => [fleet.cluster('east'), fleet.cluster('west')];
const hashOf = (app: string) => labelIdentityHash(`ns:kubernetes.io/metadata.name=shop&pod:app=${app}`);
const importedBy = (fleet: VirtualFleet, app: string) =>
  members(fleet).filter(({ server }) => server.admin.get(LabelIdentity, { name: hashOf(app) }) !== undefined).length;

function putPod(fleet: VirtualFleet, cluster: string, app: string): void {
  fleet.cluster(cluster).server.admin.put(Pod, {
    metadata: { name: app, namespace: 'shop', labels: { app } },
    spec: { containers: [{ name: 'c', image: 'c' }] },
  });
}

const steps: readonly { readonly name: string; act(fleet: VirtualFleet): void; holds(fleet: VirtualFleet): boolean }[] =
  [
    {
      name: 'Pods come in both clusters',
      act(fleet) {
        for (const app of ['a', 'b']) putPod(fleet, 'east', app);
        for (const app of ['b', 'c']) putPod(fleet, 'west', app);
      },
      holds: (fleet) => ['a', 'b', 'c'].every((app) => importedBy(fleet, app) === 2),
    },
    {
      name: 'some go, and others come',
      act(fleet) {
        for (const app of ['a', 'b']) fleet.cluster('east').server.admin.delete(Pod, { namespace: 'shop', name: app });
        putPod(fleet, 'east', 'd');
      },
      holds: (fleet) => importedBy(fleet, 'a') === 0 && ['b', 'c', 'd'].every((app) => importedBy(fleet, app) === 2),
    },
    {
      name: 'one comes back',
      act: (fleet) => putPod(fleet, 'west', 'a'),
      holds: (fleet) => ['a', 'b', 'c', 'd'].every((app) => importedBy(fleet, app) === 2),
    },
  ];

/**
 * The result of one run: what is exported, published and imported after each step, without the
 * numbers.
 */
export interface IdentityStoryRun {
  readonly states: readonly (readonly string[])[];
  /** Labels in use whose number disappeared or changed, and numbers that two sets have. */
  readonly breaches: readonly string[];
  readonly writes: number;
}

/** Runs the story. `onWrite` is called before each write of a controller, counted from 1. */
export async function runIdentityStory(
  onWrite: (write: FleetWrite & { readonly number: number }) => WriteVerdict = () => 'pass',
): Promise<IdentityStoryRun> {
  let writes = 0;
  let counting = false;
  await using fleet = await createVirtualFleet({
    clusters: { north: 'leader', east: 'member', west: 'member' },
    stretched: true,
    onWrite(write) {
      if (!counting || /memberclusterannounces|\/events/.test(write.path)) return 'pass';
      writes += 1;
      return onWrite({ ...write, number: writes });
    },
  });
  members(fleet).forEach(({ server }) => server.admin.put(Namespace, { metadata: { name: 'shop' } }));
  const breaches: string[] = [];
  const isExported = (hash: string) =>
    fleet.leader.server.admin
      .list(ResourceExport, leaderNamespace)
      .some(({ metadata }) => metadata.name.endsWith(hash));
  fleet.leader.server.admin.onChange(({ before, after }) => {
    if (before?.kind !== 'ResourceImport') return;
    const [was, is] = [before, after].map((one: ResourceImport | undefined) => one?.spec?.labelIdentity?.id);
    if (was !== undefined && was !== is && isExported(before.metadata.name))
      breaches.push(`${before.metadata.name}: ${was} became ${is ?? 'nothing'}`);
  });
  await fleet.clock.advance(10_000);
  counting = true;
  const states: (readonly string[])[] = [];
  for (const { name, act, holds } of steps) {
    act(fleet);
    await fleet.until(name, () => holds(fleet), 120_000);
    await fleet.clock.advance(30_000);
    const published = fleet.leader.server.admin.list(ResourceImport, leaderNamespace);
    const numbers = published.flatMap(({ spec }) => spec?.labelIdentity?.id ?? []);
    if (new Set(numbers).size < numbers.length) breaches.push(`${name}: two sets have one number`);
    const numberOf = new Map(published.map(({ metadata, spec }) => [metadata.name, spec?.labelIdentity?.id]));
    states.push([
      ...fleet.leader.server.admin.list(ResourceExport, leaderNamespace).map(({ metadata }) => metadata.name),
      ...published.map(({ metadata, spec }) => `${metadata.name} ${spec?.labelIdentity?.label ?? ''}`),
      ...members(fleet).flatMap(({ name: cluster, server }) =>
        server.admin
          .list(LabelIdentity)
          .map(
            ({ metadata, spec }) =>
              `${cluster} ${metadata.name} ${spec?.label ?? ''} ${spec?.id === numberOf.get(metadata.name)}`,
          ),
      ),
    ]);
  }
  return { states, breaches, writes };
}

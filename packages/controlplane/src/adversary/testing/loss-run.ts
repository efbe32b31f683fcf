import {
  EndpointSlice,
  Label,
  MemberClusterAnnounce,
  ResourceExport,
  ResourceImport,
  Service,
  ServiceImport,
} from '@isthmus/api';
import type { KubernetesObject, Random, ResourceType } from '@isthmus/machinery';
import { conditionOf, seededRandom } from '@isthmus/machinery';
import type { VirtualFleet } from '@isthmus/fleet-sim';
import { createVirtualFleet, exportService, leaderNamespace, putPod, putService, westPorts } from '@isthmus/fleet-sim';
import { carriesOurLabel } from '@isthmus/wire';

export interface LossResult {
  /** The actions, in order. */
  readonly story: readonly string[];
  /** Events that must not happen. */
  readonly breaches: readonly string[];
}

const members = ['east', 'west'] as const;
/** The exporters by Service: a Service with one exporter, and one with two. */
const exporters: Readonly<Record<string, readonly string[]>> = {
  alone: ['west'],
  both: ['west', 'east'],
  mine: ['east'],
};
const names = Object.keys(exporters);

/**
 * Objects of the Common Area are lost, some together with their labels or annotations, while
 * controllers die and links are cut. No member withdrew anything. So no import may change at any
 * moment, and at the end everything is exported and published as before.
 */
export async function lossRun(seed: number): Promise<LossResult> {
  const random = seededRandom(seed * 6_364 + 7);
  await using fleet = await createVirtualFleet({
    clusters: { north: 'leader', east: 'member', west: 'member' },
    seed,
    endpointIPType: 'PodIP',
  });
  await exportAll(fleet);
  const story: string[] = [];
  const breaches: string[] = [];
  const tell = (what: string) => story.push(`${(fleet.clock.monotonic() / 1000).toFixed(1)} ${what}`);
  const before = new Map(members.map((name) => [name, existing(fleet, name)]));
  for (const name of members) {
    fleet.cluster(name).server.admin.onChange(({ resource }) => {
      if (!/^(services|discovery.*slices|.*serviceimports)$/.test(resource)) return;
      const change = differenceOf(before.get(name) ?? [], existing(fleet, name));
      if (change !== '' && breaches.length < 5)
        breaches.push(`${(fleet.clock.monotonic() / 1000).toFixed(1)} ${name}: ${change}`);
    });
  }
  // Usually an object is damaged first, and then another one is lost.
  const blows = Array.from({ length: 2 + Math.floor(random.next() * 3) }, (_, index) =>
    blowOf(fleet, random, random.next() < 0.7 ? index % 2 === 0 : random.next() < 0.5),
  );
  const undo = befall(fleet, random, tell);
  for (const [index, blow] of blows.entries()) {
    if (index > 0 && random.next() < 0.3) await fleet.clock.advance(Math.floor(random.next() * 3_000));
    tell(blow.what);
    blow.strike();
  }
  await fleet.clock.advance(Math.floor(random.next() ** 2 * 240_000));
  undo();
  tell('healed');
  for (let second = 0; second < 300 && unrestored(fleet).length > 0; second++) await fleet.clock.advance(1_000);
  await fleet.clock.advance(120_000);
  return { story, breaches: [...breaches, ...unrestored(fleet)] };
}

async function exportAll(fleet: VirtualFleet): Promise<void> {
  for (const [index, name] of names.entries()) {
    const ref = { namespace: 'shop', name };
    for (const clusterID of exporters[name] ?? []) {
      putService(fleet.cluster(clusterID), westPorts, ref);
      putPod(fleet.cluster(clusterID), name, `10.${clusterID === 'west' ? 20 : 10}.1.${index + 1}`, { app: name });
      exportService(fleet.cluster(clusterID), ref);
    }
  }
  for (const name of members) putService(fleet.cluster(name), westPorts, { namespace: 'shop', name: 'other' });
  const slices = Object.values(exporters).flat().length;
  await fleet.until('both have imported all', () => members.every((name) => slicesOf(fleet, name).length === slices));
  await fleet.clock.advance(15_000);
}

const slicesOf = (fleet: VirtualFleet, name: string) =>
  fleet
    .cluster(name)
    .server.admin.list(EndpointSlice, 'shop')
    .filter(({ metadata }) => metadata.labels?.[Label.mcsServiceName] !== undefined);

/** Everything that a connection would notice, with the identity of all objects. */
function existing(fleet: VirtualFleet, name: string): readonly string[] {
  const { admin } = fleet.cluster(name).server;
  const services = admin.list(Service, 'shop').filter(({ metadata }) => metadata.name.startsWith('antrea-mc-'));
  const line = (kind: string, { metadata }: KubernetesObject, ...rest: unknown[]) =>
    `${kind} ${metadata.name} ${metadata.uid ?? ''} ${JSON.stringify(rest)}`;
  return [
    ...admin.list(ServiceImport).map((one) => line('ServiceImport', one, one.spec)),
    ...services.map((one) => line('Service', one, one.spec)),
    ...slicesOf(fleet, name).map((one) => line('EndpointSlice', one, one.endpoints, one.ports)),
  ];
}

function differenceOf(before: readonly string[], after: readonly string[]): string {
  const without = (some: readonly string[], others: readonly string[]) => some.filter((one) => !others.includes(one));
  return [...without(before, after).map((one) => `-${one}`), ...without(after, before).map((one) => `+${one}`)].join(
    '\n',
  );
}

interface Blow {
  readonly what: string;
  readonly strike: () => void;
}

const kinds: readonly (readonly [string, ResourceType])[] = [
  ['exports', ResourceExport],
  ['imports', ResourceImport],
  ['announcements', MemberClusterAnnounce],
];

/** A random loss among the objects of the Common Area at the time of the loss. */
function blowOf(fleet: VirtualFleet, random: Random, isSpoilt: boolean): Blow {
  const { admin } = fleet.leader.server;
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random.next() * list.length)] as T;
  const [plural, type] = pick([...kinds, ...kinds.slice(0, 2), ...kinds.slice(0, 2)]);
  const share = pick([1, 1, 0.5]);
  const [part, isOfPart] = pick([
    ['', () => true],
    ['', () => true],
    [' of endpoints', (name: string) => name.includes('-endpoints')],
    [' of Services', (name: string) => name.endsWith('-service')],
    [' of one Service', (name: string) => name.includes('-both-')],
  ] as const);
  const isChosen = type === MemberClusterAnnounce ? () => true : isOfPart;
  const chosen = () =>
    admin
      .list(type, leaderNamespace)
      .filter(({ metadata }) => isChosen(metadata.name) && (share === 1 || random.next() < share));
  const patch = (metadata: object) => () =>
    chosen().forEach((object) => admin.patch(type, object.metadata, { metadata }));
  const tear: readonly [string, () => void] = [
    'torn away',
    () => chosen().forEach(({ metadata }) => admin.remove(type, metadata)),
  ];
  const spoilt: readonly (readonly [string, () => void])[] = [
    ['stripped of their labels', patch({ labels: null })],
    ['stripped of their annotations', patch({ annotations: null })],
    ['stripped of labels and annotations', patch({ labels: null, annotations: null })],
    ['stripped of the label of their cluster', patch({ labels: { [Label.sourceClusterID]: null } })],
    ['given the label of another cluster', patch({ labels: { [Label.sourceClusterID]: 'south' } })],
  ];
  // A member that is silent after the deletion of its announcement has left.
  const lost: readonly (readonly [string, () => void])[] = [
    tear,
    type === MemberClusterAnnounce
      ? tear
      : ['deleted', () => chosen().forEach(({ metadata }) => admin.delete(type, metadata))],
  ];
  const [how, strike] = pick(isSpoilt ? spoilt : lost);
  return {
    what: `${share === 1 ? 'all' : 'half of the'} ${plural}${type === MemberClusterAnnounce ? '' : part} are ${how}`,
    strike,
  };
}

/** The faults of controllers and links in the meantime. Returns a function that ends them. */
function befall(fleet: VirtualFleet, random: Random, tell: (what: string) => void): () => void {
  const ends: (() => void)[] = [];
  for (const name of ['north', ...members]) {
    const dice = random.next();
    const lateMs = Math.floor(random.next() * 5_000);
    if (dice < 0.25) {
      const kill = () => {
        tell(`${name} is killed`);
        fleet.cluster(name).kill();
      };
      if (dice < 0.15) kill();
      else fleet.clock.after(lateMs, kill);
      ends.push(() => {
        fleet.cluster(name).kill();
        fleet.cluster(name).start();
      });
    } else if (dice < 0.4) {
      const link = fleet.link(`${name}-${name === 'north' ? 'leader' : 'member'}`, 'north');
      tell(`${name} is cut off`);
      link.cut(dice < 0.32 ? 'refuse' : 'silence');
      ends.push(() => link.heal());
    } else if (dice < 0.55) {
      fleet.clock.after(lateMs, () => {
        tell(`${name} starts again`);
        fleet.cluster(name).kill();
        fleet.cluster(name).start();
      });
    }
  }
  if (random.next() < 0.2) ends.push(() => fleet.leader.server.admin.compact());
  return () => ends.forEach((end) => end());
}

/** What is not exported, published and reported as before. */
function unrestored(fleet: VirtualFleet): readonly string[] {
  const { admin } = fleet.leader.server;
  const exported = new Map(admin.list(ResourceExport).map((object) => [object.metadata.name, object]));
  const published = new Map(admin.list(ResourceImport).map((object) => [object.metadata.name, object]));
  return names.flatMap((name) => [
    ...(exporters[name] ?? []).flatMap((clusterID) =>
      ['service', 'endpoints'].flatMap((kind) => {
        const found = exported.get(`${clusterID}-shop-${name}-${kind}`);
        const isSeen = found?.metadata.labels?.[Label.sourceClusterID] === clusterID;
        return isSeen && found.metadata.deletionTimestamp === undefined
          ? []
          : [`${name} is not exported by ${clusterID} (${kind})`];
      }),
    ),
    ...['service', 'endpoints'].flatMap((kind) => {
      const found = published.get(`shop-${name}-${kind}`);
      return found !== undefined && carriesOurLabel(found) ? [] : [`${name} is not published (${kind})`];
    }),
    ...members.flatMap((member) => {
      const found = fleet.cluster(member).server.admin.get(ServiceImport, { namespace: 'shop', name });
      const ready = conditionOf(found?.status?.conditions, 'Ready');
      return ready?.status === 'True' ? [] : [`${name} is not Ready in ${member}: ${ready?.message ?? 'not imported'}`];
    }),
  ]);
}

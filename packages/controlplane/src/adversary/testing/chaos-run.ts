import {
  ClusterSet,
  EndpointSlice,
  MemberClusterAnnounce,
  Namespace,
  ResourceExport,
  Secret,
  Service,
  ServiceImport,
  exportedServiceName,
} from '@isthmus/api';
import { keyOfObject, seededRandom } from '@isthmus/machinery';
import type { KubernetesObject } from '@isthmus/machinery';
import type { VirtualFleet } from '@isthmus/fleet-sim';
import {
  createVirtualFleet,
  exportService,
  leaderNamespace,
  leaderSecret,
  putService,
  recordWrites,
} from '@isthmus/fleet-sim';
import { calmRun, clusterIDOf } from './calm-run.ts';
import type { Torment } from './chaos-faults.ts';
import { torment, waysOf } from './chaos-faults.ts';
import type { Mischief } from './chaos-users.ts';
import { clusterSetRef, putLeaderClusterSet, servicesOf, userAct } from './chaos-users.ts';
import { convergedState } from './converged-state.ts';
import type { FleetShape } from './fleet-shape.ts';

export interface ChaosOptions extends Mischief {
  readonly seed: number;
  readonly steps: number;
  /**
   * How long the healed fleet has to come to rest. Default: a quarter of an hour, in which each of
   * its waits ends.
   */
  readonly restMs?: number | undefined;
  /** How long it must write nothing after that. Default: ten minutes. */
  readonly quietMs?: number | undefined;
  readonly faults: boolean;
  /** The wall clock of all clusters may jump by hours, and back. */
  readonly wallClock?: boolean | undefined;
  readonly podIPs?: boolean | undefined;
  /**
   * The share of writes at which the controller dies, before or after the write. It starts again a
   * second later.
   */
  readonly deaths?: number | undefined;
  /** The maximum virtual time between two steps. */
  readonly paceMs?: number | undefined;
}

export interface ChaosResult {
  /** The actions, in order. */
  readonly story: readonly string[];
  /** Events that must never happen. */
  readonly breaches: readonly string[];
  /** The difference between the runs: `-` exists only in the calm run, `+` only in this one. */
  readonly difference: readonly string[];
  /** Writes in the time that must have none. */
  readonly restless: readonly string[];
  /** The number of imports at the end. */
  readonly imports: number;
}

const shapeOf = (options: ChaosOptions): FleetShape => ({
  clusters: { north: 'leader+member', east: 'member', west: 'member' },
  endpointIPType: options.podIPs === true ? 'PodIP' : 'ClusterIP',
});
const members = ['north', 'east', 'west'];

/**
 * Runs users and faults on a fleet, heals it, and compares it with a calm run that ends with the
 * same wishes.
 */
export async function chaosRun(options: ChaosOptions): Promise<ChaosResult> {
  const random = seededRandom(options.seed * 7919 + 13);
  const shape = shapeOf(options);
  const story: string[] = [];
  const breaches: string[] = [];
  const fate = seededRandom(options.seed + 77);
  let mortal = false;
  await using fleet = await createVirtualFleet({
    ...shape,
    seed: options.seed,
    onWrite() {
      if (!mortal || fate.next() >= (options.deaths ?? 0)) return 'pass';
      return fate.next() < 0.5 ? 'die-before' : 'die-after';
    },
  });
  mortal = true;
  const foreign = putForeign(fleet);
  for (const name of members) {
    for (const namespace of ['shop', 'shop-web'])
      fleet.cluster(name).server.admin.put(Namespace, { metadata: { name: namespace } });
    for (const ref of servicesOf(options)) {
      putService(fleet.cluster(name), [{ name: 'http', protocol: 'TCP', port: 80, targetPort: 8080 }], ref);
      if (random.next() < 0.5) exportService(fleet.cluster(name), ref);
    }
  }
  const lags = watchLags(fleet);
  const torments: Torment[] = [];
  observe(fleet, {
    foreign,
    lags,
    breaches,
    story,
    strict: options.headless !== true && options.collisions !== true && options.drift !== true,
  });

  for (let step = 0; step < options.steps; step++) {
    const doFault = options.faults && random.next() < 0.3;
    const undone =
      torments.length > 0 && random.next() < 0.35
        ? torments.splice(Math.floor(random.next() * torments.length), 1)[0]
        : undefined;
    if (undone !== undefined) {
      undone.undo();
      story.push(`${seconds(fleet)} undo ${undone.what}`);
    } else if (doFault) {
      const next = torment(fleet, members, random, options.wallClock === true);
      const recovered = next.way === undefined ? () => {} : lags.begin(next.way.controller, next.recoveryMs);
      torments.push({
        ...next,
        undo() {
          next.undo();
          recovered();
        },
      });
      story.push(`${seconds(fleet)} ${next.what}`);
    } else {
      const did = userAct(fleet, members, random, options);
      if (did !== undefined) story.push(`${seconds(fleet)} ${did}`);
    }
    const pace = random.next();
    const mostMs = options.paceMs ?? 20_000;
    await fleet.clock.advance(pace < 0.3 ? Math.floor(random.next() * 50) : Math.floor(random.next() * mostMs));
  }
  mortal = false;
  for (const { undo } of torments.splice(0)) undo();
  await heal(fleet);
  story.push(`${seconds(fleet)} healed`);
  await fleet.clock.advance(options.restMs ?? 900_000);
  forgetOldNames(fleet);
  await fleet.clock.advance(120_000);
  const writes = recordWrites(fleet);
  await fleet.clock.advance(options.quietMs ?? 600_000);
  const restless = writes();
  const bugs = fleet.clusters.flatMap(({ name, log }) =>
    log.entries.flatMap(({ error, message, fields }) =>
      error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError
        ? [`${name}: ${message} ${JSON.stringify(fields)} ${error.stack ?? ''}`]
        : [],
    ),
  );
  await using calm = await calmRun(fleet, shape);
  putForeign(calm);
  await calm.clock.advance(5_000);
  const [mine, theirs] = [new Set(convergedState(fleet)), new Set(convergedState(calm))];
  const difference = [
    ...[...theirs].filter((line) => !mine.has(line)).map((line) => `- ${line}`),
    ...[...mine].filter((line) => !theirs.has(line)).map((line) => `+ ${line}`),
  ].toSorted((a, b) => (a.slice(2) < b.slice(2) ? -1 : 1));
  const imports = fleet.clusters.reduce((sum, { server }) => sum + server.admin.list(ServiceImport, 'shop').length, 0);
  return { story, breaches: [...breaches, ...bugs], difference, restless, imports };
}

function seconds(fleet: VirtualFleet): string {
  return `${(fleet.clock.monotonic() / 1000).toFixed(1)}s`;
}

/** Everything works again, and the objects that users need for that exist. */
async function heal(fleet: VirtualFleet): Promise<void> {
  for (const way of waysOf(fleet, members)) fleet.link(way.controller, way.server).heal();
  const { admin } = fleet.leader.server;
  if (admin.list(ClusterSet, leaderNamespace).length === 0) putLeaderClusterSet(fleet);
  for (const cluster of fleet.clusters) {
    if (cluster.server.admin.get(Secret, leaderSecret) === undefined) {
      cluster.server.admin.put(Secret, {
        metadata: { ...leaderSecret },
        data: { 'ca.crt': btoa('a certificate'), token: btoa(`last-${cluster.name}`) },
      });
    }
    cluster.start();
  }
  await fleet.clock.advance(0);
}

/**
 * An administrator deletes the objects of members that left without the leader, as the Event
 * advises.
 */
function forgetOldNames(fleet: VirtualFleet): void {
  const { admin } = fleet.leader.server;
  const present = new Set(
    fleet.clusters.flatMap(({ name, server }) =>
      server.admin.get(ClusterSet, clusterSetRef) === undefined ? [] : [clusterIDOf(fleet, name)],
    ),
  );
  for (const { metadata, clusterID = '' } of admin.list(MemberClusterAnnounce)) {
    if (!present.has(clusterID)) admin.delete(MemberClusterAnnounce, metadata);
  }
}

const foreignNames = ['default/antrea-mc-mine', 'default/theirs'];

/** Objects of other clients that are in the way of everything that we create. */
function putForeign(fleet: VirtualFleet): ReadonlySet<string> {
  for (const { server } of fleet.clusters) {
    const { admin } = server;
    admin.put(Service, { metadata: { name: 'antrea-mc-mine', namespace: 'default' }, spec: { clusterIP: 'None' } });
    admin.put(ServiceImport, {
      metadata: { name: 'theirs', namespace: 'default' },
      spec: { type: 'ClusterSetIP', ports: [] },
    });
    admin.put(EndpointSlice, {
      metadata: {
        name: 'theirs',
        namespace: 'default',
        labels: { 'multicluster.kubernetes.io/service-name': 'theirs' },
      },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.1.1.1'] }],
    });
  }
  return new Set(foreignNames);
}

interface Lags {
  /** A fault affects this controller from now on. The returned function ends it. */
  begin(controller: string, recoveryMs: number): () => void;
  /** The last time until which no fault affected this controller. */
  calmAtMs(controller: string): number;
}

function watchLags({ clock }: VirtualFleet): Lags {
  const lags = new Map<string, { since: number; active: number; untilMs: number }>();
  return {
    begin(controller, recoveryMs) {
      const now = clock.monotonic();
      const before = lags.get(controller);
      const goesOn = before !== undefined && (before.active > 0 || before.untilMs > now);
      const lag = goesOn ? before : { since: now, active: 0, untilMs: 0 };
      lags.set(controller, lag);
      lag.active += 1;
      return () => {
        lag.active -= 1;
        lag.untilMs = Math.max(lag.untilMs, clock.monotonic() + recoveryMs);
      };
    },
    calmAtMs(controller) {
      const now = clock.monotonic();
      const lag = lags.get(controller);
      return lag !== undefined && (lag.active > 0 || lag.untilMs > now) ? lag.since : now;
    },
  };
}

interface Observation {
  readonly foreign: ReadonlySet<string>;
  readonly lags: Lags;
  readonly breaches: string[];
  readonly story: string[];
  readonly strict: boolean;
}

/** Records events that must never happen, at the moment of each write. */
function observe(fleet: VirtualFleet, { foreign, lags, breaches, story, strict }: Observation): void {
  /** Since when an export of that Service has existed without a gap. */
  const exportedSince = new Map<string, number>();
  const note = (text: string) => {
    breaches.push(`${seconds(fleet)} ${text}`);
    story.push(`${seconds(fleet)} BREACH ${text}`);
  };
  fleet.leader.server.admin.onChange(({ resource }) => {
    if (!resource.endsWith('/resourceexports')) return;
    const live = new Set(
      fleet.leader.server.admin
        .list(ResourceExport)
        .filter(({ spec, metadata }) => spec?.kind === 'Service' && metadata.deletionTimestamp === undefined)
        .map(({ spec }) => `${spec?.namespace}/${spec?.name}`),
    );
    for (const key of exportedSince.keys()) if (!live.has(key)) exportedSince.delete(key);
    for (const key of live) if (!exportedSince.has(key)) exportedSince.set(key, fleet.clock.monotonic());
  });
  const ripeMs = 5_000;
  for (const { name, server } of fleet.clusters) {
    server.admin.onChange(({ resource, key, before, after }) => {
      if (before !== undefined && foreign.has(key) && !sameContent(before, after)) note(`${name}: ${key} was touched`);
      if (!strict || before === undefined) return;
      const imported = importedKey(resource, key, before);
      if (imported === undefined || after !== undefined) return;
      const since = exportedSince.get(imported);
      const joined = server.admin.get(ClusterSet, clusterSetRef);
      const namespace = server.admin.get(Namespace, { name: before.metadata.namespace ?? '' });
      if (joined === undefined || joined.metadata.deletionTimestamp !== undefined) return;
      if (namespace === undefined || namespace.metadata.deletionTimestamp !== undefined) return;
      if (since !== undefined && since + ripeMs < lags.calmAtMs(`${name}-member`))
        note(
          `${name}: ${before.kind} ${key} vanished while ${imported} was exported since ${since / 1000}s (calm at ${lags.calmAtMs(`${name}-member`) / 1000}s)`,
        );
    });
  }
}

function importedKey(resource: string, key: string, before: KubernetesObject): string | undefined {
  if (resource.endsWith('/serviceimports')) return key;
  const [namespace = '', name = ''] = keyOfObject(before).split('/');
  const exported = exportedServiceName(name);
  if (resource === '/services' && exported !== undefined) return `${namespace}/${exported}`;
  return undefined;
}

function sameContent(before: KubernetesObject, after: KubernetesObject | undefined): boolean {
  return (
    after !== undefined && JSON.stringify({ ...before, metadata: {} }) === JSON.stringify({ ...after, metadata: {} })
  );
}

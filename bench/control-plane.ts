// Thousands of label identities, hundreds of members that join at once, and a leader that starts
// again over thousands of exports, on real API servers.
import {
  FixedName,
  LabelIdentity,
  MemberClusterAnnounce,
  Namespace,
  Pod,
  ResourceExport,
  ResourceImport,
  ClusterInfoImport,
  clusterInfoName,
  memberAnnounceName,
} from '@isthmus/api';
import { rfc3339 } from '@isthmus/machinery';
import { clusterSetName } from '@isthmus/fleet-sim';
import { whenManyArrived } from './arrival.ts';
import type { BenchOptions } from './bench-options.ts';
import { prepareControllers } from './controllers.ts';
import { joinedFleet } from './fleet.ts';
import { inParallel } from './in-parallel.ts';
import { inTurn } from './in-turn.ts';
import type { ProcessUsage } from './machine.ts';
import { currentLoad, usageOf } from './machine.ts';
import type { Make } from './make.ts';
import { comparedMakes, fleetOfMake, makes } from './make.ts';
import { pause } from './pause.ts';
import type { Figure } from './report.ts';
import { percentile } from './statistics.ts';
import type { WritesSince } from './writes.ts';
import { markAudit, writesSince } from './writes.ts';

const namespace = 'shop';
const area = FixedName.leaderNamespace;
const inFlight = 16;

/**
 * So many Pods with labels of their own, over three members, until each of the three has the number
 * of each; of Antrea's controllers too where their program is named.
 */
export async function measureIdentities(options: BenchOptions, note: (figure: Figure) => void): Promise<void> {
  // As many exports as row many has.
  const identities = 2 * options.exports;
  const measure = (make: Make): Promise<Identities> => {
    options.say(`${identities} label identities: ${make}`);
    return measureIdentitiesOf(make, identities, options);
  };
  const what = `${identities} label identities over three members, from cold until all three have all: ${identities * 5} objects`;
  if (options.antrea !== undefined) {
    const both = await inTurn(makes, 1, measure);
    const tell = (of: string, unit: string, value: (one: Identities) => number) =>
      note(comparedMakes({ row: 'identities', what: `${what}: ${of}`, unit }, both, value));
    tell('time', 's', ({ seconds }) => seconds);
    tell('processor time of the four controllers', 's', ({ used }) =>
      used.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
    );
    tell('memory of the largest', 'MB', ({ used }) => Math.max(...used.map(({ residentMB }) => residentMB)));
    tell('writes everywhere for each', '', ({ writes }) => writes.total / identities);
    tell('reads everywhere for each', '', ({ writes }) => writes.reads / identities);
    tell('one more set, median of 10', 'ms', ({ later }) => percentile(later, 0.5));
    return;
  }
  const { seconds, used, writes, later, load } = await measure('Isthmus');
  const leader = used.find(({ name }) => name === 'north');
  const memory = used.map(({ name, residentMB }) => `${name} ${Math.round(residentMB)} MB`).join(', ');
  note({
    row: 'identities',
    what,
    value: `${seconds.toFixed(1)} s, ${((1_000 * seconds) / identities).toFixed(1)} ms each; processor time of the leader ${leader?.cpuSeconds.toFixed(0)} s; ${(writes.total / identities).toFixed(2)} writes each; ${memory}`,
    goal: '',
    met: undefined,
    data: { seconds, used, writes, load },
  });
  const middle = percentile(later, 0.5);
  note({
    row: 'identities',
    what: 'one more set of labels beside all of these, until another cluster has its number: shortest and median of 10 (polled every 100 ms)',
    value: `${Math.min(...later).toFixed(0)} / ${middle.toFixed(0)} ms`,
    goal: 'under a second',
    met: middle < 1_000,
    data: { times: later },
  });
}

interface Identities {
  readonly seconds: number;
  readonly used: readonly (ProcessUsage & { readonly name: string })[];
  readonly writes: WritesSince;
  /** Milliseconds of each further set of labels. */
  readonly later: readonly number[];
  readonly load: number;
}

async function measureIdentitiesOf(make: Make, identities: number, options: BenchOptions): Promise<Identities> {
  const { signal, say } = options;
  const members = ['east', 'south', 'west'];
  await using own = await fleetOfMake(make, options, {
    members,
    namespace,
    endpointIPType: 'ClusterIP',
    stretched: true,
  });
  const { fleet, controllers } = own;
  const clusters = members.map((name) => fleet.cluster(name));
  const podOf = (name: string) => ({
    metadata: { name, namespace, labels: { app: name } },
    spec: { containers: [{ name: 'c', image: 'c' }] },
  });
  await Promise.all(
    clusters.map(({ admin }, index) => {
      const numbers = Array.from({ length: identities }, (_, number) => number);
      const mine = numbers.filter((number) => number % members.length === index);
      return inParallel(mine, inFlight, async (number) => {
        await admin.create(Pod, podOf(`p-${number}`), { signal });
      });
    }),
  );
  say(`${identities} Pods are there`);
  const load = currentLoad();
  const mark = markAudit(fleet);
  const from = performance.now();
  controllers.start();
  const limit = AbortSignal.any([signal, controllers.failed]);
  const arrived = await Promise.all(
    clusters.map(({ admin }) =>
      whenManyArrived({ client: admin, type: LabelIdentity, namespace: '', signal: limit }, identities),
    ),
  );
  const seconds = (Math.max(...arrived) - from) / 1_000;
  const used = [...controllers.pids].map(([name, pid]) => ({ name, ...usageOf(pid) }));
  const writes = writesSince(fleet, mark);
  // One more set beside all the others.
  const later: number[] = [];
  await pause(3_000);
  for (let index = 0; index < 10; index++) {
    const begun = performance.now();
    await fleet.cluster('east').admin.create(Pod, podOf(`late-${index}`), { signal });
    const all = { client: fleet.cluster('west').admin, type: LabelIdentity, namespace: '', signal: limit };
    await whenManyArrived(all, identities + index + 1);
    later.push(performance.now() - begun);
  }
  return { seconds, used, writes, later, load };
}

/**
 * So many members that announce themselves and the network of their cluster in one moment, until an
 * importer knows all of these networks.
 */
export async function measureJoins(options: BenchOptions, note: (figure: Figure) => void): Promise<void> {
  const { signal, say, members } = options;
  await using fleet = await joinedFleet(['west']);
  await using controllers = await prepareControllers(fleet.clusters, {
    ...options,
    program: options.program.path,
    endpointIPType: 'ClusterIP',
  });
  const [leader, west] = [fleet.cluster('north'), fleet.cluster('west')];
  controllers.start();
  const limit = AbortSignal.any([signal, controllers.failed]);
  await whenManyArrived({ client: leader.admin, type: MemberClusterAnnounce, namespace: area, signal: limit }, 1);
  await pause(5_000);
  say(`${members} members join`);
  const numbers = Array.from({ length: members }, (_, index) => index);
  const load = currentLoad();
  const from = performance.now();
  await inParallel(numbers, 64, async (index) => {
    const clusterID = `m-${index}`;
    const network = {
      clusterID,
      serviceCIDR: `10.${Math.floor(index / 16)}.${(index % 16) * 16}.0/20`,
      gatewayInfos: [{ gatewayIP: `192.0.2.${(index % 250) + 1}` }],
    };
    await leader.admin.create(MemberClusterAnnounce, {
      metadata: {
        name: memberAnnounceName(clusterID),
        namespace: area,
        annotations: { 'touch-ts': rfc3339(Date.now()) },
      },
      clusterID,
      clusterSetID: clusterSetName,
      leaderClusterID: 'north',
    });
    await leader.admin.create(ResourceExport, {
      metadata: {
        name: clusterInfoName(clusterID),
        namespace: area,
        finalizers: ['resourceexport.antrea.io/finalizer'],
        labels: { sourceKind: 'ClusterInfo', sourceClusterID: clusterID },
      },
      spec: { kind: 'ClusterInfo', clusterID, name: clusterID, namespace: 'kube-system', clusterInfo: network },
    });
  });
  const written = (performance.now() - from) / 1_000;
  const imports = { client: west.admin, type: ClusterInfoImport, namespace: FixedName.memberNamespace, signal: limit };
  const seconds = ((await whenManyArrived(imports, members)) - from) / 1_000;
  note({
    row: 'joins',
    what: `${members} members that announce themselves and their networks at once, until another member has imported all`,
    value: `${seconds.toFixed(1)} s, of which ${written.toFixed(1)} s to write them; leader ${Math.round(usageOf(controllers.pids.get('north') ?? 0).residentMB)} MB`,
    goal: 'within 30 s, at which Antrea polls',
    met: seconds < 30,
    data: { seconds, written, load },
  });
}

/**
 * A leader of so many Services of one member, with two ResourceExports each, that is killed and
 * started: until it publishes a new one.
 */
export async function measureRestart(options: BenchOptions, note: (figure: Figure) => void): Promise<void> {
  const { signal, say, exports } = options;
  const services = Math.ceil(exports / 2);
  await using fleet = await joinedFleet([]);
  const leader = fleet.cluster('north');
  await using controllers = await prepareControllers(fleet.clusters, {
    ...options,
    program: options.program.path,
    endpointIPType: 'ClusterIP',
  });
  await leader.admin.create(Namespace, { metadata: { name: namespace } });
  const ports = [{ name: 'http', protocol: 'TCP', port: 80 }] as const;
  const put = async (name: string) => {
    const spec = { clusterID: 'west', namespace, name };
    const metadata = (kind: string) => ({
      name: `west-${namespace}-${name}-${kind}`,
      namespace: area,
      labels: { sourceClusterID: 'west' },
    });
    const service = { serviceSpec: { ports } };
    const endpoints = { subsets: [{ addresses: [{ ip: '10.96.7.7' }], ports }] };
    const objects: readonly ResourceExport[] = [
      { metadata: metadata('service'), spec: { ...spec, kind: 'Service', service } },
      { metadata: metadata('endpoints'), spec: { ...spec, kind: 'Endpoints', endpoints } },
    ];
    for (const object of objects) await leader.admin.create(ResourceExport, object);
  };
  const names = Array.from({ length: services }, (_, index) => `s-${index}`);
  await inParallel(names, inFlight, put);
  controllers.start();
  const limit = AbortSignal.any([signal, controllers.failed]);
  const published = { client: leader.admin, type: ResourceImport, namespace: area, signal: limit };
  // The Service, the endpoints, and those of its one cluster.
  await whenManyArrived(published, 3 * services);
  await pause(5_000);
  say(`${exports} ResourceExports are published`);
  await controllers.kill('north');
  const before = (await leader.admin.list(ResourceImport, { namespace: area })).resourceVersion;
  await put('late');
  const load = currentLoad();
  const from = performance.now();
  controllers.start();
  const seconds = ((await whenManyArrived(published, 3 * services + 3)) - from) / 1_000;
  await pause(10_000);
  const changed = (await leader.admin.list(ResourceImport, { namespace: area })).items.filter(
    ({ metadata }) => Number(metadata.resourceVersion) > Number(before),
  );
  note({
    row: 'restart',
    what: `a leader of ${exports} ResourceExports that is killed and started, until it publishes one more`,
    value: `${seconds.toFixed(1)} s; imports written: ${changed.length}, 3 of them new`,
    goal: 'within 15 s, nothing else written',
    met: seconds < 15 && changed.length === 3,
    data: { seconds, load },
  });
}

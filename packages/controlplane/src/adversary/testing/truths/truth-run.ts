import {
  ClusterInfoImport,
  ClusterSet,
  MemberClusterAnnounce,
  Namespace,
  ServiceImport,
  clusterInfoName,
  memberAnnounceName,
  probesText,
} from '@isthmus/api';
import type { VirtualCluster, VirtualFleet } from '@isthmus/fleet-sim';
import {
  clusterSetCondition,
  clusterSetName,
  createVirtualFleet,
  exportService,
  leaderNamespace,
  memberNamespace,
  putService,
  recordWrites,
} from '@isthmus/fleet-sim';
import type { Random } from '@isthmus/machinery';
import { conditionOf, isLive, seededRandom } from '@isthmus/machinery';
import { announce, renewGatewayLease } from '../../../testing/announced-network.ts';
import { torment } from '../chaos-faults.ts';
import { pick } from '../chaos-users.ts';
import type { Act } from './acts.ts';
import { handAct, putPodOf, services, userAct } from './acts.ts';
import { failedCalls } from './probe.ts';

/**
 * What carries packets: the Nodes, to all Pods; or gateways, whose agents are played, to ClusterIPs
 * or Pods.
 */
export const networks = ['of Nodes', 'of gateways', 'of gateways, to Pods'] as const;
export type Network = (typeof networks)[number];

export interface TruthOptions {
  readonly seed: number;
  /** The number of sequences of faults on one fleet. */
  readonly sequences: number;
  readonly network: Network;
}

export interface TruthResult {
  readonly story: readonly string[];
  /** Statements that were false for more than a minute, and objects that were written too often. */
  readonly breaches: readonly string[];
  /** How many statements were looked at, and how many of them were false at that moment. */
  readonly looks: { readonly all: number; readonly false: number };
}

const members = ['north', 'east', 'west'] as const;
const ports = [{ name: 'http', protocol: 'TCP', port: 80, targetPort: 8080 }] as const;
/** How long a statement may be false. */
const patienceMs = 60_000;
const stepMs = 5_000;
/** The most writes to one object in a minute in which nothing changes. */
const mostWrites = 6;

/** The faults that exist now. */
interface Disorder {
  readonly acts: Act[];
  /** Until when what a cluster reports of itself cannot be right, in milliseconds. */
  readonly blind: { readonly names: readonly string[]; untilMs: number }[];
  readonly frozen: Set<string>;
  /** Faults of links, each of which may end when another one on its link does. */
  readonly torments: Set<string>;
  readonly withoutAgent: Set<string>;
  /** Pairs of clusters between which no packet passes. */
  readonly apart: Set<string>;
}

interface Run {
  readonly fleet: VirtualFleet;
  readonly options: TruthOptions;
  readonly random: Random;
  readonly disorder: Disorder;
  readonly story: string[];
  readonly breaches: string[];
  /** Since when each statement is false. */
  readonly falseSince: Map<string, number>;
  readonly looks: { all: number; false: number };
}

/** Lets faults loose on a fleet, one sequence after the other. Holds its statuses against calls. */
export async function truthRun(options: TruthOptions): Promise<TruthResult> {
  const endpointIPType = options.network === 'of gateways' ? 'ClusterIP' : 'PodIP';
  await using fleet = await createVirtualFleet({
    clusters: { north: 'leader+member', east: 'member', west: 'member' },
    seed: options.seed,
    endpointIPType,
  });
  const run: Run = {
    fleet,
    options,
    random: seededRandom(options.seed * 104_729 + 7),
    disorder: {
      acts: [],
      blind: [],
      frozen: new Set(),
      torments: new Set(),
      withoutAgent: new Set(),
      apart: new Set(),
    },
    story: [],
    breaches: [],
    falseSince: new Map(),
    looks: { all: 0, false: 0 },
  };
  for (const [index, name] of members.entries()) {
    const member = fleet.cluster(name);
    member.server.admin.put(Namespace, { metadata: { name: 'shop' } });
    if (hasGateways(run)) announce(member, { podCIDRs: [`10.${20 + index}.0.0/16`] });
    for (const ref of services) {
      putService(member, ports, ref);
      putPodOf(member, ref, 0, true);
      if (run.random.next() < 0.6) exportService(member, ref);
    }
  }
  await pass(run, 60_000);
  for (let sequence = 0; sequence < options.sequences; sequence++) await playSequence(run, sequence);
  await checkRest(run, 'after all faults');
  return { story: run.story, breaches: run.breaches, looks: run.looks };
}

async function playSequence(run: Run, sequence: number): Promise<void> {
  const { random, disorder, story } = run;
  story.push(`${seconds(run)} sequence ${sequence}`);
  const steps = 2 + Math.floor(random.next() * 5);
  for (let step = 0; step < steps; step++) {
    const next = act(run);
    if (next !== undefined) {
      story.push(`${seconds(run)} ${next.what}`);
      if (next.undo !== undefined) disorder.acts.push(next);
    }
    await pass(run, Math.floor(random.next() * 30_000));
  }
  await pass(run, patienceMs + 2 * stepMs);
  if (random.next() < 0.2) await checkRest(run, 'under faults');
  // Some faults last into the next sequence.
  const { ended = [], lasting = [] } = Object.groupBy(disorder.acts.splice(0), () =>
    random.next() < 0.8 ? 'ended' : 'lasting',
  );
  for (const { what, undo } of ended) {
    undo?.();
    story.push(`${seconds(run)} undo ${what}`);
  }
  disorder.acts.push(...lasting);
  await pass(run, 20_000);
}

function act(run: Run): Act | undefined {
  const { fleet, random, disorder } = run;
  const name = pick(random, members);
  const member = fleet.cluster(name);
  const dice = random.next();
  if (dice < 0.4) return userAct(member, random);
  if (dice < 0.6) return handAct(fleet, member, random);
  if (dice < 0.7) return stop(run, name);
  if (dice < 0.8 && hasGateways(run)) return breakNetwork(run, name);
  if (disorder.frozen.size > 0) return undefined;
  const { what, way, recoveryMs, undo } = torment(fleet, [...members], random, false);
  const isStream = what.includes('-stream');
  const blinded = [
    ...(way !== undefined && (way.controller === `${way.server}-member` || isStream) && !what.endsWith('killed')
      ? [way.controller.replace(/-(member|leader)$/, '')]
      : []),
    // What its controller does not see, no other cluster can know.
    ...(isStream && way?.server === 'north' ? members : []),
    ...(way?.controller === 'north-leader' && !what.endsWith('killed') ? ['the leader'] : []),
  ];
  const blind = { names: blinded, untilMs: fleet.clock.monotonic() + 600_000 };
  disorder.blind.push(blind);
  disorder.torments.add(what);
  return {
    what,
    undo() {
      undo();
      disorder.torments.delete(what);
      blind.untilMs = fleet.clock.monotonic() + recoveryMs;
    },
  };
}

/** A controller is killed, or stands still. */
function stop({ fleet, random, disorder }: Run, name: string): Act {
  const role = name === 'north' && random.next() < 0.5 ? 'leader' : 'member';
  const cluster = fleet.cluster(name);
  if (random.next() < 0.5 || disorder.torments.size > 0) {
    cluster.kill(role);
    return { what: `${name}-${role} is killed`, undo: () => cluster.start(role) };
  }
  const controller = `${name}-${role}`;
  const links = [name, ...(role === 'leader' || name === 'north' ? [] : ['north'])].map((server) =>
    fleet.link(controller, server),
  );
  for (const link of links) link.cut('silence');
  disorder.frozen.add(controller);
  return {
    what: `${controller} is frozen`,
    undo() {
      for (const link of links) link.heal();
      disorder.frozen.delete(controller);
    },
  };
}

function breakNetwork({ random, disorder }: Run, name: string): Act {
  if (random.next() < 0.3) {
    disorder.withoutAgent.add(name);
    return { what: `the agent of ${name} is gone`, undo: () => void disorder.withoutAgent.delete(name) };
  }
  const other = pick(
    random,
    members.filter((one) => one !== name),
  );
  const pair = [name, other].toSorted().join(' ');
  disorder.apart.add(pair);
  return { what: `no packet passes between ${pair}`, undo: () => void disorder.apart.delete(pair) };
}

function hasGateways({ options }: Pick<Run, 'options'>): boolean {
  return options.network !== 'of Nodes';
}

function carries(run: Run, from: string, to: string): boolean {
  const { apart, withoutAgent } = run.disorder;
  if (!hasGateways(run)) return true;
  const ends = [from, to];
  return (
    !apart.has(ends.toSorted().join(' ')) &&
    !ends.some((one) => withoutAgent.has(one)) &&
    knows(run, from, to) &&
    knows(run, to, from)
  );
}

/** Whether agents of a cluster have tunnels to another. */
function knows({ fleet }: Run, here: string, there: string): boolean {
  const ref = { namespace: memberNamespace, name: clusterInfoName(there) };
  return fleet.cluster(here).server.admin.get(ClusterInfoImport, ref) !== undefined;
}

/** Lets time pass, and looks every five seconds. */
async function pass(run: Run, ms: number): Promise<void> {
  for (let leftMs = ms; leftMs > 0; leftMs -= stepMs) {
    await run.fleet.clock.advance(Math.min(stepMs, leftMs));
    if (hasGateways(run)) for (const name of members) renewLease(run, name);
    look(run);
  }
}

/** What the agent on the gateway of a cluster reports. */
function renewLease(run: Run, name: string): void {
  const { fleet, disorder } = run;
  if (disorder.withoutAgent.has(name)) return;
  const others = members.filter((one) => one !== name && knows(run, name, one));
  const probes = others.map((other) => {
    const arrives = carries(run, name, other);
    return {
      clusterID: other,
      answering: arrives ? 1 : 0,
      silent: arrives ? 0 : 1,
      gateways: 1,
      roundTripMs: arrives ? 5 : undefined,
      lossPercent: arrives ? 0 : 100,
      silentAddresses: [],
    };
  });
  renewGatewayLease(fleet, fleet.cluster(name), { 'isthmus.dev/probes': probesText(probes) });
}

/** A statement of an object: why it is false, undefined: it is true. */
type Statement = readonly [what: string, falseBecause: string | undefined];

/** Notes statements that have been false for too long. */
function look(run: Run): void {
  const { fleet, falseSince, breaches, story, looks } = run;
  const now = fleet.clock.monotonic();
  const found = new Map(statements(run));
  for (const what of falseSince.keys()) if (found.get(what) === undefined) falseSince.delete(what);
  for (const [what, because] of found) {
    looks.all += 1;
    if (because === undefined) continue;
    looks.false += 1;
    const since = falseSince.get(what) ?? now;
    falseSince.set(what, since);
    if (now - since !== patienceMs && (now - since < patienceMs || now - since >= patienceMs + stepMs)) continue;
    const text = `${seconds(run)} ${what}, false since ${since / 1000}s: ${because}`;
    breaches.push(text);
    story.push(`BREACH ${text}`);
  }
}

function statements(run: Run): readonly Statement[] {
  const { fleet, disorder } = run;
  const isStopped = (name: string, role: 'leader' | 'member') =>
    !fleet.cluster(name).running(role) || disorder.frozen.has(`${name}-${role}`);
  const now = fleet.clock.monotonic();
  const isBlind = (name: string) => disorder.blind.some(({ names, untilMs }) => names.includes(name) && untilMs > now);
  const imports = members
    .filter((name) => !isStopped(name, 'member') && !isBlind(name))
    .flatMap((name) => services.map((ref) => aboutImport(run, fleet.cluster(name), ref, isBlind)));
  // One without an announcement has left.
  const isAnnounced = (name: string) => {
    const ref = { namespace: leaderNamespace, name: memberAnnounceName(name) };
    const announce = fleet.leader.server.admin.get(MemberClusterAnnounce, ref);
    return announce !== undefined && isLive(announce);
  };
  const stopped = members.find((name) => isStopped(name, 'member') && isAnnounced(name));
  const ofLeader = clusterSetCondition(fleet.leader, { namespace: leaderNamespace, name: clusterSetName });
  const leaderSays: readonly Statement[] =
    isStopped('north', 'leader') || isBlind('the leader')
      ? []
      : [
          [
            `ClusterSet of the leader is ${ofLeader}`,
            ofLeader.startsWith('True') ? stopped && `${stopped} is silent` : undefined,
          ],
        ];
  const membersSay = members
    .filter((name) => !isStopped(name, 'member') && !isBlind(name))
    .map((name): Statement => {
      const says = clusterSetCondition(fleet.cluster(name));
      const isFalse = says.startsWith('True') && isStopped('north', 'leader');
      return [`ClusterSet of ${name} is ${says}`, isFalse ? 'the leader is silent' : undefined];
    });
  return [...imports.flatMap((one) => one ?? []), ...leaderSays, ...membersSay].filter(
    ([what]) => !what.includes('none'),
  );
}

function aboutImport(
  run: Run,
  caller: VirtualCluster,
  ref: (typeof services)[number],
  isBlind: (name: string) => boolean,
): readonly Statement[] {
  const { fleet } = run;
  const { status } = caller.server.admin.get(ServiceImport, ref) ?? {};
  if (conditionOf(status?.conditions, 'Ready')?.status !== 'True') return [];
  if (caller.server.admin.get(ClusterSet, { namespace: memberNamespace, name: clusterSetName }) === undefined)
    return [];
  const failed = failedCalls(fleet, caller, ref, (from, to) => carries(run, from, to)).find(
    ({ cluster }) => cluster === undefined || !isBlind(cluster),
  );
  return [[`ServiceImport ${ref.name} of ${caller.name} is Ready`, failed?.why]];
}

/** In a minute without changes, no object is written more often than once in ten seconds. */
async function checkRest(run: Run, when: string): Promise<void> {
  const writes = recordWrites(run.fleet);
  await pass(run, 60_000);
  const counts = new Map<string, number>();
  for (const line of writes().filter((one) => / 2\d\d$/.test(one) && !one.includes('/leases/')))
    counts.set(line, (counts.get(line) ?? 0) + 1);
  for (const [line, count] of counts)
    if (count > mostWrites) {
      run.breaches.push(`${seconds(run)} ${when}: ${count} times in a minute ${line}`);
      run.story.push(`BREACH ${run.breaches.at(-1)}`);
    }
}

function seconds({ fleet }: Run): string {
  return `${(fleet.clock.monotonic() / 1000).toFixed(1)}s`;
}

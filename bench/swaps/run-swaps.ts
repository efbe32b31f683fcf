import type { ServicePort } from '@isthmus/api';
import { CustomResourceDefinition, FixedName } from '@isthmus/api';
import { handOver, planLeaderHandover, planMemberHandover, readLeader, readMember } from '@isthmus/controlplane';
import { systemClock } from '@isthmus/kube';
import { equal, sleep } from '@isthmus/machinery';
import type { RealCluster, RealFleet } from '@isthmus/testkit';
import type { EmptyMoment, EndpointSets } from './endpoint-sets.ts';
import { watchEndpointSets } from './endpoint-sets.ts';
import type { OtherController, OtherMake } from './other-make.ts';
import type { Swap } from './swap-plan.ts';
import { thisMake } from './swap-plan.ts';

/** The effects of one swap on the endpoints of the members. */
export interface SwapResult extends Swap {
  /** Sets of endpoints that were empty at some moment, as `member/Service`. */
  readonly empty: readonly string[];
  /** Seconds from Ready of the new controller until all sets were right. */
  readonly rightAfterS: number | undefined;
  /**
   * Sets that were wrong a minute after Ready, or after a change that followed, as
   * `member/Service: found instead of expected`.
   */
  readonly stale: readonly string[];
}

export interface SwapsOptions {
  readonly fleet: RealFleet;
  readonly other: OtherMake;
  readonly swaps: readonly Swap[];
  /** How many Services are exported: half by each member, and the last by all. */
  readonly services: number;
  /** How long sets may take to be right after a swap, on a host of any speed. Default: a minute. */
  readonly staleAfterMs?: number;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

const namespace = 'shop';
const aMinuteMs = 60_000;

/** One member's part of a Service. */
interface Exported {
  readonly name: string;
  readonly by: RealCluster;
  address: string;
  /** Where its Pods listen. */
  port: number;
  isWithdrawn?: boolean;
}

/**
 * Carries the swaps out on a fleet of Isthmus that is joined, one after the other, and watches
 * every EndpointSlice of its members all the time.
 */
export async function runSwaps(options: SwapsOptions): Promise<readonly SwapResult[]> {
  const { fleet, other, swaps, say, staleAfterMs = aMinuteMs } = options;
  const over = new AbortController();
  const signal = AbortSignal.any([options.signal, over.signal]);
  const clock = systemClock();
  const members = fleet.clusters.filter(({ role }) => role === 'member');
  const sets = members.map((member) => watchEndpointSets(member, namespace, signal));
  const others = new Map<string, OtherController>();
  const results: SwapResult[] = [];
  try {
    await Promise.all(sets.map((one) => one.ready()));
    const exported = await exportAll(members, options.services);
    await untilRight(sets, exported, { clock, signal, limitMs: 5 * staleAfterMs });
    for (const swap of swaps) {
      sets.forEach((one) => one.takeEmpty());
      const readyMs = await carryOut(swap, { ...options, others, signal }, () => change(exported, swap));
      const wait = { clock, signal, limitMs: staleAfterMs };
      const rightMs = await untilRight(sets, exported, wait);
      const stale = [...(rightMs === undefined ? wrong(sets, exported) : [])];
      if (swap.restarts) {
        for (const cluster of fleet.clusters)
          if (cluster.name !== swap.cluster) await restart(cluster, options, others);
        if ((await untilRight(sets, exported, wait)) === undefined) stale.push(...wrong(sets, exported));
      }
      if (other.goesOn) {
        await comeAndGo(swap, { exported, members, sets });
        if ((await untilRight(sets, exported, wait)) === undefined) stale.push(...wrong(sets, exported));
        if (others.has(swap.cluster)) {
          await restart(fleet.cluster(swap.cluster), options, others, () => change(exported, swap, 100));
          if ((await untilRight(sets, exported, wait)) === undefined) stale.push(...wrong(sets, exported));
        }
      }
      const moments = sets.flatMap((one) => one.takeEmpty());
      if (swap.loses) {
        await loseExports(fleet, { clock, signal });
        if ((await untilRight(sets, exported, wait)) === undefined) stale.push(...wrong(sets, exported));
        // Only sets without the other make count here: a leader of 0.1.0 publishes empty endpoints
        // after a loss, and its members export again in their own time.
        const isOfOurs = ({ member, service }: EmptyMoment) => {
          const exporters = exported.filter(({ name }) => name === service).map(({ by }) => by.name);
          return [fleet.leader.name, member, ...exporters].every((cluster) => !others.has(cluster));
        };
        moments.push(...sets.flatMap((one) => one.takeEmpty()).filter(isOfOurs));
      }
      const empty = moments.map(({ member, service }) => `${member}/${service}`);
      const result: SwapResult = { ...swap, empty, stale, rightAfterS: rightMs && (rightMs - readyMs) / 1000 };
      results.push(result);
      for (const one of empty) say(`empty: ${one}`);
      for (const one of stale) say(`stale: ${one}`);
      say(
        `round ${swap.round}: ${swap.cluster} to ${swap.to}: right after ${result.rightAfterS?.toFixed(1) ?? '>60'} s, ${empty.length} empty, ${stale.length} stale`,
      );
    }
    return results;
  } finally {
    over.abort(new Error('the swaps are over'));
    await Promise.all([...others.values()].map((controller) => controller.stop()));
  }
}

async function exportAll(members: readonly RealCluster[], services: number): Promise<Exported[]> {
  await Promise.all(members.map(({ user }) => user.namespace(namespace)));
  const exported: Exported[] = [];
  for (let index = 0; index < services; index++) {
    const at = index % members.length;
    const by = members[at];
    if (by === undefined) continue;
    for (const exporter of index === services - 1 ? members : [by]) {
      const address = `10.${10 + members.indexOf(exporter)}.0.${index + 1}`;
      const one = { name: `svc-${index}`, by: exporter, address, port: 8080 };
      await exporter.user.exportService({ namespace, name: one.name }, portsOf(one), one.address);
      exported.push(one);
    }
  }
  return exported;
}

function portsOf({ port: targetPort }: Pick<Exported, 'port'>): readonly ServicePort[] {
  return [{ name: 'http', protocol: 'TCP', port: 80, targetPort }];
}

interface Coming {
  /** Changed in place. */
  readonly exported: Exported[];
  readonly members: readonly RealCluster[];
  readonly sets: readonly EndpointSets[];
}

/** In each member a Service is exported, and the one before it withdrawn. */
async function comeAndGo(swap: Swap, { exported, members, sets }: Coming): Promise<void> {
  for (const [at, by] of members.entries()) {
    const prefix = `extra-${by.name}-`;
    const before = exported.find(({ name, isWithdrawn }) => name.startsWith(prefix) && isWithdrawn !== true);
    if (before !== undefined) {
      for (const one of sets) one.release(before.name);
      before.isWithdrawn = true;
      await by.user.unexport({ namespace, name: before.name });
    }
    const address = `10.${20 + at}.${saltOf(swap)}.1`;
    const name = `${prefix}${swap.round}-${swap.cluster}-${swap.to === thisMake ? 'back' : 'there'}`;
    const one = { name, by, address, port: 8080 };
    await by.user.exportService({ namespace, name: one.name }, portsOf(one), address);
    exported.push(one);
  }
}

/**
 * Longer than members wait before they export again what they lost, and than a loss without marks
 * is held.
 */
const lossMs = 80_000;

/** Deletes all ResourceExports on the leader, as a user might, and lets time pass. */
async function loseExports({ leader }: RealFleet, { clock, signal }: Pick<Wait, 'clock' | 'signal'>): Promise<void> {
  await leader.shell(`kubectl delete resourceexports --all --wait=false -n ${FixedName.leaderNamespace}`);
  await sleep(clock, lossMs, signal);
}

function saltOf({ round, cluster, to }: Swap): number {
  return (round * 8 + ['north', 'east', 'west'].indexOf(cluster) * 2 + (to === thisMake ? 0 : 1)) % 100;
}

/**
 * Another Pod for every second Service, of every fourth at another port: first both serve, then the
 * new one alone.
 */
async function change(exported: readonly Exported[], swap: Swap, more = 0): Promise<void> {
  const salt = saltOf(swap) + more;
  for (const [index, one] of exported.entries()) {
    if (index % 4 > 1 || one.isWithdrawn === true) continue;
    const ref = { namespace, name: one.name };
    const next = one.address.replace(/\.\d+\.(\d+)$/, `.${salt + 1}.$1`);
    const isShared = exported.some((part) => part !== one && part.name === one.name);
    if (index % 4 === 1 && !isShared) {
      one.port = one.port === 8080 ? 8081 : 8080;
      await one.by.user.service(ref, { ports: portsOf(one) });
    }
    await one.by.user.serve(ref, [one.address, next], portsOf(one));
    await one.by.user.serve(ref, [next], portsOf(one));
    one.address = next;
  }
}

interface Wait {
  readonly clock: ReturnType<typeof systemClock>;
  readonly signal: AbortSignal;
  readonly limitMs: number;
}

/** When all sets of all members were what the exporters serve; undefined: not in time. */
async function untilRight(
  sets: readonly EndpointSets[],
  exported: readonly Exported[],
  { clock, signal, limitMs }: Wait,
): Promise<number | undefined> {
  const from = clock.monotonic();
  while (clock.monotonic() - from <= limitMs) {
    if (wrong(sets, exported).length === 0) return clock.monotonic();
    await sleep(clock, 100, signal);
  }
  return undefined;
}

function wrong(sets: readonly EndpointSets[], exported: readonly Exported[]): readonly string[] {
  return sets.flatMap(({ member, current }) => {
    const found = current();
    return [...Map.groupBy(exported, ({ name }) => name)].flatMap(([name, parts]) => {
      const wanted = parts
        .flatMap(({ address, port, isWithdrawn }) => (isWithdrawn === true ? [] : [`${address}:${port}`]))
        .toSorted();
      if (equal(found.get(name) ?? [], wanted)) return [];
      return [`${member}/${name}: ${found.get(name)?.join(',') ?? 'none'} instead of ${wanted.join(',') || 'none'}`];
    });
  });
}

type Context = SwapsOptions & { readonly others: Map<string, OtherController> };

/**
 * Replaces a controller; returns when the new one was Ready. `meanwhile` happens while none runs.
 */
async function carryOut(swap: Swap, context: Context, meanwhile: () => Promise<void>): Promise<number> {
  const { fleet, other, others, signal, say } = context;
  const clock = systemClock();
  const cluster = fleet.cluster(swap.cluster);
  const role = cluster.role === 'leader' ? 'leader' : 'member';
  const isOwn = swap.definitions === 'each its own';
  if (swap.to !== thisMake) {
    await cluster.stop(role);
    if (swap.handover) await handedOver(cluster, role, signal);
    if (isOwn || swap.definitions === 'theirs') await applyYaml(cluster, await other.definitions(role));
    await applyYaml(cluster, await other.access(role));
    await meanwhile();
    others.set(cluster.name, await other.start(cluster, role));
  } else {
    await others.get(cluster.name)?.stop();
    others.delete(cluster.name);
    const manifest = await cluster.manifest(role === 'leader' ? 'deploy/leader.yaml' : 'deploy/member.yaml');
    await applyYaml(cluster, withoutDeployments(manifest, isOwn || swap.definitions === 'ours'));
    await meanwhile();
    await cluster.start(role);
  }
  say(`${cluster.name}: ${swap.to} runs as ${role}`);
  return clock.monotonic();
}

/** The steps of `isthmus handover`, in a cluster whose controller is stopped. */
export async function handedOver(cluster: RealCluster, role: 'leader' | 'member', signal: AbortSignal): Promise<void> {
  const { admin: client } = cluster;
  const at = role === 'leader' ? FixedName.leaderNamespace : FixedName.memberNamespace;
  const place = { client, namespace: at, signal };
  const plan =
    role === 'leader' ? planLeaderHandover(await readLeader(place)) : planMemberHandover(await readMember(place));
  await handOver(plan.steps, { client, clock: systemClock(), signal, runGroup: (_steps, work) => work() });
}

/**
 * Restarts a controller; controllers of the other make die by SIGKILL before. `meanwhile` happens
 * while none runs.
 */
async function restart(
  cluster: RealCluster,
  { other }: SwapsOptions,
  others: Map<string, OtherController>,
  meanwhile: () => Promise<void> = () => Promise.resolve(),
) {
  const role = cluster.role === 'leader' ? 'leader' : 'member';
  const running = others.get(cluster.name);
  if (running === undefined) {
    await cluster.stop(role);
    await meanwhile();
    await cluster.start(role);
  } else {
    await running.kill();
    await meanwhile();
    others.set(cluster.name, await other.start(cluster, role));
  }
}

/** As a person applies a manifest, and until the API server serves what it defines. */
export async function applyYaml(cluster: RealCluster, yaml: string): Promise<void> {
  if (yaml.trim() === '') return;
  await cluster.shell('kubectl apply -f -', yaml);
  const names = yaml.matchAll(/^kind: CustomResourceDefinition\n(?:.*\n)*?\s+name: (\S+)/gm);
  for (const [, name = ''] of names) await cluster.admin.get(CustomResourceDefinition, { name });
}

/** Removes the Deployments of a manifest, which nothing would run here. */
function withoutDeployments(yaml: string, definitions: boolean): string {
  const left = yaml
    .split(/^---\n/m)
    .filter((text) => !/^kind: Deployment$/m.test(text))
    .filter((text) => definitions || !/^kind: CustomResourceDefinition$/m.test(text));
  return left.join('---\n');
}

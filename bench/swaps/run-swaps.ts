import type { ServicePort } from '@isthmus/api';
import { CustomResourceDefinition, FixedName } from '@isthmus/api';
import { handOver, planLeaderHandover, planMemberHandover, readLeader, readMember } from '@isthmus/clusterset';
import { systemClock } from '@isthmus/kube';
import { equal, sleep } from '@isthmus/machinery';
import type { RealCluster, RealFleet } from '@isthmus/testkit';
import type { Antrea, AntreaController } from './antrea.ts';
import type { EndpointSets } from './endpoint-sets.ts';
import { watchEndpointSets } from './endpoint-sets.ts';
import type { Swap } from './swap-plan.ts';

/** What one swap did to the endpoints of the members. */
export interface SwapResult extends Swap {
  /** Sets of endpoints that were empty at some moment, as `member/Service`. */
  readonly empty: readonly string[];
  /** Seconds from Ready of the new controller until all sets were right. */
  readonly rightAfterS: number | undefined;
  /** Sets that were wrong a minute after Ready, as `member/Service: found instead of expected`. */
  readonly stale: readonly string[];
}

export interface SwapsOptions {
  readonly fleet: RealFleet;
  readonly antrea: Antrea;
  readonly swaps: readonly Swap[];
  /** How many Services are exported, half by each member. */
  readonly services: number;
  /** How long sets may take to be right after a swap, on a host of any speed; a minute unless told. */
  readonly staleAfterMs?: number;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

const namespace = 'shop';
const http: readonly ServicePort[] = [{ name: 'http', protocol: 'TCP', port: 80, targetPort: 8080 }];
const aMinuteMs = 60_000;

interface Exported {
  readonly name: string;
  readonly by: RealCluster;
  address: string;
}

/** Carries the swaps out on a fleet of Isthmus that is joined, one after the other, and watches every EndpointSlice of its members all the time. */
export async function runSwaps(options: SwapsOptions): Promise<readonly SwapResult[]> {
  const { fleet, swaps, say, staleAfterMs = aMinuteMs } = options;
  const over = new AbortController();
  const signal = AbortSignal.any([options.signal, over.signal]);
  const clock = systemClock();
  const members = fleet.clusters.filter(({ role }) => role === 'member');
  const sets = members.map((member) => watchEndpointSets(member, namespace, signal));
  const antreas = new Map<string, AntreaController>();
  const results: SwapResult[] = [];
  try {
    await Promise.all(sets.map((one) => one.ready()));
    const exported = await exportAll(members, options.services);
    await untilRight(sets, exported, { clock, signal, limitMs: 5 * staleAfterMs });
    for (const swap of swaps) {
      sets.forEach((one) => one.takeEmpty());
      const readyMs = await carryOut(swap, { ...options, antreas, signal }, () => change(exported, swap));
      const rightMs = await untilRight(sets, exported, { clock, signal, limitMs: staleAfterMs });
      const stale = rightMs === undefined ? wrong(sets, exported) : [];
      if (swap.restarts) {
        for (const cluster of fleet.clusters)
          if (cluster.name !== swap.cluster) await restart(cluster, options, antreas);
        await untilRight(sets, exported, { clock, signal, limitMs: staleAfterMs });
      }
      const empty = sets.flatMap((one) => one.takeEmpty()).map(({ member, service }) => `${member}/${service}`);
      const result: SwapResult = { ...swap, empty, stale, rightAfterS: rightMs && (rightMs - readyMs) / 1000 };
      results.push(result);
      say(
        `round ${swap.round}: ${swap.cluster} to ${swap.to}: right after ${result.rightAfterS?.toFixed(1) ?? '>60'} s, ${empty.length} empty, ${stale.length} stale`,
      );
    }
    return results;
  } finally {
    over.abort(new Error('the swaps are over'));
    await Promise.all([...antreas.values()].map((controller) => controller.stop()));
  }
}

async function exportAll(members: readonly RealCluster[], services: number): Promise<readonly Exported[]> {
  await Promise.all(members.map(({ user }) => user.namespace(namespace)));
  const exported: Exported[] = [];
  for (let index = 0; index < services; index++) {
    const at = index % members.length;
    const by = members[at];
    if (by === undefined) continue;
    const one = { name: `svc-${index}`, by, address: `10.${10 + at}.0.${index + 1}` };
    await by.user.exportService({ namespace, name: one.name }, http, one.address);
    exported.push(one);
  }
  return exported;
}

/** Another Pod for every second Service: first both serve, then the new one alone. */
async function change(exported: readonly Exported[], { round, cluster, to }: Swap): Promise<void> {
  const salt = (round * 8 + ['north', 'east', 'west'].indexOf(cluster) * 2 + (to === 'Antrea' ? 1 : 0)) % 250;
  for (const [index, one] of exported.entries()) {
    if (index % 4 > 1) continue;
    const ref = { namespace, name: one.name };
    const next = one.address.replace(/\.\d+\.(\d+)$/, `.${salt + 1}.$1`);
    await one.by.user.serve(ref, [one.address, next], http);
    await one.by.user.serve(ref, [next], http);
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
    return exported.flatMap(({ name, address }) =>
      equal(found.get(name), [address])
        ? []
        : [`${member}/${name}: ${found.get(name)?.join(',') ?? 'none'} instead of ${address}`],
    );
  });
}

type Context = SwapsOptions & { readonly antreas: Map<string, AntreaController> };

/** Replaces a controller; returns when the new one was Ready. `meanwhile` happens while none runs. */
async function carryOut(swap: Swap, context: Context, meanwhile: () => Promise<void>): Promise<number> {
  const { fleet, antrea, antreas, signal, say } = context;
  const clock = systemClock();
  const cluster = fleet.cluster(swap.cluster);
  const role = cluster.role === 'leader' ? 'leader' : 'member';
  const isOwn = swap.definitions === 'each its own';
  if (swap.to === 'Antrea') {
    await cluster.stop(role);
    if (swap.handover) await handedOver(cluster, role, signal);
    if (isOwn || swap.definitions === "Antrea's") await applyYaml(cluster, await antrea.definitions(role));
    await applyYaml(cluster, await antrea.access(role));
    await meanwhile();
    antreas.set(cluster.name, await antrea.start(cluster, role));
  } else {
    await antreas.get(cluster.name)?.stop();
    antreas.delete(cluster.name);
    const manifest = await cluster.manifest(role === 'leader' ? 'deploy/leader.yaml' : 'deploy/member.yaml');
    await applyYaml(cluster, withoutDeployments(manifest, isOwn || swap.definitions === "Isthmus'"));
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

async function restart(cluster: RealCluster, { antrea }: SwapsOptions, antreas: Map<string, AntreaController>) {
  const role = cluster.role === 'leader' ? 'leader' : 'member';
  const running = antreas.get(cluster.name);
  if (running === undefined) {
    await cluster.stop(role);
    await cluster.start(role);
  } else {
    await running.stop();
    antreas.set(cluster.name, await antrea.start(cluster, role));
  }
}

/** As a person applies a manifest, and until the API server serves what it defines. */
export async function applyYaml(cluster: RealCluster, yaml: string): Promise<void> {
  if (yaml.trim() === '') return;
  await cluster.shell('kubectl apply -f -', yaml);
  const names = yaml.matchAll(/^kind: CustomResourceDefinition\n(?:.*\n)*?\s+name: (\S+)/gm);
  for (const [, name = ''] of names) await cluster.admin.get(CustomResourceDefinition, { name });
}

/** Nobody would run the Deployment of a manifest here. */
function withoutDeployments(yaml: string, definitions: boolean): string {
  const left = yaml
    .split(/^---\n/m)
    .filter((text) => !/^kind: Deployment$/m.test(text))
    .filter((text) => definitions || !/^kind: CustomResourceDefinition$/m.test(text));
  return left.join('---\n');
}

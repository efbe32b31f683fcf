import type { Random } from '@isthmus/machinery';
import type { Fault, VirtualFleet } from '@isthmus/fleet-sim';
import { pick } from './chaos-users.ts';

/** A connection from a controller to a server that a test may disturb. */
export interface TormentedWay {
  readonly controller: string;
  readonly server: string;
}

export function waysOf(fleet: VirtualFleet, members: readonly string[]): readonly TormentedWay[] {
  const leader = fleet.leader.name;
  return [
    { controller: `${leader}-leader`, server: leader },
    ...members.flatMap((name) => [
      { controller: `${name}-member`, server: name },
      ...(name === leader ? [] : [{ controller: `${name}-member`, server: leader }]),
    ]),
  ];
}

/** A disturbance that has to be undone at the end. */
export interface Torment {
  readonly what: string;
  readonly way: TormentedWay | undefined;
  /** How long its consequences may last after it is undone. */
  readonly recoveryMs: number;
  undo(): void;
}

const faults: readonly Fault[] = [
  { kind: 'status', code: 500 },
  { kind: 'status', code: 503 },
  { kind: 'status', code: 429, retryAfterSeconds: 1 },
  { kind: 'status', code: 504 },
  { kind: 'status', code: 409 },
  { kind: 'status', code: 401 },
  { kind: 'lose-answer' },
  { kind: 'hang' },
  { kind: 'refuse' },
  { kind: 'garbage' },
  { kind: 'latency', ms: 700 },
  { kind: 'latency', ms: 7_000 },
  { kind: 'break-stream', afterLines: 2 },
  { kind: 'stall-stream', afterLines: 1 },
];

const recoveryMs = 60_000;

/** One random fault. */
export function torment(fleet: VirtualFleet, members: readonly string[], random: Random, wallClock: boolean): Torment {
  const ways = waysOf(fleet, members);
  const way = pick(random, ways);
  const link = fleet.link(way.controller, way.server);
  const at = `${way.controller}>${way.server}`;
  const dice = random.next();
  if (dice < 0.2) {
    const how = random.next() < 0.5 ? 'refuse' : 'silence';
    link.cut(how);
    return { what: `${at} cut (${how})`, way, recoveryMs, undo: () => link.heal() };
  }
  if (dice < 0.35) {
    const [, name = '', role] = /^(.*)-(leader|member)$/.exec(way.controller) ?? [];
    const cluster = fleet.cluster(name);
    const one = role as 'leader' | 'member';
    cluster.kill(one);
    return { what: `${way.controller} killed`, way, recoveryMs, undo: () => cluster.start(one) };
  }
  if (dice < 0.42) {
    fleet.cluster(way.server).server.admin.compact();
    return { what: `${way.server} compacted`, way: undefined, recoveryMs: 0, undo() {} };
  }
  if (dice < 0.48 && wallClock) {
    const hours = pick(random, [-48, -2, 2, 48]);
    fleet.clock.jump(hours * 3_600_000);
    return {
      what: `clock jumps ${hours} h`,
      way: undefined,
      recoveryMs: 0,
      undo: () => fleet.clock.jump(-hours * 3_600_000),
    };
  }
  const fault = pick(random, faults);
  const stream = fault.kind === 'break-stream' || fault.kind === 'stall-stream';
  const only = pick(random, ['reads', 'writes', 'all'] as const);
  const times = 1 + Math.floor(random.next() * 6);
  const remove = link.add({
    match: (request) =>
      stream
        ? request.query?.['watch'] === 'true'
        : only === 'all' || (request.method === 'GET') === (only === 'reads'),
    fault,
    times,
  });
  return {
    what: `${at} ${JSON.stringify(fault)} ${only} x${times}`,
    way,
    recoveryMs: stream ? 330_000 : recoveryMs,
    undo: remove,
  };
}

import type { IntOrPercent, ReplicaSet, RollingUpdate } from '../kinds.ts';

/** How many Pods more than wanted there may be, and how many fewer available. Never both 0. */
export interface Bounds {
  readonly surge: number;
  readonly unavailable: number;
}

/** `maxSurge` rounded up and `maxUnavailable` rounded down, 25 % each by default. */
export function boundsOf(update: RollingUpdate | undefined, replicas: number): Bounds {
  const surge = countOf(update?.maxSurge ?? '25%', replicas, Math.ceil);
  const unavailable = countOf(update?.maxUnavailable ?? '25%', replicas, Math.floor);
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : Math.min(unavailable, replicas) };
}

export function countOf(value: IntOrPercent, of: number, round: (count: number) => number): number {
  if (typeof value === 'number') return value;
  const percent = /^(\d+)%$/.exec(value)?.[1];
  return percent === undefined ? 0 : round((Number(percent) * of) / 100);
}

export interface RolloutInput {
  readonly replicas: number;
  readonly bounds: Bounds;
  /** The ReplicaSet of the present template. */
  readonly fresh: ReplicaSet;
  /** The others, oldest first. */
  readonly old: readonly ReplicaSet[];
}

/** The next number of Pods of each ReplicaSet. ReplicaSets without a change are left out. */
export type Scaling = ReadonlyMap<ReplicaSet, number>;

/**
 * The next step of a rolling update: the new ReplicaSet grows as far as the surge allows, the old
 * ones shrink as far as the availability allows, their Pods that are not available first.
 */
export function decideRollingUpdate({ replicas, bounds, fresh, old }: RolloutInput): Scaling {
  const total = sum([fresh, ...old], wantedOf);
  const have = wantedOf(fresh);
  const room = Math.max(0, replicas + bounds.surge - total);
  const grown = have > replicas ? replicas : have + Math.min(room, replicas - have);
  if (grown !== have) return new Map([[fresh, grown]]);

  const next = new Map<ReplicaSet, number>();
  const leastAvailable = replicas - bounds.unavailable;
  const freshUnavailable = Math.max(0, wantedOf(fresh) - availableOf(fresh));
  let removable = total - leastAvailable - freshUnavailable;
  if (removable <= 0) return next;
  for (const set of old) {
    const unhealthy = Math.max(0, wantedOf(set) - availableOf(set));
    const fewer = Math.min(removable, unhealthy);
    if (fewer > 0) next.set(set, wantedOf(set) - fewer);
    removable -= fewer;
  }
  let spare = Math.min(removable, sum([fresh, ...old], availableOf) - leastAvailable);
  for (const set of old) {
    const left = next.get(set) ?? wantedOf(set);
    const fewer = Math.min(Math.max(0, spare), left);
    if (fewer > 0) next.set(set, left - fewer);
    spare -= fewer;
  }
  return next;
}

/** The old ones go, and only when all their Pods are gone comes the new one. */
export function decideRecreate({ replicas, fresh, old }: RolloutInput, oldPodsLeft: boolean): Scaling {
  const going = old.filter((set) => wantedOf(set) > 0);
  if (going.length > 0) return new Map(going.map((set) => [set, 0]));
  return oldPodsLeft || wantedOf(fresh) === replicas ? new Map() : new Map([[fresh, replicas]]);
}

/**
 * Decides a change of `replicas` during an update or a pause: each ReplicaSet grows or shrinks in
 * proportion, and the largest gets the remainder of rounding.
 */
export function decideProportional(all: readonly ReplicaSet[], replicas: number, surge: number): Scaling {
  const active = all.filter((set) => wantedOf(set) > 0).toSorted((a, b) => wantedOf(b) - wantedOf(a));
  const total = sum(active, wantedOf);
  const [only] = active;
  if (only === undefined || active.length === 1) {
    return only === undefined || total === replicas ? new Map() : new Map([[only, replicas]]);
  }
  const allowed = replicas === 0 ? 0 : replicas + surge;
  const next = new Map(active.map((set) => [set, Math.floor((wantedOf(set) * allowed) / total)]));
  next.set(only, (next.get(only) ?? 0) + allowed - [...next.values()].reduce((a, b) => a + b, 0));
  return new Map([...next].filter(([set, count]) => count !== wantedOf(set)));
}

export function wantedOf({ spec }: ReplicaSet): number {
  return spec?.replicas ?? 0;
}

function availableOf({ status }: ReplicaSet): number {
  return status?.availableReplicas ?? 0;
}

function sum(sets: readonly ReplicaSet[], count: (set: ReplicaSet) => number): number {
  return sets.reduce((all, set) => all + count(set), 0);
}

import type { FleetSnapshot } from '../../fleet/fleet-snapshot.ts';
import type { Plan } from '../format/plan.ts';
import type { Step } from '../format/step.ts';

type Estimates = Plan['spec']['estimates'];

/**
 * How long the rollouts of each wave take, from what the snapshot recorded of earlier ones: of the
 * same component on the same Nodes or in the same cluster, otherwise the median of all clusters.
 * Steps follow each other as `after` has them; a wave takes from its first rollout to the end of
 * its last one. A rollout without any record is counted and not guessed. Work of people, checks and
 * the application of objects have no recorded time. Empty: no rollout of the plan has a record.
 */
export function estimateTimes(steps: readonly Step[], { spec }: FleetSnapshot): Estimates {
  const records = recordsOf(spec.clusters);
  const ends = new Map<string, number>();
  const starts = new Map<string, number>();
  const timed = new Map<string, number | undefined>();
  for (const step of steps) {
    const start = Math.max(0, ...step.after.map((id) => ends.get(id) ?? 0));
    const seconds = rolloutSeconds(step, records);
    if (step.effects.length > 0) timed.set(step.id, seconds);
    const soak = step.gates.reduce(
      (sum, { kind, seconds: wait = 0 }) => (kind === 'soak' ? Math.max(sum, wait) : sum),
      0,
    );
    starts.set(step.id, start);
    ends.set(step.id, start + (seconds ?? 0) + soak);
  }
  if ([...timed.values()].every((seconds) => seconds === undefined)) return [];
  const waves = Map.groupBy(
    steps.filter(({ id }) => timed.has(id)),
    ({ id, wave }) =>
      id
        .split('.')
        .slice(0, wave > 0 ? 2 : 1)
        .join('.'),
  );
  return [...waves].map(([id, own]) => {
    const [start, end] = [
      Math.min(...own.map((one) => starts.get(one.id) ?? 0)),
      Math.max(...own.map((one) => ends.get(one.id) ?? 0)),
    ];
    return {
      id,
      group: own[0]?.group ?? '',
      wave: own[0]?.wave ?? 0,
      seconds: end - start,
      rollouts: own.length,
      notRecorded: own.filter((one) => timed.get(one.id) === undefined).length,
    };
  });
}

interface Record {
  readonly cluster: string;
  readonly node: string | undefined;
  readonly seconds: number;
}

/** The recorded rollouts of each component, by its id. */
function recordsOf(clusters: FleetSnapshot['spec']['clusters']): ReadonlyMap<string, readonly Record[]> {
  const all = clusters.flatMap(({ name: cluster, components }) =>
    components.flatMap(({ id, live }) =>
      live.flatMap(({ node, tookSeconds: seconds }) => (seconds === undefined ? [] : [{ id, cluster, node, seconds }])),
    ),
  );
  return Map.groupBy(all, ({ id }) => id);
}

/** The Nodes of a step are at work at once, so the slowest counts. */
function rolloutSeconds(
  { component, cluster, nodes }: Step,
  records: ReadonlyMap<string, readonly Record[]>,
): number | undefined {
  const all = records.get(component ?? '') ?? [];
  const here = all.filter((one) => one.cluster === cluster);
  const onNodes = here.filter(({ node }) => node !== undefined && nodes.includes(node));
  const [best] = [onNodes, here].filter((some) => some.length > 0);
  if (best !== undefined) return Math.max(...best.map(({ seconds }) => seconds));
  const sorted = all.map(({ seconds }) => seconds).toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

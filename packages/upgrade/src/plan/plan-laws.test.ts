import { canonicalJson } from '@isthmus/machinery';
import { sweepRuns } from '@isthmus/testkit';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LoadedBundle } from '../bundle/loaded-bundle.ts';
import { componentsById, stateOf } from '../fleet/state-of.ts';
import { snapshotOf } from '../fleet/testing/snapshot-of.ts';
import type { FleetState, Instance } from '../fleet/fleet-state.ts';
import type { Policy } from '../policy/policy.ts';
import { shippedPolicies } from '../policy/shipped/shipped-policies.ts';
import { typeOf } from '../bundle/type-of.ts';
import { parseVersion } from '../version/parse-version.ts';
import { applyEffects, duringStep } from './testing/apply-effects.ts';
import type { DescribeComponent } from './testing/apply-effects.ts';
import type { Plan } from './format/plan.ts';
import type { Step } from './format/step.ts';
import type { Scenario } from './testing/fleets.ts';
import { scenarios } from './testing/fleets.ts';
import { brokenOrder, brokenRules, brokenStep, followers } from './testing/independent-checker.ts';
import { loadedOf, planOf, sha256 } from './testing/plan-of.ts';

const runs = sweepRuns(120, { oneIn: 12 });
const fewerRuns = sweepRuns(50, { oneIn: 12 });

/**
 * As they ship, but kubectl has to keep its distance as well: the independent checker has no
 * warnings.
 */
const policies = shippedPolicies().map((policy): Policy => {
  const skew = policy.spec.skew.map((rule) =>
    rule.id === 'k8s.kubectl' ? { ...rule, severity: 'block' as const } : rule,
  );
  return { ...policy, spec: { ...policy.spec, skew } };
});

/** What each policy is reported by in a plan: taken once, for policies are large. */
const policyDigests = new Map(
  policies.map(({ metadata, spec }) => [metadata.name, `sha256:${sha256(canonicalJson(spec))}`]),
);

/** Bundles are read once: most of the time would go there. */
const bundlesByText = new Map<string, LoadedBundle>();

function readOnce({ number, ...spec }: Scenario['bundles'][number]): LoadedBundle {
  const key = JSON.stringify([number, spec]);
  const known = bundlesByText.get(key) ?? loadedOf(spec.components, { number, perKubernetes: spec.perKubernetes });
  bundlesByText.set(key, known);
  return known;
}

function planned({ snapshot, bundles, kubernetes, waves }: Scenario): Made {
  const [target, ...others] = bundles.map(readOnce);
  if (target === undefined) throw new Error('no bundle');
  const read = snapshotOf(snapshot);
  const byId = componentsById(target.bundle);
  const describeOne: DescribeComponent = (id) => {
    const found = byId.get(id);
    return { type: found === undefined ? id : typeOf(found), scheme: found?.version.scheme ?? 'semver' };
  };
  const plan = planOf(target, read, { policies, policyDigests, otherBundles: others, kubernetes, waves });
  return { plan, start: stateOf(read, { bundle: target.bundle }), describe: describeOne };
}

interface Made {
  readonly plan: Plan;
  readonly start: FleetState;
  readonly describe: DescribeComponent;
}

describe('every plan', () => {
  it('breaks no rule in any state that it passes through, in any order that it allows, with several steps at work at once', () => {
    const count = { ready: 0, blocked: 0, 'up-to-date': 0 };
    fc.assert(
      fc.property(scenarios, fc.infiniteStream(fc.nat(1_000_000)), (scenario, numbers) => {
        const made = planned(scenario);
        count[made.plan.spec.outcome]++;
        if (made.plan.spec.outcome === 'blocked') return;
        const end = carryOut(made, () => numbers.next().value ?? 0);
        expect(brokenRules(end, 'at-the-end')).toEqual([]);
      }),
      { numRuns: runs, seed: 7 },
    );
    const share = Math.round((100 * count.blocked) / runs);
    // oxlint-disable-next-line no-console -- the share is a result that has to be seen
    console.info(
      `${runs} fleets: ${count.ready} plans, ${count['up-to-date']} up to date, ${count.blocked} blocked (${share} %)`,
    );
    expect(share).toBeGreaterThanOrEqual(20);
    expect(share).toBeLessThanOrEqual(60);
  });

  it('goes no farther at once than the rules of steps allow', () => {
    fc.assert(
      fc.property(scenarios, (scenario) => {
        const { plan, describe: describeOne } = planned(scenario);
        const broken = plan.spec.steps.flatMap(({ effects }) =>
          effects.flatMap(({ component, from, to }) =>
            brokenStep(describeOne(component).type, parseVersion(from), parseVersion(to)),
          ),
        );
        expect(broken).toEqual([]);
      }),
      { numRuns: fewerRuns, seed: 8 },
    );
  });

  it('reaches the bundle, after which there is nothing to do', () => {
    fc.assert(
      fc.property(scenarios, (scenario) => {
        const made = planned(scenario);
        if (made.plan.spec.outcome !== 'ready') expect(made.plan.spec.steps).toEqual([]);
        if (made.plan.spec.outcome === 'blocked') return;
        const end = made.plan.spec.steps.reduce((state, step) => applyEffects(state, step, made.describe), made.start);
        const again = planned({ ...scenario, snapshot: writtenAs(end, scenario) });
        expect(again.plan.spec).toMatchObject({ outcome: 'up-to-date', steps: [], changes: [] });
      }),
      { numRuns: fewerRuns, seed: 9 },
    );
  });

  it('orders its steps: what one comes after exists and is before it, and ids are unique', () => {
    fc.assert(
      fc.property(scenarios, (scenario) => {
        const { steps } = planned(scenario).plan.spec;
        const seen = new Set<string>();
        for (const { id, after } of steps) {
          expect(after.filter((one) => !seen.has(one))).toEqual([]);
          expect(seen.has(id)).toBe(false);
          seen.add(id);
        }
      }),
      { numRuns: fewerRuns, seed: 10 },
    );
  });

  it('has the same bytes whatever the order of what it is made from', () => {
    fc.assert(
      fc.property(scenarios, fc.infiniteStream(fc.nat(1_000_000)), (scenario, numbers) => {
        const shuffled = <T>(list: readonly T[]): T[] =>
          list
            .map((one) => ({ one, key: numbers.next().value ?? 0 }))
            .toSorted((a, b) => a.key - b.key)
            .map(({ one }) => one);
        const [target, ...others] = scenario.bundles;
        if (target === undefined) return;
        const other: Scenario = {
          ...scenario,
          snapshot: {
            clusters: shuffled(
              scenario.snapshot.clusters.map((one) => shuffledCluster(one as WrittenCluster, shuffled)),
            ),
            clusterSets: scenario.snapshot.clusterSets,
            clients: shuffled(scenario.snapshot.clients),
          },
          bundles: [{ ...target, components: shuffled(target.components) }, ...shuffled(others)],
        };
        // The order of components is part of what a bundle is identified by, and of nothing else.
        const text = ({ plan }: Made) => JSON.stringify({ ...plan.spec, bundle: undefined });
        expect(text(planned(other))).toBe(text(planned(scenario)));
      }),
      { numRuns: fewerRuns, seed: 11 },
    );
  });
});

interface WrittenCluster {
  readonly components: readonly { readonly live: readonly object[] }[];
}

function shuffledCluster(cluster: WrittenCluster, shuffled: <T>(list: readonly T[]) => T[]): object {
  return { ...cluster, components: shuffled(cluster.components.map((one) => ({ ...one, live: shuffled(one.live) }))) };
}

/**
 * Begins and ends steps at random as far as `after` allows; every state on the way is judged, with
 * what is at work rolling.
 */
function carryOut({ plan, start, describe: describeOne }: Made, next: () => number): FleetState {
  const open = new Set(plan.spec.steps);
  const moving = new Map(plan.spec.steps.map((one) => [one, movingIn(one, describeOne)]));
  const stages = new Map(plan.spec.steps.map((one) => [one, stageOf(one)]));
  const working = new Set<Step>();
  const done = new Set<string>();
  const wrong: string[] = [];
  const brokenBefore = new Set(brokenRules(start, 'on-the-way').map(subjectOf));
  const isFromTheStart = (line: string) => brokenBefore.has(subjectOf(line));
  let state = start;
  while (open.size > 0 || working.size > 0) {
    const ready = [...open].filter(({ after }) => after.every((id) => done.has(id)));
    const choices = [
      ...ready.map((step) => ({ step, begins: true })),
      ...[...working].map((step) => ({ step, begins: false })),
    ];
    const choice = choices[next() % choices.length];
    if (choice === undefined) throw new Error('nothing can go on');
    const { step, begins } = choice;
    if (begins) {
      open.delete(step);
      const others = [...open, ...working];
      const begun = moving.get(step) ?? [];
      const stage = stages.get(step) ?? 0;
      wrong.push(...others.filter((one) => (stages.get(one) ?? 0) < stage).map(({ id }) => `${step.id} before ${id}`));
      if (begun.some(({ type }) => followers.has(type))) {
        const unfinished = others.flatMap((one) => moving.get(one) ?? []);
        wrong.push(...begun.flatMap((one) => brokenOrder(one, unfinished)));
      }
      working.add(step);
    } else {
      working.delete(step);
      done.add(step.id);
      state = applyEffects(state, step, describeOne);
    }
    if (step.effects.length === 0) continue;
    const now = [...working].flatMap((one) => duringStep(state, one, describeOne).instances);
    const all = new Map(
      [...state.instances, ...now].map((one: Instance) => [
        JSON.stringify([one.component, one.cluster, one.node, one.name, one.version.text]),
        one,
      ]),
    );
    wrong.push(
      ...brokenRules({ ...state, instances: [...all.values()] }, 'on-the-way').filter((one) => !isFromTheStart(one)),
    );
  }
  expect(wrong).toEqual([]);
  return state;
}

/**
 * What breaks a rule, with its version: until it moves, a plan may leave it broken; a move may
 * break none.
 */
function subjectOf(line: string): string {
  return line.split(' against ')[0] ?? line;
}

/** The group and wave of a step as one number that rises: what its id begins with. */
function stageOf({ id }: Step): number {
  const [group = 0, wave = 0, step] = id.split('.').map(Number);
  return group * 1000 + (step === undefined ? 0 : wave);
}

function movingIn({ effects }: Step, describeOne: DescribeComponent) {
  return effects.map(({ component, cluster, to }) => ({ type: describeOne(component).type, cluster, to }));
}

/** A snapshot of what runs in a state. */
function writtenAs({ instances }: FleetState, { snapshot }: Scenario): Scenario['snapshot'] {
  const clusters = snapshot.clusters.map((cluster) => {
    const { name } = cluster as { readonly name: string };
    const own = Map.groupBy(
      instances.filter((one) => one.cluster === name),
      ({ component }) => component,
    );
    const components = [...own].map(([id, some]) => ({
      id,
      live: some.map(({ version, node, name: replica }) => ({ version: version.text, node, name: replica })),
    }));
    return { ...cluster, components };
  });
  const clients = instances
    .filter(({ cluster }) => cluster === undefined)
    .map(({ component, name, version }) => ({ component, name, version: version.text }));
  return { ...snapshot, clusters, clients };
}

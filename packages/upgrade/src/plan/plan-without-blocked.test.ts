import { describe, expect, it } from 'vitest';
import { written } from '../bundle/testing/bundle-of.ts';
import { running, snapshotOf } from '../fleet/testing/snapshot-of.ts';
import { shippedPolicies } from '../policy/shipped/shipped-policies.ts';
import type { Plan } from './format/plan.ts';
import type { PlanInput } from './input/plan-input.ts';
import { planWithoutBlocked } from './plan-without-blocked.ts';
import { loadedOf, planOf, sha256 } from './testing/plan-of.ts';

const at = (id: string, upstream: string, more: object = {}) => written({ id, version: { upstream }, ...more });
const antrea = (version: string) => [at('antrea-controller', version), at('antrea-agent', version, { scope: 'node' })];
const mc = (version: string) => [
  at('mc-leader', version, { unit: 'antrea-mc', roles: ['leader'] }),
  at('mc-member', version, { unit: 'antrea-mc', roles: ['member'] }),
];
const cluster = (name: string, version: string, more: object = {}) => ({
  name,
  components: [running('antrea-controller', version), running('antrea-agent', version, ['n'])],
  ...more,
});
const inSet = (name: string, set: string, role: 'leader' | 'member', version: string, antreaVersion?: string) => ({
  name,
  roles: [role],
  clusterSet: set,
  components: [
    running(`mc-${role}`, version),
    ...(antreaVersion === undefined
      ? []
      : [running('antrea-controller', antreaVersion), running('antrea-agent', antreaVersion, ['n'])]),
  ],
});
const sets = (...names: readonly string[]) =>
  names.map((name) => ({ name, leader: `${name}-north`, members: [`${name}-east`, `${name}-west`] }));

function planned(components: readonly object[], snapshot: object, more: Partial<PlanInput> = {}): Plan {
  return planWithoutBlocked({
    bundle: loadedOf(components),
    snapshot: snapshotOf(snapshot),
    policies: shippedPolicies(),
    waivers: [],
    otherBundles: [],
    waves: { canary: 1, percent: [25, 100], nodesAtOnce: 1 },
    unreachableAllowed: 0,
    sha256,
    ...more,
  });
}
const moved = ({ spec }: Plan) =>
  [...new Set(spec.steps.flatMap(({ effects }) => effects.flatMap((one) => one.cluster ?? [])))].toSorted();

describe('a plan without the clusters that are blocked', () => {
  it('upgrades the others, and names each that is left out with the rule and what to do', () => {
    const { spec } = planned(antrea('v2.2.0'), {
      clusters: [cluster('a', 'v2.1.0'), cluster('b', 'main'), cluster('c', 'v2.1.0')],
    });
    expect(spec.outcome).toBe('ready');
    expect(moved({ spec } as Plan)).toEqual(['a', 'c']);
    expect([...new Set(spec.leftOut.map((one) => `${one.cluster} ${one.rule}`))]).toEqual([
      'b antrea.agent',
      'b plan.order',
      'b plan.unknown-version',
    ]);
    expect(spec.leftOut[0]?.unblock).toContain('find out the releases of antrea-agent');
    expect(spec.skipped).toEqual([
      { cluster: 'b', why: 'it is blocked by antrea.agent, plan.order, plan.unknown-version' },
    ]);
    expect(spec.findings.filter(({ severity }) => severity === 'block')).toEqual([]);
  });

  it('is the plan of all where nothing is blocked, and where nothing would be left', () => {
    const fine = { clusters: [cluster('a', 'v2.1.0')] };
    expect(planned(antrea('v2.2.0'), fine)).toEqual(planOf(loadedOf(antrea('v2.2.0')), snapshotOf(fine)));
    const odd = { clusters: [cluster('a', 'main'), cluster('b', 'v2.2.0')] };
    expect(planned(antrea('v2.2.0'), odd)).toEqual(planOf(loadedOf(antrea('v2.2.0')), snapshotOf(odd)));
  });

  it('is blocked as a whole by what is about the fleet', () => {
    const snapshot = { clusters: [cluster('a', 'v2.1.0'), cluster('b', 'v2.1.0', { reachable: false })] };
    expect(planned(antrea('v2.2.0'), snapshot).spec).toMatchObject({ outcome: 'blocked', leftOut: [] });
  });

  it('leaves members behind whose leader is blocked, and goes on with other ClusterSets', () => {
    const clusters = ['s', 't'].flatMap((set) => [
      inSet(`${set}-north`, set, 'leader', set === 's' ? 'main' : 'v2.6.0'),
      inSet(`${set}-east`, set, 'member', 'v2.6.0'),
      inSet(`${set}-west`, set, 'member', 'v2.6.0'),
    ]);
    const plan = planned(mc('v2.7.0'), { clusterSets: sets('s', 't'), clusters });
    expect(plan.spec.outcome).toBe('ready');
    expect(moved(plan)).toEqual(['t-east', 't-north', 't-west']);
    expect([...new Set(plan.spec.leftOut.map((one) => one.cluster))]).toEqual(['s-north']);
    expect(plan.spec.skipped.map((one) => `${one.cluster} ${one.component ?? '-'}`)).toEqual([
      's-east mc-member',
      's-north -',
      's-west mc-member',
    ]);
  });

  it('leaves a whole ClusterSet out where a member that cannot be repaired keeps its leader back', () => {
    const credentials = {
      id: 'credentials',
      at: 'before',
      roles: ['member'],
      title: 'Give each member its own credentials',
      doneWhen: { fact: 'own', equals: 'yes' },
    };
    const clusters = ['s', 't'].flatMap((set) => [
      inSet(`${set}-north`, set, 'leader', 'v2.6.0'),
      {
        ...inSet(`${set}-east`, set, 'member', 'v2.6.0'),
        paused: set === 's',
        facts: set === 's' ? {} : { own: 'yes' },
      },
      { ...inSet(`${set}-west`, set, 'member', 'v2.6.0'), facts: { own: 'yes' } },
    ]);
    const hooked = mc('v2.7.0').map((one) => ('roles' in one ? { ...one } : one));
    const [leader, member] = hooked;
    const plan = planned([{ ...leader, hooks: [credentials] }, member ?? {}], {
      clusterSets: sets('s', 't'),
      clusters,
    });
    expect(plan.spec.outcome).toBe('ready');
    expect(moved(plan)).toEqual(['t-east', 't-north', 't-west']);
    expect(plan.spec.leftOut.map((one) => `${one.cluster} ${one.rule}`)).toEqual([
      's-east hook.credentials',
      's-north hook.credentials',
      's-west hook.credentials',
    ]);
  });

  it('leaves alone what a person excludes, and does not count it', () => {
    const snapshot = {
      clusters: [cluster('a', 'v2.1.0'), cluster('b', 'v2.1.0', { reachable: false }), cluster('c', 'main')],
    };
    const leftOut = new Map([
      ['b', 'it is excluded'],
      ['c', 'it is excluded'],
    ]);
    const { spec } = planned(antrea('v2.2.0'), snapshot, { leftOut });
    expect(spec).toMatchObject({ outcome: 'ready', leftOut: [] });
    expect(spec.skipped).toEqual([
      { cluster: 'b', why: 'it is excluded' },
      { cluster: 'c', why: 'it is excluded' },
    ]);
  });

  it('goes on beside a cluster whose programs are too new for it, when it is blocked or excluded, and keeps those programs', () => {
    const snapshot = {
      clusters: [cluster('a', 'v2.6.0'), cluster('b', 'v2.1.0'), cluster('c', 'v2.6.0')],
      clients: [{ component: 'antctl', name: 'bastion', version: 'v2.6.0' }],
    };
    const bundle = [...antrea('v2.7.0'), at('antctl', 'v2.7.0', { scope: 'client' })];
    const excluded = new Map([['b', 'it is excluded']]);
    for (const leftOut of [new Map<string, string>(), excluded]) {
      const plan = planned(bundle, snapshot, { leftOut });
      expect(plan.spec.outcome).toBe('ready');
      expect(moved(plan)).toEqual(['a', 'c']);
      expect(plan.spec.skipped.map((one) => one.cluster ?? `${one.component}: ${one.why}`)).toEqual([
        'antctl: antrea.antctl: it waits for antrea-controller, which is skipped in cluster b',
        'b',
      ]);
      expect(plan.spec.findings.find(({ rule }) => rule === 'antrea.antctl')).toMatchObject({
        severity: 'warn',
        why: expect.stringContaining(
          'antctl v2.6.0 (bastion) is 5 minors newer than antrea-controller v2.1.0 (cluster b)',
        ) as string,
      });
    }
  });

  it('does not move a program to a version that is too new for a cluster that is left out', () => {
    const snapshot = {
      clusters: [cluster('a', 'v2.5.0'), cluster('b', 'v2.1.0')],
      clients: [{ component: 'antctl', name: 'bastion', version: 'v2.3.0' }],
    };
    const bundle = [...antrea('v2.7.0'), at('antctl', 'v2.7.0', { scope: 'client' })];
    const plan = planned(bundle, snapshot, { leftOut: new Map([['b', 'it is excluded']]) });
    expect(plan.spec.outcome).toBe('ready');
    expect(moved(plan)).toEqual(['a']);
    expect(plan.spec.skipped.some(({ component }) => component === 'antctl')).toBe(true);
  });

  it('goes on beside members that wait for an excluded leader, whose programs are newer already', () => {
    const snapshot = {
      clusterSets: sets('s', 't'),
      clusters: ['s', 't'].flatMap((set) => [
        inSet(`${set}-north`, set, 'leader', 'v2.6.0', 'v2.6.0'),
        inSet(`${set}-east`, set, 'member', 'v2.6.0', 'v2.6.0'),
      ]),
      clients: [{ component: 'antctl', name: 'bastion', version: 'v2.7.0' }],
    };
    const bundle = [...antrea('v2.7.0'), ...mc('v2.7.0'), at('antctl', 'v2.7.0', { scope: 'client' })];
    const leftOut = new Map([['s-north', 'it is excluded']]);
    const plan = planned(bundle, snapshot, { leftOut });
    expect(plan.spec.outcome).toBe('ready');
    expect(moved(plan)).toEqual(['s-east', 't-east', 't-north']);
    const why = 'mc.order: mc-leader must be upgraded first, and is skipped in s-north: it is excluded';
    expect(plan.spec.skipped).toEqual([
      { cluster: 's-east', component: 'mc-member', why },
      { cluster: 's-north', why: 'it is excluded' },
    ]);
    expect(plan.spec.findings.find(({ rule }) => rule === 'mc.antctl-member')).toMatchObject({
      severity: 'warn',
      unblock: `upgrade mc-member to v2.7.0 first; this plan skips mc-member (cluster s-east): ${why}`,
    });
  });

  it('does not advise to upgrade what it skips without the reason, and still reports once what holds for many clusters', () => {
    const names = ['a', 'b', 'c', 'd'];
    const snapshot = {
      clusterSets: [{ name: 's', leader: 's-north', members: names }],
      clusters: [
        inSet('s-north', 's', 'leader', 'v2.6.0', 'v2.6.0'),
        ...names.map((name) => inSet(name, 's', 'member', 'v2.6.0', 'v2.6.0')),
      ],
    };
    const leftOut = new Map([['s-north', 'it is excluded']]);
    const { spec } = planned([...antrea('v2.7.0'), ...mc('v2.7.0')], snapshot, { leftOut });
    const about = spec.findings.filter(({ rule }) => rule === 'mc.antrea');
    expect(about).toMatchObject([
      {
        clusters: names,
        unblock:
          'upgrade mc-member to v2.7.0 first; this plan skips mc-member: mc.order: mc-leader must be upgraded first, and is skipped in s-north: it is excluded',
      },
    ]);
  });

  it('does not leave a program behind what is upgraded in a cluster of which only a part waits', () => {
    const snapshot = {
      clusterSets: [{ name: 's', leader: 's-north', members: ['s-east'] }],
      clusters: [
        inSet('s-north', 's', 'leader', 'v2.6.0', 'v2.3.0'),
        inSet('s-east', 's', 'member', 'v2.6.0', 'v2.3.0'),
      ],
      clients: [{ component: 'antctl', name: 'bastion', version: 'v2.2.0' }],
    };
    const leftOut = new Map([['s-north', 'it is excluded']]);
    const { spec } = planned([...antrea('v2.7.0'), ...mc('v2.7.0')], snapshot, { leftOut });
    expect(spec.outcome).toBe('blocked');
    expect(spec.findings.some(({ rule, severity }) => rule === 'antrea.antctl' && severity === 'block')).toBe(true);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { componentOf } from '../../bundle/testing/bundle-of.ts';
import { parseVersion } from '../../version/parse-version.ts';
import { hopOf } from './hop.ts';
import { shippedPolicies } from '../shipped/shipped-policies.ts';

const policies = shippedPolicies();

const component = (type: string, more: object = {}) => componentOf({ id: type, ...more });

function way(type: string, from: string, to: string, known: readonly string[] = [], more: object = {}) {
  const versions = known.map((text) => parseVersion(text));
  const hop = hopOf(parseVersion(from), parseVersion(to), component(type, more), { policies, known: versions });
  return hop.kind === 'hops' ? hop.via.map(({ text }) => text) : hop.kind;
}

function reasons(type: string, from: string, to: string, known: readonly string[] = [], more: object = {}) {
  const versions = known.map((text) => parseVersion(text));
  return hopOf(parseVersion(from), parseVersion(to), component(type, more), { policies, known: versions }).findings;
}

/**
 * The rules of docs/spec/upgrades.md §2.2 about one hop: what each allows, and what it does not.
 */
const rules: readonly (readonly [string, string, readonly [string, string], readonly [string, string]])[] = [
  ['antrea.hop', 'antrea-controller', ['v0.10.0', 'v0.14.2'], ['v0.10.0', 'v0.15.0']],
  ['antrea.hop-agent', 'antrea-agent', ['v1.13.0', 'v2.1.0'], ['v1.13.0', 'v2.2.0']],
  ['k8s.step', 'kube-apiserver', ['v1.31.0', 'v1.32.4'], ['v1.31.0', 'v1.33.0']],
  ['cilium.step', 'cilium', ['v1.16.5', 'v1.17.0'], ['v1.16.5', 'v1.18.0']],
  ['capi.step', 'capi-core', ['v1.7.0', 'v1.10.0'], ['v1.7.0', 'v1.11.0']],
  ['capi.step-bootstrap', 'capi-kubeadm-bootstrap', ['v1.7.0', 'v1.10.0'], ['v1.7.0', 'v1.11.0']],
  ['capi.step-control-plane', 'capi-kubeadm-control-plane', ['v1.7.0', 'v1.7.1'], ['v1.7.1', 'v2.0.0']],
  ['eksa.step', 'eks-anywhere', ['v0.19.0', 'v0.20.0'], ['v0.20.0', 'v1.0.0']],
  ['isthmus.hop', 'isthmus-leader', ['v0.1.0', 'v0.2.0'], ['v0.1.0', 'v0.3.0']],
  ['isthmus.hop-member', 'isthmus-member', ['v0.1.0', 'v0.2.0'], ['v0.1.0', 'v0.3.0']],
];

describe('a rule about one hop', () => {
  it.each(rules)('%s goes as far as its bounds, and no farther', (id, type, good, bad) => {
    expect(way(type, ...good)).toBe('direct');
    expect(way(type, ...bad)).toBe('blocked');
    expect(reasons(type, ...bad).map(({ rule }) => rule)).toEqual([id]);
  });

  it('of a policy that ships with isthmus is in this table', () => {
    const shipped = policies.flatMap(({ spec }) => spec.hops).map(({ id }) => id);
    expect(rules.map(([id]) => id).toSorted()).toEqual(shipped.toSorted());
  });

  it.each(['kube-apiserver', 'capi-core', 'eks-anywhere', 'antrea-controller'])('refuses a downgrade of %s', (type) => {
    expect(way(type, 'v1.2.1', 'v1.2.0')).toBe('blocked');
    expect(way(type, 'v1.2.1', 'v1.2.0', [], { rollback: 'consecutive-minor' })).toBe('blocked');
  });
});

describe('the way to a version', () => {
  it('1.16 → 1.18 leads over the newest patch of 1.17, from the newest patch of 1.16', () => {
    const known = ['v1.16.5', 'v1.17.2', 'v1.17.9', 'v1.17.10', 'v1.18.0-rc.1'];
    expect(way('cilium', 'v1.16.5', 'v1.18.1', known)).toEqual(['v1.17.10']);
    expect(way('cilium', 'v1.16.4', 'v1.18.1', known)).toEqual(['v1.16.5', 'v1.17.10']);
  });

  it('does not stop for another packaging of the same patch', () => {
    const [from, to] = [parseVersion('v1.16.5-1', 'eks-suffix'), parseVersion('v1.17.2-0', 'eks-suffix')];
    const known = [parseVersion('v1.16.5-2', 'eks-suffix'), to];
    expect(hopOf(from, to, component('cilium'), { policies, known }).kind).toBe('direct');
  });

  it('1.16 → 1.18 is blocked where no bundle has 1.17, and names the nearest version that can be reached', () => {
    expect(reasons('cilium', 'v1.16.4', 'v1.18.1', ['v1.16.5'])).toEqual([
      {
        rule: 'cilium.step',
        severity: 'block',
        subject: { component: 'cilium' },
        why: 'cilium v1.16.4 → v1.18.1 is 2 minors, and at most 1 is supported in one step',
        unblock: 'upgrade to v1.16.5 first, and pass a bundle with a version between it and v1.18.1',
        source: 'Cilium, Upgrade Guide',
      },
    ]);
    expect(reasons('cilium', 'v1.16.4', 'v1.18.1')[0]?.unblock).toContain(
      'none of the given bundles leads from v1.16.4',
    );
  });

  it('is the shortest one, over a change of major where a sequence joins it', () => {
    const known = ['v1.9.0', 'v1.10.1', 'v1.12.0', 'v1.13.4', 'v1.14.0', 'v1.15.1'];
    expect(way('antrea-controller', 'v1.9.0', 'v2.0.0', known)).toEqual(['v1.13.4']);
    expect(way('antrea-controller', 'v1.8.0', 'v2.0.0', known)).toEqual(['v1.12.0']);
    expect(way('antrea-controller', 'v1.5.0', 'v2.0.0', known)).toEqual(['v1.9.0', 'v1.13.4']);
  });

  it('stops only where the component names stops, where it names any', () => {
    const known = ['v1.13.4', 'v1.14.0', 'v1.15.1'];
    expect(way('antrea-controller', 'v1.11.0', 'v2.3.0', known)).toEqual(['v1.15.1']);
    expect(way('antrea-controller', 'v1.11.0', 'v2.3.0', known, { upgradeFrom: { via: ['1.14.0'] } })).toBe('blocked');
    expect(way('antrea-controller', 'v1.11.0', 'v2.1.0', known, { upgradeFrom: { via: ['1.14.0'] } })).toEqual([
      'v1.14.0',
    ]);
  });

  it('minds from where the component bears an upgrade, and how far', () => {
    const upgradeFrom = { range: '>=1.13.0' };
    expect(way('other', 'v1.12.0', 'v2.0.0', [], { upgradeFrom })).toBe('blocked');
    expect(way('other', 'v1.12.0', 'v2.0.0', ['v1.14.2'], { upgradeFrom })).toEqual(['v1.14.2']);
    expect(way('other', 'v1.1.0', 'v1.4.0', ['v1.2.0', 'v1.3.0'], { upgradeFrom: { maxMinors: 2 } })).toEqual([
      'v1.3.0',
    ]);
  });

  it('a downgrade is blocked unless the component supports it, and then it is reported', () => {
    expect(way('other', 'v1.6.2', 'v1.6.1')).toBe('blocked');
    expect(way('other', 'v1.6.2', 'v1.6.1', [], { rollback: 'patch' })).toBe('direct');
    expect(way('other', 'v1.6.2', 'v1.5.1', [], { rollback: 'patch' })).toBe('blocked');
    expect(way('cilium', 'v1.17.2', 'v1.16.9', [], { rollback: 'consecutive-minor' })).toBe('direct');
    expect(way('cilium', 'v1.18.2', 'v1.16.9', [], { rollback: 'consecutive-minor' })).toBe('blocked');
    expect(reasons('other', 'v1.6.2', 'v1.6.1', [], { rollback: 'patch' })).toMatchObject([
      { rule: 'bundle.rollback', severity: 'warn' },
    ]);
  });

  it('is direct for rebuilds, and where no rule applies', () => {
    expect(way('cilium', 'v1.16.4+a', 'v1.16.4+b', ['v1.16.5'])).toBe('direct');
    expect(way('other', 'v1.0.0', 'v9.0.0')).toBe('direct');
    expect(way('other', '', 'v9.0.0')).toBe('direct');
  });

  it('is blocked where it cannot be measured', () => {
    expect(reasons('cilium', '', 'v1.17.0')).toMatchObject([
      { why: 'cilium (unknown version) → v1.17.0 cannot be measured: "" is not a version with major, minor and patch' },
    ]);
  });

  it('keeps every rule at every stop, and is never longer than need be', () => {
    const minors = fc.uniqueArray(fc.integer({ min: 1, max: 14 }), { maxLength: 10 });
    fc.assert(
      fc.property(minors, fc.integer({ min: 2, max: 15 }), (known, goal) => {
        const found = way(
          'antrea-controller',
          'v2.0.0',
          `v2.${goal}.0`,
          known.map((minor) => `v2.${minor}.0`),
        );
        const stops = known.filter((minor) => minor < goal).toSorted((a, b) => a - b);
        // The fewest hops of at most four minors, by going as far as possible each time.
        let [at, count] = [0, 0];
        while (goal - at > 4) {
          const next = stops.findLast((minor) => minor > at && minor - at <= 4);
          if (next === undefined) return found === 'blocked';
          [at, count] = [next, count + 1];
        }
        if (count === 0) return found === 'direct';
        const via = Array.isArray(found) ? found.map((text) => Number(text.split('.')[1])) : [];
        const ends = [0, ...via, goal];
        return via.length === count && ends.every((end, place) => place === 0 || end - (ends[place - 1] ?? 0) <= 4);
      }),
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bundleOf, digest, readBundle, written } from '../testing/bundle-of.ts';
import { lintBundle } from './lint-bundle.ts';
import type { LintContext } from './lint-context.ts';

const context: LintContext = {
  lineOf: () => 1,
  older: [],
  engineVersion: '0.1.0',
  policies: ['antrea', 'kubernetes'],
};

/** The findings of the lint for a bundle with this spec, as `severity rule path: why`. */
function reported(spec: object, more: Partial<LintContext> = {}): readonly string[] {
  return lintBundle(bundleOf(spec), { ...context, ...more }).map(
    ({ severity, rule, subject, why }) => `${severity} ${rule} ${subject.path}: ${why}`,
  );
}

const part = (id: string, fields: object = {}) => written({ id, ...fields });
const parts = (...components: readonly object[]) => ({ components });
const at = (upstream: string, more: object = {}) => ({ version: { upstream, ...more } });
const image = (fields: object = {}) => [{ name: 'image', kind: 'image', uri: 'r/i', digest: digest(1), ...fields }];
const management = { roles: ['management'] };

interface Case {
  readonly rule: string;
  readonly wrong: object;
  readonly right: object;
  readonly finding: string;
  readonly with?: Partial<LintContext> | undefined;
}

const older = [bundleOf({ number: 6, components: [part('flux', at('v1.0.0', { build: 'b1' }))] })];
const lastYear = '2025-11-01T00:00:00Z';

const cases: readonly Case[] = [
  {
    rule: 'bundle.no-digest',
    wrong: parts(part('flux', { artifacts: image({ digest: undefined }) })),
    right: parts(part('flux')),
    finding:
      'block bundle.no-digest spec.components[0].artifacts[0]: image of flux has no digest: the content at its location may change after the bundle was tested and signed',
  },
  {
    rule: 'bundle.content-without-build',
    with: { older },
    wrong: parts(part('flux', { ...at('v1.0.0', { build: 'b1' }), artifacts: image({ digest: digest(2) }) })),
    right: parts(part('flux', { ...at('v1.0.0', { build: 'b2' }), artifacts: image({ digest: digest(2) }) })),
    finding:
      'block bundle.content-without-build spec.components[0].version: flux is v1.0.0+b1 as in bundle-7 (number 6), but its content differs: image',
  },
  {
    rule: 'bundle.build-without-content',
    with: { older },
    wrong: parts(part('flux', at('v1.0.0', { build: 'b2' }))),
    right: parts(part('flux', at('v1.0.0', { build: 'b1' }))),
    finding:
      'warn bundle.build-without-content spec.components[0].version: flux is v1.0.0+b2, and v1.0.0+b1 in bundle-7 (number 6), with the same content: fleets would be upgraded without need',
  },
  {
    rule: 'bundle.number',
    with: { older },
    wrong: { number: 6 },
    right: { number: 7 },
    finding:
      'warn bundle.number spec.number: its number is 6, not greater than that of bundle-7 (number 6), which was given as older',
  },
  {
    rule: 'bundle.management-disagrees',
    wrong: {
      perKubernetes: {
        '1.31': parts(part('cert-manager', { ...management, ...at('v1.13.2') })),
        '1.32': parts(part('cert-manager', { ...management, ...at('v1.14.0') })),
      },
    },
    right: {
      perKubernetes: {
        '1.31': parts(part('cert-manager', management), part('cilium', at('v1.13.2'))),
        '1.32': parts(part('cert-manager', management), part('cilium', at('v1.14.0'))),
      },
    },
    finding:
      'block bundle.management-disagrees spec.perKubernetes[1.32].components[0]: cert-manager belongs only to the management cluster, but differs between Kubernetes 1.31 and 1.32: v1.13.2 and v1.14.0',
  },
  {
    rule: 'bundle.disabled',
    wrong: parts(part('cloudstack', at('deprecated'))),
    right: parts(part('cloudstack')),
    finding:
      'info bundle.disabled spec.components[0].version.upstream: cloudstack is switched off: its version or a location is `deprecated` or a placeholder',
  },
  {
    rule: 'bundle.sentence-cut',
    wrong: parts(part('agent', { interrupts: ['New policies wait.', 'New connections fail', 'old ones stay.'] })),
    right: parts(
      part('agent', {
        interrupts: ['New policies wait.', 'New connections fail, old ones stay.'],
        irreversible: ['the data is rewritten', 'kine is gone (for good)'],
      }),
    ),
    finding:
      'warn bundle.sentence-cut spec.components[0].interrupts[1]: "New connections fail" and "old ones stay." look like one sentence that was split at a comma',
  },
  {
    rule: 'bundle.build-case',
    wrong: parts(part('flux', at('v1.0.0+A34C207'))),
    right: parts(part('flux', at('v1.0.0-RC1+a34c207'))),
    finding:
      'block bundle.build-case spec.components[0].version.upstream: the build A34C207 of flux has upper-case letters; clusterctl lower-cases versions and would not find it',
  },
  {
    rule: 'bundle.requirement-unknown',
    wrong: parts(part('flux', { requires: [{ component: 'source' }] })),
    right: parts(part('flux', { requires: [{ component: 'source' }] }), part('source')),
    finding:
      'block bundle.requirement-unknown spec.components[0].requires[0]: flux requires source, which the bundle does not have',
  },
  {
    rule: 'bundle.requirement-unmet',
    wrong: parts(
      part('infra', { requires: [{ component: 'core', contract: 'capi/v1beta2' }] }),
      part('core', { contracts: ['capi/v1beta1'] }),
    ),
    right: parts(
      part('infra', { requires: [{ component: 'core', contract: 'capi/v1beta1', range: '>=1' }] }),
      part('core', { contracts: ['capi/v1beta1'] }),
    ),
    finding:
      'block bundle.requirement-unmet spec.components[0].requires[0]: infra requires the contract capi/v1beta2 of core v1.0.0; it implements capi/v1beta1',
  },
  {
    rule: 'bundle.requirement-apart',
    wrong: parts(
      part('mc-member', { roles: ['member'], requires: [{ component: 'mc-leader' }] }),
      part('mc-leader', { roles: ['leader'] }),
    ),
    right: parts(
      part('mc-member', {
        roles: ['member', 'leader'],
        requires: [{ component: 'mc-leader' }, { component: 'antrea' }],
      }),
      part('mc-leader', { roles: ['leader'] }),
      part('antrea'),
    ),
    finding:
      'warn bundle.requirement-apart spec.components[0].requires[0]: mc-member is for clusters with the role member and requires mc-leader, which is for the role leader: only a cluster with both roles has it',
  },
  {
    rule: 'bundle.requirement-cycle',
    wrong: parts(
      part('c', { requires: [{ component: 'b' }] }),
      part('a', { requires: [{ component: 'c' }] }),
      part('b', { requires: [{ component: 'a' }] }),
    ),
    right: parts(
      part('c', { requires: [{ component: 'b' }, { component: 'a' }] }),
      part('a'),
      part('b', { requires: [{ component: 'a' }] }),
    ),
    finding:
      'block bundle.requirement-cycle spec.components[1].requires: the requirements are circular: a → c → b → a; none of these can be upgraded first',
  },
  {
    rule: 'bundle.range',
    wrong: parts(part('flux', { upgradeFrom: { range: '>=one' } })),
    right: parts(part('flux', { upgradeFrom: { range: '>=1.0.0 <2' } })),
    finding:
      'block bundle.range spec.components[0].upgradeFrom.range: ">=one" is not a bound of a range; expected bounds such as >=1.13.0 <2.0.0, of numbers and without pre-release or build',
  },
  {
    rule: 'bundle.upgrade-from',
    wrong: parts(part('antrea', { ...at('v2.0.0'), upgradeFrom: { via: ['v1.15.1', 'v1.13.0'] } })),
    right: parts(part('antrea', { ...at('v2.0.0'), upgradeFrom: { via: ['v1.13.0', 'v1.15.1'] } })),
    finding:
      'block bundle.upgrade-from spec.components[0].upgradeFrom.via[1]: the stop v1.13.0 is not newer than v1.15.1, which precedes it',
  },
  {
    rule: 'bundle.kubernetes-range',
    wrong: {
      ...parts(part('cilium', { supports: { kubernetes: { min: '1.9', max: '1.31' } } })),
      perKubernetes: { '1.31': {}, '1.32': {} },
    },
    right: {
      ...parts(part('cilium', { supports: { kubernetes: { min: '1.9', max: '1.31' } } })),
      perKubernetes: { '1.31': {}, '1.32': parts(part('cilium', at('v1.2.0'))) },
    },
    finding:
      'block bundle.kubernetes-range spec.components[0].supports.kubernetes: cilium runs on Kubernetes 1.9 to 1.31; the bundle also has it for 1.32',
  },
  {
    rule: 'bundle.kubernetes-range',
    wrong: parts(part('cilium', { supports: { kubernetes: { min: '1.31', max: '1.9' } } })),
    right: parts(part('cilium', { supports: { kubernetes: { min: '1.9', max: '1.9' } } })),
    finding:
      'block bundle.kubernetes-range spec.components[0].supports.kubernetes: cilium runs on Kubernetes from 1.31 to 1.9, which is an empty range',
  },
  {
    rule: 'bundle.kubernetes-range',
    wrong: { perKubernetes: { 'v1.31': {} } },
    right: { perKubernetes: { '1.31': {} } },
    finding:
      'block bundle.kubernetes-range spec.perKubernetes[v1.31]: "v1.31" is not a Kubernetes minor: expected two numbers, such as "1.31"',
  },
  {
    rule: 'bundle.policy-unknown',
    wrong: { policies: [{ name: 'ours' }] },
    right: { policies: [{ name: 'antrea' }] },
    finding:
      'block bundle.policy-unknown spec.policies[0]: the policy ours is not available; available policies: antrea, kubernetes',
  },
  {
    rule: 'bundle.policy-digest',
    with: { policyDigests: new Map([['antrea', digest(5)]]) },
    wrong: { policies: [{ name: 'antrea', digest: digest(6) }] },
    right: { policies: [{ name: 'antrea', digest: digest(5) }, { name: 'kubernetes' }] },
    finding: `block bundle.policy-digest spec.policies[0].digest: the available policy antrea has the digest ${digest(5)}, but the bundle requires ${digest(6)}`,
  },
  {
    rule: 'bundle.engine',
    wrong: { engine: { min: '0.2' } },
    right: { engine: { min: '0.1.0', max: '0.1' } },
    finding: 'block bundle.engine spec.engine: the bundle bundle-7 requires isthmus >=0.2, but this is isthmus 0.1.0',
  },
  {
    rule: 'bundle.engine',
    wrong: { engine: { min: '0.2.0', max: '0.1' } },
    right: {},
    finding:
      'block bundle.engine spec.engine: the versions of isthmus that it is for: no version is in ">=0.2.0 <=0.1": its bounds exclude each other',
  },
  {
    rule: 'bundle.expired',
    with: { now: '2026-11-21T00:00:00Z' },
    wrong: { expiresAt: '2026-11-20T00:00:00Z' },
    right: { expiresAt: '2026-11-22T00:00:00Z' },
    finding: 'warn bundle.expired spec.expiresAt: it expired at 2026-11-20T00:00:00Z, and it is 2026-11-21T00:00:00Z',
  },
  {
    rule: 'bundle.expired',
    wrong: { expiresAt: lastYear },
    right: { expiresAt: '2026-11-20T00:00:00Z' },
    finding: `block bundle.expired spec.expiresAt: it expires at ${lastYear}, not after it was made at 2026-11-01T00:00:00Z`,
  },
  {
    rule: 'bundle.hook',
    wrong: parts(
      part('mc', {
        ...at('v2.7.0'),
        hooks: [{ id: 'h', at: 'after', roles: ['member'], title: 'T', whenFrom: '>=2.7.1' }],
      }),
    ),
    right: parts(
      part('mc', {
        ...at('v2.7.0'),
        hooks: [{ id: 'h', at: 'after', roles: ['member'], title: 'T', whenFrom: '<2.7' }],
      }),
    ),
    finding:
      'warn bundle.hook spec.components[0].hooks[0]: the hook h of mc is for upgrades from >=2.7.1, but none of these is older than v2.7.0',
  },
  {
    rule: 'bundle.hook',
    wrong: parts(
      part('a', {
        hooks: [{ id: 'h', at: 'before', roles: ['member'], title: 'T', doneWhen: { fact: 'f', equals: 'x' } }],
      }),
      part('b', {
        hooks: [{ id: 'i', at: 'before', roles: ['member'], title: 'T', doneWhen: { fact: 'f', equals: 'y' } }],
      }),
    ),
    right: parts(
      part('a', {
        hooks: [{ id: 'h', at: 'before', roles: ['member'], title: 'T', doneWhen: { fact: 'f', equals: 'x' } }],
      }),
      part('b', {
        hooks: [{ id: 'i', at: 'before', roles: ['member'], title: 'T', doneWhen: { fact: 'g', equals: 'y' } }],
      }),
    ),
    finding:
      'block bundle.hook spec.components[1].hooks[0]: the hook i of b is done when f is "y", h of a when it is "x": both can never be done at the same time',
  },
  {
    rule: 'bundle.unit',
    wrong: parts(part('antrea-agent', { unit: 'antrea', ...at('v2.7.0') }), part('antrea', at('v2.7.1'))),
    right: parts(part('antrea-agent', { unit: 'antrea', ...at('v2.7.0') }), part('antrea', at('v2.7.0'))),
    finding:
      'block bundle.unit spec.components[0].version: antrea v2.7.1 and antrea-agent v2.7.0 share the unit antrea and must have one version',
  },
];

describe('the lint of a bundle', () => {
  it.each(cases)('finds $rule, and leaves its harmless neighbour alone', ({ wrong, right, finding, with: more }) => {
    expect(reported(wrong, more)).toEqual([finding]);
    expect(reported(right, more)).toEqual([]);
  });

  it.each(['11', '11.1', 'xxx', '11.1.1.1'])('names component and field where the version is %j', (upstream) => {
    expect(reported(parts(part('flux'), part('cilium', at(upstream))))).toEqual([
      `block bundle.version spec.components[1].version.upstream: the version "${upstream}" of cilium does not match scheme semver: expected major.minor.patch, such as v1.13.2`,
    ]);
    expect(reported(parts(part('cilium', at(upstream, { scheme: 'opaque' }))))).toEqual([]);
  });

  it('a version without any text is rejected when the bundle is read', () => {
    expect(() => bundleOf(parts(part('flux'), part('cilium', at(''))))).toThrow(
      'spec.components[1].version.upstream: Invalid value: ""',
    );
  });

  it('finds an id that is given twice, in a bundle that comes from another format', () => {
    const bundle = bundleOf(parts(part('flux')));
    const components = [...bundle.spec.components, ...bundle.spec.components];
    const twice = { ...bundle, spec: { ...bundle.spec, components } };
    expect(lintBundle(twice, context).map(({ rule, subject }) => `${rule} ${subject.path}`)).toEqual([
      'bundle.duplicate-id spec.components[1]',
    ]);
  });

  it('asks nothing of the content of a component that is switched off', () => {
    const off = part('cloudstack', {
      ...at('deprecated'),
      artifacts: image({ digest: undefined, uri: '<placeholder>' }),
    });
    expect(reported(parts(off)).map((line) => line.split(' ')[1])).toEqual(['bundle.disabled']);
  });

  it('reports what is missing once, though it is missing for every Kubernetes', () => {
    const spec = {
      ...parts(part('flux', { requires: [{ component: 'x' }] })),
      perKubernetes: { '1.31': {}, '1.32': {} },
    };
    expect(reported(spec)).toHaveLength(1);
  });

  it('sees that a unit comes apart for one Kubernetes', () => {
    const unit = (id: string, version: string) => part(id, { unit: 'antrea', ...at(version) });
    const spec = {
      ...parts(unit('controller', 'v2.7.0'), unit('agent', 'v2.7.0')),
      perKubernetes: { '1.31': {}, '1.32': parts(unit('controller', 'v2.7.1')) },
    };
    expect(reported(spec)).toEqual([
      'block bundle.unit spec.perKubernetes[1.32].components[0].version: agent v2.7.0 and controller v2.7.1 share the unit antrea and must have one version',
    ]);
  });

  it('does not call a build idle that another part of the unit needs, nor one of which no content is known', () => {
    const unit = (build: string, digit: number) =>
      parts(
        part('agent', { unit: 'antrea', ...at('v2.7.0', { build }) }),
        part('controller', { unit: 'antrea', ...at('v2.7.0', { build }), artifacts: image({ digest: digest(digit) }) }),
        part('bare', { ...at('v1.0.0', { build }), artifacts: [] }),
      );
    const context = { older: [bundleOf({ number: 6, ...unit('b1', 1) })] };
    expect(reported(unit('b2', 2), context)).toEqual([]);
    expect(reported(unit('b2', 1), context).map((line) => line.split(':')[0])).toEqual([
      'warn bundle.build-without-content spec.components[0].version',
      'warn bundle.build-without-content spec.components[1].version',
    ]);
  });

  it.each([
    ['Egress (its addresses', 'its routes) stops.'],
    ['new connections fail', 'and old ones break'],
    ['policies wait', 'the agent keeps the old ones.'],
  ])('takes %j and %j for one sentence', (...irreversible) => {
    expect(reported(parts(part('agent', { irreversible })))).toEqual([expect.stringContaining('bundle.sentence-cut')]);
  });

  const manager = (...artifacts: readonly object[]) => parts(part('infra', { ...management, artifacts }));
  const own = (name: string, uri: string, digit = 1, kind = 'image') => ({ name, kind, uri, digest: digest(digit) });

  it.each([
    ['one location has two contents', own('manager', 'r/manager:v1', 1), own('manager', 'r/manager:v1', 2)],
    [
      'its manifest differs',
      own('manager', 'r/1.31.yaml', 1, 'manifest'),
      own('manager', 'r/1.32.yaml', 2, 'manifest'),
    ],
  ])('sees that a part of the management cluster has one version and two contents: %s', (_what, one, other) => {
    expect(reported({ perKubernetes: { '1.31': manager(one), '1.32': manager(other) } })).toEqual([
      'block bundle.management-disagrees spec.perKubernetes[1.32].components[0]: infra belongs only to the management cluster, but differs between Kubernetes 1.31 and 1.32: both v1.0.0, with different content: manager',
    ]);
    expect(reported({ perKubernetes: { '1.31': manager(one), '1.32': manager(one) } })).toEqual([]);
  });

  it('accepts images that a part of the management cluster has for the clusters of one Kubernetes, and names them', () => {
    const shared = own('controller', 'r/controller:v1', 3);
    const perKubernetes = {
      '1.31': manager(shared, own('manager', 'r/manager:v1.31', 1)),
      '1.32': manager(shared, own('manager', 'r/manager:v1.32', 2)),
      '1.33': manager(shared, own('manager', 'r/manager:v1.33', 4), own('bootstrap', 'r/bootstrap:v1-33', 5)),
    };
    expect(reported({ perKubernetes })).toEqual([
      'info bundle.own-images spec.perKubernetes[1.32].components[0]: infra v1.0.0 has its own images for Kubernetes 1.32, 1.33: bootstrap, manager; everything else is the same as for 1.31',
    ]);
  });

  it('reports for which Kubernetes a requirement is not met, where it is not the same for all', () => {
    const spec = (core: object) => ({
      components: [part('infra', { requires: [{ component: 'core', range: '>=2' }] })],
      perKubernetes: { '1.31': parts(part('core')), '1.32': parts(core), '1.33': parts(core) },
    });
    const why =
      'block bundle.requirement-unmet spec.components[0].requires[0]: infra requires core >=2; the bundle has v1.0.0';
    expect(reported(spec(part('core')))).toEqual([why]);
    expect(reported(spec(part('core', at('v2.0.0'))))).toEqual([`${why} (for Kubernetes 1.31)`]);
    expect(reported(spec(part('core', at('deprecated')))).join()).toContain(
      'which is switched off (for Kubernetes 1.32, 1.33)',
    );
  });

  it('gives each finding the line of its field, the worst first', () => {
    const { value, lineOf } = readBundle(parts(part('off', at('deprecated')), part('flux', at('1'))));
    const findings = lintBundle(value, { ...context, lineOf });
    expect(findings.map(({ severity }) => severity)).toEqual(['block', 'info']);
    expect(findings.map(({ line }) => line)).toEqual([1, 1]);
  });

  it('draws a circle of any length, and not a long chain', () => {
    const chain = (last: readonly object[]) =>
      Array.from({ length: 1000 }, (_, index) =>
        part(`c${index}`, { requires: index === 999 ? last : [{ component: `c${index + 1}` }] }),
      );
    expect(reported(parts(...chain([])))).toEqual([]);
    expect(reported(parts(...chain([{ component: 'c0' }])))).toEqual([
      expect.stringContaining('circular: c0 → c1 → c2 →'),
    ]);
  });

  it('finds a circle exactly where no order of the components is possible', () => {
    const edges = fc.array(fc.tuple(fc.nat(4), fc.nat(4)), { maxLength: 8 });
    fc.assert(
      fc.property(edges, (pairs) => {
        const requires = (from: number) => [...new Set(pairs.filter(([a]) => a === from).map(([, b]) => b))];
        const ids = [0, 1, 2, 3, 4];
        const spec = parts(
          ...ids.map((id) => part(`c${id}`, { requires: requires(id).map((to) => ({ component: `c${to}` })) })),
        );
        // Kahn's way: take away whatever requires nothing that is left.
        let left = ids;
        for (let round = 0; round < ids.length; round++) {
          left = left.filter((id) => requires(id).some((to) => left.includes(to)));
        }
        expect(reported(spec).some((line) => line.includes('bundle.requirement-cycle'))).toBe(left.length > 0);
      }),
    );
  });
});

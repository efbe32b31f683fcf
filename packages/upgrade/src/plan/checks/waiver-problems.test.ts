import { describe, expect, it } from 'vitest';
import { bundleOf, written } from '../../bundle/testing/bundle-of.ts';
import { running, snapshotOf } from '../../fleet/testing/snapshot-of.ts';
import { shippedPolicies } from '../../policy/shipped/shipped-policies.ts';
import { waiverProblems } from './waiver-problems.ts';

const hook = { id: 'credentials', at: 'before', roles: ['member'], title: 'T' };
const names = {
  policies: shippedPolicies(),
  plan: {
    bundles: [bundleOf({ components: [written({ id: 'x', hooks: [hook] })] })],
    snapshot: snapshotOf({
      clusters: [{ name: 'east', components: [running('antrea-agent', 'v2.1.0', ['n1'])] }],
      clients: [{ component: 'antctl', version: 'v2.1.0' }],
    }),
  },
};
const file = { source: 'w.yaml', lineOf: () => 7 };
const waiver = (rule: string, more: object = {}) => ({ rule, reason: 'seen', by: 'ops', until: '2026-12-31', ...more });
const problems = (rule: string, more: object = {}) =>
  waiverProblems([waiver(rule, more)], names, file).map(({ path, message }) => `${path}: ${message}`);

describe('a waiver for a plan', () => {
  it.each(['antrea.agent', 'F09', 'G05', 'D2', 'hook.credentials', 'plan.unknown-version', 'bundle.no-digest'])(
    'may name the rule %s',
    (rule) => expect(problems(rule)).toEqual([]),
  );

  it.each(['antrea.agnet', 'F99', 'hook.other', 'antrea', 'Plan.order', 'plan.unknown-versoin'])(
    'is rejected for the rule %s',
    (rule) => {
      expect(problems(rule)).toEqual([
        `spec.waivers[0].rule: no policy and no check has the rule ${rule}; plans and checks print the rule of a finding after its severity`,
      ]);
    },
  );

  it.each(['east', 'antrea-agent', 'east/antrea-agent', 'antctl', 'x', 'n1', 'Deployment kube-system/x', 'spec.mode'])(
    'may be for %s',
    (path) => {
      expect(problems('antrea.agent', { path })).toEqual([]);
    },
  );

  it('is rejected for a cluster or component that nobody has, but not for the field of a CRD', () => {
    expect(problems('antrea.agent', { path: 'eats' })).toEqual([
      'spec.waivers[0].path: the snapshot and the bundles have no cluster, ClusterSet, Node or component eats',
    ]);
    expect(problems('antrea.agent', { path: 'eats/antrea-agent' })).toEqual([
      'spec.waivers[0].path: the snapshot and the bundles have no cluster, ClusterSet, Node or component eats',
    ]);
    expect(problems('F09', { path: 'mode', crd: 'widgets.example.org' })).toEqual([]);
  });

  it('is rejected in a check for its rule only, which knows neither hooks nor all components', () => {
    const inCheck = [waiver('antrea.agnet'), waiver('hook.other'), waiver('antrea.agent', { path: 'eats' })];
    const found = waiverProblems(inCheck, { policies: shippedPolicies() }, file);
    expect(found.map(({ source, line, path }) => [source, line, path])).toEqual([
      ['w.yaml', 7, 'spec.waivers[0].rule'],
    ]);
  });
});

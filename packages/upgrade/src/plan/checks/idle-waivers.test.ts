import { describe, expect, it } from 'vitest';
import { written } from '../../bundle/testing/bundle-of.ts';
import { running, snapshotOf } from '../../fleet/testing/snapshot-of.ts';
import { loadedOf, planOf } from '../testing/plan-of.ts';

const waiver = (rule: string, more: object = {}) => ({
  rule,
  crd: undefined,
  version: undefined,
  path: undefined,
  reason: 'seen',
  by: 'ops',
  until: '2026-12-31',
  ...more,
});
const antrea = (id: string, more: object = {}) => written({ id, version: { upstream: 'v2.4.0' }, ...more });
/** A controller that needs five minors at once: further than the policy of Antrea allows. */
const planned = (waivers: readonly ReturnType<typeof waiver>[], agents: readonly string[]) =>
  planOf(
    loadedOf([antrea('antrea-controller'), antrea('antrea-agent', { scope: 'node' })]),
    snapshotOf({
      clusters: [
        {
          name: 'east',
          components: [
            running('antrea-controller', 'v2.3.0'),
            { id: 'antrea-agent', live: agents.map((version, at) => ({ version, node: `n${at}` })) },
            { id: 'strange', live: [{ version: 'v1.0.0' }] },
          ],
        },
      ],
    }),
    { waivers },
  ).spec;

describe('waivers of a plan', () => {
  it('that accept nothing are listed with the cause, and the others with what they accept', () => {
    const { waived, idleWaivers } = planned(
      [
        waiver('plan.unknown-component', { path: 'strange' }),
        waiver('plan.unknown-component', { path: 'east/strange', by: 'others' }),
        waiver('plan.order', { path: 'east' }),
        waiver('plan.not-ready', { path: 'east' }),
        waiver('plan.hand-set', { until: '2026-11-20' }),
        waiver('F09', { crd: 'widgets.example.org' }),
        waiver('bundle.no-digest'),
      ],
      ['v2.3.0'],
    );
    expect(waived.map(({ rule, subject }) => [rule, subject])).toEqual([['plan.unknown-component', 'east strange']]);
    expect(idleWaivers.map(({ rule, subject, why }) => [rule, subject, why])).toEqual([
      ['F09', 'widgets.example.org', 'it matches no finding that can be waived'],
      ['plan.hand-set', 'any', 'it expired after 2026-11-20'],
      ['plan.not-ready', 'east', 'it matches no finding that can be waived'],
      ['plan.order', 'east', 'a blocking finding of plan.order cannot be waived'],
      [
        'plan.unknown-component',
        'east/strange',
        'it duplicates another waiver, by ops until 2026-12-31, that accepts the same',
      ],
    ]);
  });

  it('may name a component of one cluster', () => {
    const { waived } = planned([waiver('plan.unknown-component', { path: 'east/strange' })], ['v2.3.0']);
    expect(waived.map(({ rule, subject }) => [rule, subject])).toEqual([['plan.unknown-component', 'east strange']]);
  });

  it('are not idle where they accept a rule that is broken only while steps are at work', () => {
    const fleet = (waivers: readonly ReturnType<typeof waiver>[]) =>
      planOf(
        loadedOf([antrea('antrea-controller'), antrea('antrea-agent', { scope: 'node' })]),
        snapshotOf({
          clusters: [
            {
              name: 'east',
              components: [running('antrea-controller', 'v2.3.0'), running('antrea-agent', 'v1.13.0', ['n1'])],
            },
          ],
        }),
        { waivers },
      ).spec;
    const without = fleet([]);
    const rules = new Set(without.findings.filter(({ severity }) => severity === 'block').map(({ rule }) => rule));
    expect(without.outcome).toBe('blocked');
    const { outcome, waived, idleWaivers } = fleet([...rules].map((rule) => waiver(rule)));
    expect([outcome, idleWaivers]).toEqual(['ready', []]);
    expect(new Set(waived.map(({ rule }) => rule))).toEqual(rules);
  });

  it('are not listed as idle where the plan is blocked: what it would have asked for is not known', () => {
    const { outcome, idleWaivers } = planOf(
      loadedOf([antrea('antrea-controller', { requires: [{ component: 'nothing' }] })]),
      snapshotOf({ clusters: [{ name: 'east', components: [running('antrea-controller', 'v2.3.0')] }] }),
      { waivers: [waiver('F09')] },
    ).spec;
    expect([outcome, idleWaivers]).toEqual(['blocked', []]);
  });
});

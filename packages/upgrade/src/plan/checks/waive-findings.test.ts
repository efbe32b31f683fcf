import { describe, expect, it } from 'vitest';
import type { Waiver } from '../../crd/waivers.ts';
import type { Finding } from '../../finding.ts';
import { fits, subjectText, waiveFindings } from './waive-findings.ts';

const today = '2026-11-23T10:00:00Z';
const waiver = (more: Partial<Waiver> = {}): Waiver => ({
  rule: 'antrea.agent',
  crd: undefined,
  version: undefined,
  path: undefined,
  reason: 'known',
  by: 'ops',
  until: '2026-11-23',
  ...more,
});
const finding = (more: Partial<Finding> = {}): Finding => ({
  rule: 'antrea.agent',
  severity: 'block',
  subject: { cluster: 'east', component: 'antrea-agent' },
  why: 'too old',
  ...more,
});

describe('a waiver fits a finding', () => {
  it.each<[string, Partial<Waiver>, Partial<Finding>, boolean]>([
    ['of its rule, until the end of its last day', {}, {}, true],
    ['not after its last day', { until: '2026-11-22' }, {}, false],
    ['not of another rule', {}, { rule: 'antrea.same' }, false],
    ['not where it is for a CRD', { crd: 'widgets.example.com' }, {}, false],
    ['of the cluster that it names', { path: 'east' }, {}, true],
    ['of the component that it names', { path: 'antrea-agent' }, {}, true],
    ['not of another cluster than it names', { path: 'west' }, {}, false],
    ['not where there is no order of the steps', { rule: 'plan.order' }, { rule: 'plan.order' }, false],
    ['not where the bundle lacks the Kubernetes', { rule: 'plan.kubernetes' }, { rule: 'plan.kubernetes' }, false],
    ['not where a field is immutable', { rule: 'plan.immutable' }, { rule: 'plan.immutable' }, false],
    [
      'where a rule that blocks for ever only warns',
      { rule: 'plan.immutable' },
      { rule: 'plan.immutable', severity: 'warn' },
      true,
    ],
  ])('%s', (_, waived, found, expected) => {
    expect(fits(waiver(waived), finding(found), today)).toBe(expected);
  });
});

describe('findings and waivers', () => {
  it('leave what no waiver fits, and list what is waived once, with its reason, owner and last day', () => {
    const other = finding({ subject: { cluster: 'west' } });
    const judged = waiveFindings([finding(), finding({ why: 'again' }), other], [waiver({ path: 'east' })], today);
    expect(judged.findings).toEqual([other]);
    expect(judged.waived).toEqual([
      { rule: 'antrea.agent', subject: 'east antrea-agent', reason: 'known', by: 'ops', until: '2026-11-23' },
    ]);
  });

  it('leave notes, which need no waiver', () => {
    const note = finding({ severity: 'info' });
    expect(waiveFindings([note], [waiver()], today)).toEqual({ findings: [note], waived: [], accepted: [] });
  });

  it('list what is waived in the same order, whatever the order of the findings', () => {
    const east = finding();
    const west = finding({ subject: { cluster: 'west', component: 'antrea-agent' } });
    const one = waiveFindings([east, west], [waiver()], today);
    expect(waiveFindings([west, east], [waiver()], today).waived).toEqual(one.waived);
    expect(one.waived.map(({ subject }) => subject)).toEqual(['east antrea-agent', 'west antrea-agent']);
  });
});

describe('the subject of a finding in one line', () => {
  it('goes from the large to the small, and is the fleet where nothing is named', () => {
    const all = { path: 'f', object: 'e', node: 'd', component: 'c', cluster: 'b', clusterSet: 'a' };
    expect(subjectText({ subject: all })).toBe('a b c d e f');
    expect(subjectText({ subject: { cluster: 'east', node: 'node-1' } })).toBe('east node-1');
    expect(subjectText({ subject: {} })).toBe('the fleet');
  });
});

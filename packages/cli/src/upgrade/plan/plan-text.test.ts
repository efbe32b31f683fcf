import type { Plan } from '@isthmus/upgrade';
import { expect, it } from 'vitest';
import { planText } from './plan-text.ts';

const nothing = {
  outcome: 'ready',
  bundle: { name: 'b', number: 1 },
  snapshot: { name: 's', takenAt: '2026-11-27T00:00:00Z' },
  changes: [],
  steps: [],
  findings: [],
  skipped: [],
  waived: [],
  idleWaivers: [],
  notExamined: [],
  leftOut: [],
};

const textOf = (spec: object) => planText({ spec: { ...nothing, ...spec } } as unknown as Plan);

it('shows of many findings that block a cluster by one rule about one object the first, and names the object', () => {
  const removed = (object: string, field: string) => ({
    cluster: 'mgmt',
    component: 'capi-core',
    object,
    rule: 'F01',
    why: `${field} is removed`,
  });
  const text = textOf({
    leftOut: ['a', 'b', 'c', 'd']
      .map((field) => removed('clusters.example', field))
      .concat(removed('machines.example', 'e')),
  });
  expect(text).toContain(
    `Left out, because they are blocked:
  mgmt/capi-core: F01 of clusters.example: a is removed (and 3 more of this rule; -o json shows each)
  mgmt/capi-core: F01 of machines.example: e is removed
`,
  );
});

it('groups the findings of a plan, which has no wide output', () => {
  const findings = ['a', 'b', 'c', 'd'].map((path) => ({
    rule: 'F01',
    severity: 'block',
    clusters: ['mgmt'],
    subject: { object: 'clusters.example', path },
    why: `${path} is removed`,
  }));
  const text = textOf({ outcome: 'blocked', findings });
  expect(text).toContain('also: b, c, d (-o json shows each)');
  expect(text).not.toContain('d is removed');
  expect(text).toContain('4 blocking findings.');
});

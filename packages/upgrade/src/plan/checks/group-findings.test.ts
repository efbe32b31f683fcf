import { describe, expect, it } from 'vitest';
import type { Finding } from '../../finding.ts';
import { groupFindings } from './group-findings.ts';

const note = (cluster: string | undefined, more: Partial<Finding> = {}): Finding => ({
  rule: 'r',
  severity: 'info',
  subject: { component: 'x', ...(cluster !== undefined && { cluster }) },
  why: 'It is so.',
  ...more,
});

describe('findings of many clusters', () => {
  it('are one, with the clusters as a list', () => {
    expect(groupFindings([note('west'), note('east'), note('east')])).toEqual([
      { ...note(undefined), clusters: ['east', 'west'] },
    ]);
  });

  it('are one where their sentences differ in the name of their cluster alone', () => {
    const [one, ...rest] = groupFindings(
      ['east', 'west'].map((name) =>
        note(name, { why: `mc-member v1 (cluster ${name}) is older than mc-leader v2 (cluster north)` }),
      ),
    );
    expect(rest).toEqual([]);
    expect(one?.why).toBe('mc-member v1 is older than mc-leader v2 (cluster north)');
  });

  it('of one cluster stay as they are, and name it both ways', () => {
    const one = note('east', { why: 'x v1 (cluster east) is old' });
    expect(groupFindings([one])).toEqual([{ ...one, clusters: ['east'] }]);
    expect(groupFindings([note(undefined)])).toEqual([{ ...note(undefined), clusters: [] }]);
  });

  it.each([
    ['the rule', { rule: 's' }],
    ['the severity', { severity: 'warn' as const }],
    ['the component', { subject: { component: 'y', cluster: 'west' } }],
    ['the Node', { subject: { component: 'x', cluster: 'west', node: 'n' } }],
    ['what was found', { why: 'It is otherwise.' }],
    ['what to do', { unblock: 'do it' }],
  ])('are two where %s differs', (_what, more) => {
    expect(groupFindings([note('east'), note('west', more)])).toHaveLength(2);
  });
});

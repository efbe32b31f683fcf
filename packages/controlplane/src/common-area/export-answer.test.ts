import { describe, expect, it } from 'vitest';
import { importFailed } from './export-answer.ts';

describe('an export that other clusters do not import', () => {
  it.each([
    ['ends each report with one full stop', 'No quota.', 'No quota.'],
    ['adds the full stop that a report lacks', 'no quota', 'no quota.'],
    ['adds none to a report that was cut', 'Correct the policy…', 'Correct the policy…'],
    ['names the cluster of the report as another one', 'Pods of this cluster', 'Pods of that cluster.'],
  ])('%s', (_, message, shown) => {
    expect(importFailed([{ clusterID: 'east', reason: 'WriteRejected', message }])?.message).toBe(
      `Not imported in east (WriteRejected): ${shown}`,
    );
  });

  it('counts clusters behind the fifth, those that keep an earlier import apart', () => {
    const clusters = ['TierNotFound', 'TierDeleted', 'TierDeleted'].map((reason, index) => ({
      clusterID: `m${index}`,
      reason,
      message: 'No Tier.',
    }));
    const first = Array.from({ length: 5 }, (_, index) => ({ clusterID: `c${index}`, reason: 'A', message: 'b' }));
    expect(importFailed([...first, ...clusters])?.message).toMatch(
      /in c4 \(A\): b\. Not imported in 1 more clusters\. Kept as imported before in 2 more clusters\.$/,
    );
  });
});

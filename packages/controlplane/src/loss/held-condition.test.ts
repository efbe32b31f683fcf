import type { ClusterSet } from '@isthmus/api';
import { describe, expect, it } from 'vitest';
import { heldVerdict, importsLost } from './held-condition.ts';

const clusterSet: ClusterSet = { metadata: { namespace: 'isthmus', name: 'shop' } };

describe('imports that a leader lost', () => {
  const lost = (answers: boolean | undefined) =>
    importsLost('Some imported Services', { leaderClusterID: 'north', leaderNamespace: 'area', answers });

  it('come back by themselves where the leader may run Isthmus', () => {
    for (const answers of [true, undefined]) expect(lost(answers)).toContain('They are published again when');
  });

  it('come back from other leaders once these are restarted', () => {
    expect(lost(false)).toContain('kubectl -n area rollout restart deployment');
  });
});

describe('the condition of a ClusterSet', () => {
  it('is there as long as anything is held', () => {
    expect(heldVerdict(clusterSet, 0, 'They are lost.')).toBe('absent');
    expect(heldVerdict(clusterSet, 1, 'They are lost.')).toMatchObject({
      status: 'True',
      reason: 'WithdrawalHeld',
      message: expect.stringMatching(/^Objects held: 1\. They are lost\. /),
    });
  });
});

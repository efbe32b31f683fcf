import type { ClusterSet } from '@isthmus/api';
import { describe, expect, it } from 'vitest';
import type { LeavingInput } from './decide-leaving.ts';
import { decideLeaving } from './decide-leaving.ts';

const served: ClusterSet = {
  metadata: { name: 'fleet', namespace: 'kube-system', deletionTimestamp: '2026-11-22T12:00:00Z' },
  spec: {
    clusterID: 'west',
    namespace: 'antrea-multicluster',
    leaders: [{ clusterID: 'north', secret: 'west-token' }],
  },
};
const decide = (input: Partial<LeavingInput>) =>
  decideLeaving({
    served,
    claims: [],
    imported: 'none',
    leave: { kind: 'asking' },
    leader: 'known',
    waitedMs: 0,
    ...input,
  });
const minute = 60_000;

describe('a ClusterSet that is being deleted', () => {
  it('waits for the own cluster to be read, but not for ever', () => {
    const input = { imported: 'unknown', leave: { kind: 'left' } } as const;
    expect(decide({ ...input, waitedMs: 0 })).toMatchObject({ kind: 'wait', forMs: 5_000 });
    expect(decide({ ...input, waitedMs: minute - 1_000 })).toMatchObject({ kind: 'wait', forMs: 1_000 });
    expect(decide({ ...input, waitedMs: minute })).toEqual({ kind: 'left' });
  });

  it('stays as long as anything imported is left, however long that takes', () => {
    const input = { imported: 'some', leave: { kind: 'left' }, waitedMs: 10 * minute } as const;
    expect(decide(input)).toEqual({ kind: 'wait', forMs: 5_000, why: 'imported objects are being removed' });
  });

  it('goes when the leader has forgotten the cluster', () => {
    expect(decide({ leave: { kind: 'left' } })).toEqual({ kind: 'left' });
  });

  it('goes at once where there is no leader to ask', () => {
    expect(decide({ leader: 'none', leave: undefined })).toEqual({ kind: 'left' });
  });

  it('waits a minute for the leader, and not longer', () => {
    expect(decide({ waitedMs: 20_000 })).toMatchObject({ kind: 'wait', forMs: 40_000 });
    expect(decide({ waitedMs: minute - 1 })).toMatchObject({ kind: 'wait', forMs: 1 });
    expect(decide({ waitedMs: minute }).kind).toBe('abandon');
  });

  it.each([
    ['the leader did not answer', { leave: undefined }, 'it did not answer'],
    ['the last call failed', { leave: { kind: 'asking', why: 'connection refused' } }, 'connection refused'],
    ['the Secret cannot be read', { leader: 'unknown' }, 'Secret west-token cannot be read'],
  ] satisfies readonly (readonly [string, Partial<LeavingInput>, string])[])(
    'goes after that minute and reports what may remain where %s',
    (_, input, why) => {
      expect(decide({ ...input, waitedMs: minute })).toEqual({
        kind: 'abandon',
        leader: 'north',
        why,
        message: `Left the ClusterSet without an answer from leader north: ${why}. MemberClusterAnnounce antrea-multicluster/member-announce-from-west and the exports of west may remain there; the leader removes them after 24 hours of silence, or you can delete the announcement.`,
      });
    },
  );
});

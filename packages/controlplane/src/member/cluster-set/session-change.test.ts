import type { ClusterSet } from '@isthmus/api';
import { conditionOf } from '@isthmus/machinery';
import { describe, expect, it } from 'vitest';
import type { Membership } from '../membership.ts';
import type { SessionState } from '../../own-cluster/session-state.ts';
import { decideMemberStatus } from './decide.ts';

const membership: Membership = {
  kind: 'joined',
  spec: {
    namespace: 'kube-system',
    clusterSet: 'fleet',
    clusterID: 'west',
    leaderClusterID: 'north',
    server: 'https://north.test:6443',
    leaderNamespace: 'antrea-multicluster',
    secret: 'leader-token',
    caPem: 'a certificate',
    token: 'a token',
  },
};

const metadata = { name: 'fleet', namespace: 'kube-system', generation: 1 };
const fresh: ClusterSet = { metadata, spec: { clusterID: 'west', leaders: [{ clusterID: 'north' }] } };

/** The ClusterSet after the status that `session` causes. */
function after(clusterSet: ClusterSet, session: SessionState | undefined): ClusterSet {
  return {
    ...clusterSet,
    status: decideMemberStatus({
      clusterSet,
      served: clusterSet,
      membership,
      session,
      denied: [],
      missing: [],
      unserved: [],
      older: [],
      held: 0,
      excluded: [],
      nowMs: 0,
    }),
  };
}

/**
 * `status: message` of Ready and of IsLeader, for the one cluster in the status, followed by the
 * overall Ready.
 */
function said({ status }: ClusterSet): readonly string[] {
  const [leader] = status?.clusterStatuses ?? [];
  const of = (type: string) => {
    const found = conditionOf(leader?.conditions, type);
    return `${type}=${found?.status}: ${found?.message}`;
  };
  return [of('Ready'), of('IsLeader'), conditionOf(status?.conditions, 'Ready')?.status ?? ''];
}

const connected: SessionState = { kind: 'connected' };
const refused: SessionState = { kind: 'connecting', why: 'connection refused' };
const lost: SessionState = { kind: 'disconnected', reason: 'Disconnected', why: 'no answer' };

describe('the status of a member whose session begins again', () => {
  it('stays as it is while the spec is the same, as after a restart or with a new token', () => {
    for (const before of [after(fresh, connected), after(fresh, lost)]) {
      for (const session of [undefined, { kind: 'connecting' }, refused] as const) {
        expect(after(before, session).status).toEqual(before.status);
      }
    }
  });

  it('does not mention the old leader once the spec names another server or Secret', () => {
    const before = after(fresh, connected);
    const changed = { ...before, metadata: { ...metadata, generation: 2 } };
    const without = after(changed, undefined);
    expect(said(without)).toEqual([
      'Ready=Unknown: Leader cluster added',
      'IsLeader=False: Leader cluster added',
      'Unknown',
    ]);
    expect(without.status?.observedGeneration).toBe(2);
    expect([without.status?.totalClusters, without.status?.readyClusters]).toEqual([1, 0]);
  });

  it('reports why there is no answer yet, while nothing better is known', () => {
    const before = after(fresh, undefined);
    expect(said(after(before, refused))).toEqual([
      'Ready=Unknown: connection refused',
      'IsLeader=False: Leader cluster added',
      'Unknown',
    ]);
  });
});

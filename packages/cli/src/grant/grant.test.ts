import { Annotation, ClusterSet, KnownCluster, RoleBinding, Secret, SecretKey, ServiceImport } from '@isthmus/api';
import type { VirtualCluster, VirtualFleet } from '@isthmus/fleet-sim';
import { clusterSetName, exportCart, leaderNamespace, leaderSecret, memberNamespace } from '@isthmus/fleet-sim';
import { readToken } from '@isthmus/controlplane';
import { describe, expect, it } from 'vitest';
import { apply, connected, fleetToJoin, joinFileFor, onLeader, ranges } from './testing/grant-fleet.ts';

const atLeader = ({ leader }: VirtualFleet, name: string) =>
  leader.server.admin.get(Secret, { namespace: leaderNamespace, name });
const secretOf = ({ server }: VirtualCluster) => server.admin.get(Secret, leaderSecret);
const tokenOf = (cluster: VirtualCluster) => {
  const { data = {} } = secretOf(cluster) ?? { data: {} };
  return atob(data[SecretKey.renewedToken] ?? data[SecretKey.token] ?? '');
};
const conditionOf = ({ server }: VirtualCluster, type: string) =>
  server.admin
    .get(ClusterSet, { namespace: memberNamespace, name: clusterSetName })
    ?.status?.conditions?.find((condition) => condition.type === type);
const readyMessage = (cluster: VirtualCluster) => conditionOf(cluster, 'Ready')?.message ?? '';

describe('a cluster that is granted', () => {
  it('joins with its file, has a token of 24 hours, and ends that of the file', async () => {
    await using fleet = await fleetToJoin();
    const east = fleet.cluster('east');
    const file = await joinFileFor(fleet, 'east');
    expect(fleet.leader.server.admin.get(KnownCluster, { namespace: leaderNamespace, name: 'east' })?.spec).toEqual({
      clusterID: 'east',
      origin: 'Granted',
      state: 'Accepted',
      pods: ['10.10.0.0/16'],
      services: ['10.96.0.0/12'],
    });
    await apply(fleet, east, file);
    await connected(fleet, east);
    await fleet.until('the token of the file has ended', () => atLeader(fleet, 'join-east') === undefined);
    await fleet.clock.advance(60_000);
    const facts = readToken(tokenOf(east));
    expect(facts?.secret?.name).toBe('member-east');
    expect((facts?.life?.untilS ?? 0) - (facts?.life?.fromS ?? 0)).toBe(86_400);
    expect(Object.keys(secretOf(east)?.metadata.annotations ?? {})).toEqual([Annotation.tokenReceived]);
    expect(conditionOf(east, 'Ready')?.status).toBe('True');
  });

  it('stays connected if its file is applied again', async () => {
    await using fleet = await fleetToJoin();
    const east = fleet.cluster('east');
    const file = await joinFileFor(fleet, 'east');
    await apply(fleet, east, file);
    await connected(fleet, east);
    await fleet.clock.advance(60_000);
    const before = tokenOf(east);
    await apply(fleet, east, file);
    await fleet.clock.advance(60_000);
    expect(tokenOf(east)).toBe(before);
    expect(conditionOf(east, 'Ready')?.status).toBe('True');
  });
});

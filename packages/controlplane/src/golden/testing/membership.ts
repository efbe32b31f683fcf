import { ClusterClaim, ClusterSet, MemberClusterAnnounce, Namespace, Secret } from '@isthmus/api';
import type { VirtualFleet } from '@isthmus/fleet-sim';
import {
  clusterSetName,
  exportCart,
  leaderNamespace,
  leaderSecret,
  memberNamespace,
  westPorts,
} from '@isthmus/fleet-sim';
import type { Scenario } from './record.ts';

const ref = { namespace: memberNamespace, name: clusterSetName };
const leaderRef = { namespace: leaderNamespace, name: clusterSetName };
const hour = 3_600_000;
/** Longer than any cluster ID may be. */
const longID = 'x'.repeat(64);

function putSecret(fleet: VirtualFleet, cluster: string, data: Readonly<Record<string, string>>): void {
  const encoded = Object.fromEntries(Object.entries(data).map(([key, text]) => [key, btoa(text)]));
  fleet.cluster(cluster).server.admin.put(Secret, { metadata: { ...leaderSecret }, data: encoded });
}

const claim = (name: string, value: string): ClusterClaim => ({
  metadata: { namespace: memberNamespace, name },
  value,
});

/** Joining, silence, errors and leaving, as ClusterSets, announcements and Events report them. */
export const membership: Scenario = {
  name: 'membership',
  fleet: { clusters: { north: 'leader', east: 'member', west: 'member', copy: 'member' }, join: false },
  chapters: [
    {
      title: 'west and the leader start where nobody has created a ClusterSet, and west exports',
      act(fleet) {
        fleet.leader.start();
        fleet.cluster('west').start();
        exportCart(fleet.cluster('west'), '10.20.1.5', westPorts);
      },
    },
    {
      title: 'ClusterSets are created, and west has no Secret',
      act(fleet) {
        fleet.join();
        fleet.cluster('west').server.admin.delete(Secret, leaderSecret);
      },
    },
    {
      title: 'the Secret has no certificate',
      act: (fleet) => putSecret(fleet, 'west', { token: 'wrong' }),
    },
    {
      title: 'the leader does not accept the token',
      act(fleet) {
        fleet.revoke('wrong');
        putSecret(fleet, 'west', { 'ca.crt': 'a certificate', token: 'wrong' });
      },
      forMs: 20_000,
    },
    {
      title: 'the token is right',
      act: (fleet) => putSecret(fleet, 'west', { 'ca.crt': 'a certificate', token: 'member-west' }),
    },
    {
      title: 'east joins, and imports',
      act(fleet) {
        fleet.cluster('east').server.admin.put(Namespace, { metadata: { name: 'shop' } });
        fleet.cluster('east').start();
      },
    },
    {
      title: 'a third cluster has an ID that cannot be one',
      act(fleet) {
        fleet.cluster('copy').server.admin.patch(ClusterSet, ref, { spec: { clusterID: 'Not An ID' } });
        fleet.cluster('copy').start();
      },
    },
    {
      title: 'and then the ID of west',
      act: (fleet) => fleet.cluster('copy').server.admin.patch(ClusterSet, ref, { spec: { clusterID: 'west' } }),
    },
    {
      title: 'and leaves, and is set up by claims of another ClusterSet',
      async act(fleet) {
        const { admin } = fleet.cluster('copy').server;
        const { leaders = [] } = admin.get(ClusterSet, ref)?.spec ?? {};
        admin.delete(ClusterSet, ref);
        await fleet.clock.advance(5_000);
        admin.put(ClusterClaim, claim('id.k8s.io', 'claimed'));
        admin.put(ClusterClaim, claim('clusterset.k8s.io', 'another'));
        admin.put(ClusterSet, { metadata: { ...ref }, spec: { leaders, namespace: leaderNamespace } });
      },
    },
    {
      title: 'west has a second ClusterSet, and another ID in the first',
      act(fleet) {
        const { admin } = fleet.cluster('west').server;
        const spec = admin.get(ClusterSet, ref)?.spec;
        admin.put(ClusterSet, { metadata: { ...ref, name: 'second' }, spec });
        admin.patch(ClusterSet, ref, { spec: { clusterID: 'west-new' } });
      },
    },
    {
      title: 'both are as before; people write announcements',
      act(fleet) {
        const { admin } = fleet.cluster('west').server;
        admin.delete(ClusterSet, { ...ref, name: 'second' });
        admin.patch(ClusterSet, ref, { spec: { clusterID: 'west' } });
        const announce = (name: string, clusterID: string, clusterSetID = clusterSetName) =>
          fleet.leader.server.admin.put(MemberClusterAnnounce, {
            metadata: { namespace: leaderNamespace, name },
            clusterID,
            clusterSetID,
            leaderClusterID: 'north',
          });
        announce('impostor', 'stranger');
        announce('member-announce-from-lost', 'lost', 'another');
        announce(`member-announce-from-${longID}`, longID);
      },
    },
    {
      title: 'west cannot reach the leader for a minute',
      act: (fleet) => fleet.link('west-member', 'north').cut('refuse'),
      forMs: 60_000,
    },
    { title: 'and then can', act: (fleet) => fleet.link('west-member', 'north').heal(), forMs: 30_000 },
    {
      title: 'the ClusterSet of the leader names another leader',
      act: (fleet) =>
        fleet.leader.server.admin.patch(ClusterSet, leaderRef, { spec: { leaders: [{ clusterID: 'south' }] } }),
    },
    {
      title: 'and then the right one, and a second ClusterSet',
      act(fleet) {
        const { admin } = fleet.leader.server;
        const { spec } = admin.patch(ClusterSet, leaderRef, { spec: { leaders: [{ clusterID: 'north' }] } });
        admin.put(ClusterSet, { metadata: { ...leaderRef, name: 'second' }, spec });
      },
    },
    {
      title: 'west leaves',
      act(fleet) {
        fleet.leader.server.admin.delete(ClusterSet, { ...leaderRef, name: 'second' });
        fleet.cluster('west').server.admin.delete(ClusterSet, ref);
      },
    },
    {
      title: 'east leaves while the leader does not answer',
      act(fleet) {
        fleet.link('east-member', 'north').cut('silence');
        fleet.cluster('east').server.admin.delete(ClusterSet, ref);
      },
      forMs: 30_000,
    },
    { title: 'and goes without it', forMs: 60_000 },
    {
      title: 'whoever is silent for a day is forgotten',
      act(fleet) {
        for (const cluster of fleet.clusters.slice(1)) cluster.kill();
      },
      forMs: 26 * hour,
    },
  ],
};

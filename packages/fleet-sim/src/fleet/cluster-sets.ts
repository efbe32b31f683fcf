import * as api from '@isthmus/api';
import type { Sandbox } from '@isthmus/sandbox';
import { clusterSetName, leaderSecret } from './fleet-names.ts';
import type { FleetPlan } from './fleet-plan.ts';

/** Creates the ClusterSet of the leader, and of each member with its token. */
export function createClusterSets(plan: FleetPlan, serverOf: (name: string) => Sandbox): void {
  for (const { name, role, isMember } of plan.clusters) {
    if (role.startsWith('leader')) createLeaderSet(serverOf(name), name, plan);
    if (isMember) createMemberSet(serverOf(name), name, plan);
  }
}

function createLeaderSet({ admin }: Sandbox, clusterID: string, { area }: FleetPlan): void {
  admin.put(api.Namespace, { metadata: { name: area } });
  admin.put(api.ClusterSet, {
    metadata: { name: clusterSetName, namespace: area },
    spec: { clusterID, leaders: [{ clusterID }], namespace: area },
  });
}

function createMemberSet({ admin }: Sandbox, clusterID: string, { area, home, leaderName }: FleetPlan): void {
  admin.put(api.Secret, {
    metadata: { name: leaderSecret.name, namespace: home },
    data: { 'ca.crt': base64('a certificate'), token: base64(`member-${clusterID}`) },
  });
  admin.put(api.ClusterSet, {
    metadata: { name: clusterSetName, namespace: home },
    spec: {
      clusterID,
      leaders: [{ clusterID: leaderName, server: `https://${leaderName}.test:6443`, secret: leaderSecret.name }],
      namespace: area,
    },
  });
}

/** Whether the ClusterSet of a member has the condition `Ready`. */
export function isReady({ admin }: Sandbox, home: string): boolean {
  const [clusterSet] = admin.list(api.ClusterSet, home);
  return (
    clusterSet?.status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') ===
    true
  );
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}

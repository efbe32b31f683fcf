import { FixedName } from '@isthmus/api';
import type { AuditedRequest, RealFleet } from '@isthmus/testkit';
import { readAuditLog } from '@isthmus/testkit';

/** The position in the audit log of each API server. */
export type AuditMark = ReadonlyMap<string, number>;

/** A kind of write and how often it was done, the most frequent first. */
export interface WriteCount {
  readonly cluster: string;
  readonly verb: string;
  readonly resource: string;
  readonly count: number;
}

export interface WritesSince {
  /** Accepted, without heartbeats. */
  readonly total: number;
  readonly counts: readonly WriteCount[];
  /** Answered with 409 or another refusal. */
  readonly refused: number;
  /** Leases and announcements: signs of life of a process. */
  readonly heartbeats: number;
  /** Reads: get and list, without watches. */
  readonly reads: number;
}

export function markAudit(fleet: RealFleet): AuditMark {
  return new Map(fleet.clusters.map(({ name, server }) => [name, readAuditLog(server.auditLogPath).length]));
}

/** The writes of the controllers since `mark`, in their own clusters and on the leader. */
export function writesSince(fleet: RealFleet, mark: AuditMark): WritesSince {
  const counts = new Map<string, WriteCount>();
  let [refused, heartbeats, reads] = [0, 0, 0];
  for (const { name: cluster, server } of fleet.clusters) {
    for (const request of readAuditLog(server.auditLogPath).slice(mark.get(cluster) ?? 0)) {
      if (!isController(request)) continue;
      const { verb, resource = '', subresource } = request;
      if (verb === 'get' || verb === 'list') reads++;
      if (!writeVerbs.has(verb)) continue;
      if (heartbeatResources.has(resource)) heartbeats++;
      else if (request.code >= 400) refused++;
      else {
        const what = subresource === undefined ? resource : `${resource}/${subresource}`;
        const key = `${cluster} ${verb} ${what}`;
        counts.set(key, { cluster, verb, resource: what, count: (counts.get(key)?.count ?? 0) + 1 });
      }
    }
  }
  const sorted = [...counts.values()].toSorted((a, b) => b.count - a.count);
  return { total: sorted.reduce((sum, { count }) => sum + count, 0), counts: sorted, refused, heartbeats, reads };
}

/**
 * Whether a controller of either make sent the request: as the controller's ServiceAccount of a
 * member, or as any ServiceAccount of the leader's Namespace, which includes the tokens of members.
 * The name of the program does not count, because a bench runs files of any name.
 */
export function isController({ user }: Pick<AuditedRequest, 'user'>): boolean {
  const { leaderNamespace, memberNamespace, controllerServiceAccount } = FixedName;
  return (
    user.startsWith(`system:serviceaccount:${leaderNamespace}:`) ||
    user === `system:serviceaccount:${memberNamespace}:${controllerServiceAccount}`
  );
}

const writeVerbs: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);
const heartbeatResources: ReadonlySet<string> = new Set(['leases', 'memberclusterannounces']);

// Row idle of docs/benchmarks.md: what a fleet asks API servers for while nothing changes.
import { FixedName, Node } from '@isthmus/api';
import { createVirtualFleet } from '@isthmus/fleet-sim';
import type { VirtualFleet } from '@isthmus/fleet-sim';
import { controllerAdmissionObjects, roles } from '@isthmus/install';
import { defaultLeaseTimes } from '@isthmus/kube';
import type { KubernetesObject, ResourceType } from '@isthmus/machinery';
import type { Figure } from '../report.ts';

const members = 20;
const minutes = 10;
/** A third of what it was before anything was watched that is polled: 860, and 630 for Leases. */
const mostPerMinute = 497;

/**
 * Counts the requests of the controllers of a fleet in virtual time, so the figure is exact. There,
 * no process renews a Lease: these renewals are added.
 */
export async function measureIdle(note: (figure: Figure) => void): Promise<void> {
  const names = Array.from({ length: members }, (_, index) => [`m-${index + 1}`, 'member'] as const);
  await using fleet = await createVirtualFleet({
    clusters: { north: 'leader', ...Object.fromEntries(names) },
    endpointIPType: 'PodIP',
  });
  install(fleet);
  await fleet.clock.advance(minutes * 60_000);
  const from = fleet.clusters.map(({ server }) => server.requestLog().length);
  await fleet.clock.advance(minutes * 60_000);
  const counts = new Map<string, number>();
  for (const [index, { server }] of fleet.clusters.entries())
    for (const line of server.requestLog().slice(from[index])) {
      const [, user = '', method = '', path = ''] = line.split(' ');
      if (!user.startsWith('system:serviceaccount:')) continue;
      const [resource = ''] = path.split('?');
      const kind = path.includes('watch=true')
        ? 'watches'
        : `${method} ${resource.split('/').findLast(isPlural) ?? ''}`;
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
    }
  counts.set('PUT leases', (fleet.clusters.length * minutes * 60_000) / defaultLeaseTimes.renewPeriodMs);
  const perMinute = [...counts.values()].reduce((sum, count) => sum + count, 0) / minutes;
  note({
    row: 'idle',
    what: `requests a minute of ${members} members at rest and their leader`,
    value: perMinute.toFixed(0),
    goal: `at most ${mostPerMinute}`,
    met: perMinute <= mostPerMinute,
    data: Object.fromEntries([...counts].toSorted(([, a], [, b]) => b - a)),
  });
}

const isPlural = (part: string) => /^[a-z]+s$/.test(part) && !['apis', 'namespaces'].includes(part);

/** What manifests add to the Roles of a virtual fleet, and the address that real Nodes have. */
function install(fleet: VirtualFleet): void {
  for (const { server, name } of fleet.clusters) {
    const { admin } = server;
    const role = name === fleet.leader.name ? 'leader' : 'member';
    const namespace = role === 'leader' ? FixedName.leaderNamespace : FixedName.memberNamespace;
    for (const object of controllerAdmissionObjects(roles[role].admission, namespace))
      admin.put(typeOf(object), object);
    for (const node of admin.list(Node))
      admin.patch(Node, node.metadata, { status: { addresses: [{ type: 'InternalIP', address: '192.0.2.1' }] } });
  }
}

function typeOf({ apiVersion = '', kind = '' }: KubernetesObject): ResourceType {
  const [group = '', version = ''] = apiVersion.split('/');
  const plural = kind.endsWith('y') ? `${kind.slice(0, -1)}ies` : `${kind}s`;
  return { group, version, kind, plural: plural.toLowerCase(), namespaced: false };
}

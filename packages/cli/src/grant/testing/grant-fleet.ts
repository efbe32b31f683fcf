import { ClusterSet } from '@isthmus/api';
import type { VirtualCluster, VirtualFleet, VirtualFleetOptions } from '@isthmus/fleet-sim';
import {
  clusterAdmin,
  clusterSetCondition,
  clusterSetName,
  createVirtualFleet,
  leaderNamespace,
} from '@isthmus/fleet-sim';
import { createClient } from '@isthmus/kube';
import type { KubernetesObject } from '@isthmus/machinery';
import { parseYaml } from '@isthmus/machinery';
import { runCli } from '../../run-cli.ts';
import { inVirtualTime } from '../../testing/in-virtual-time.ts';
import { madeUpIo } from '../../testing/made-up-io.ts';

const kubeconfig = JSON.stringify({
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'it',
  clusters: [
    {
      name: 'it',
      cluster: {
        server: 'https://north.test:6443',
        'certificate-authority-data': btoa('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'),
      },
    },
  ],
  users: [{ name: 'it', user: { token: 'a token' } }],
  contexts: [{ name: 'it', context: { cluster: 'it', user: 'it' } }],
});

/** A leader with its ClusterSet, and members that have not joined, with their controllers. */
export async function fleetToJoin(options: Partial<VirtualFleetOptions> = {}): Promise<VirtualFleet> {
  const clusters = { north: 'leader', east: 'member', west: 'member' } as const;
  const fleet = await createVirtualFleet({ clusters, ...options, join: false });
  fleet.leader.server.admin.put(ClusterSet, {
    metadata: { name: clusterSetName, namespace: leaderNamespace },
    spec: { clusterID: 'north', namespace: leaderNamespace, leaders: [{ clusterID: 'north' }] },
  });
  for (const cluster of fleet.clusters) cluster.start();
  await fleet.clock.settle();
  return fleet;
}

/** Runs a command on the leader. The file is the one that it wrote. */
export function onLeader(fleet: VirtualFleet, line: string) {
  return runOn(fleet, fleet.leader, line);
}

/** Runs a command on a cluster. */
export async function runOn(fleet: VirtualFleet, { server }: VirtualCluster, line: string) {
  const transport = server.transport(clusterAdmin);
  const io = madeUpIo({ clock: fleet.clock, transport, files: { kubeconfig } });
  const code = await inVirtualTime(
    fleet.clock,
    runCli(io, [...line.split(' ').filter((word) => word !== ''), '--kubeconfig', 'kubeconfig']),
  );
  return { code, out: io.out, err: io.err, file: io.files.get('file.yaml') ?? '' };
}

/** Flags with ranges for a cluster that is not known. */
export const ranges = '--pods 10.10.0.0/16 --services 10.96.0.0/12';

/** A join file for a cluster that is not known yet. */
export async function joinFileFor(fleet: VirtualFleet, clusterID: string, more = ranges): Promise<string> {
  const { code, err, file } = await onLeader(fleet, `grant ${clusterID} ${more} -o file.yaml`);
  if (code !== 0) throw new Error(err);
  return file;
}

/** Applies a file as `kubectl apply` does: what it does not name stays. */
export async function apply({ clock }: VirtualFleet, cluster: VirtualCluster, text: string): Promise<void> {
  const client = createClient({ transport: cluster.server.transport(clusterAdmin), clock });
  for (const { metadata, ...rest } of objectsIn(text)) {
    const body = { metadata, ...rest };
    const patch = { type: 'apply', body, fieldManager: 'kubectl', force: true } as const;
    await inVirtualTime(clock, client.patch(typeOf(rest), metadata, patch));
  }
}

/** Errors: throws if it is not valid YAML. */
function objectsIn(text: string): readonly KubernetesObject[] {
  return parseYaml(text, { source: 'file.yaml' }).flatMap(({ value }) =>
    value === undefined || value === null ? [] : [value as KubernetesObject],
  );
}

function typeOf({ apiVersion = '', kind = '' }: Partial<KubernetesObject>) {
  const [version = '', group = ''] = apiVersion.split('/').toReversed();
  return { group, version, kind, plural: `${kind.toLowerCase()}s`, namespaced: true };
}

/** Waits until a member is connected. */
export async function connected(fleet: VirtualFleet, cluster: VirtualCluster, limitMs?: number): Promise<void> {
  await fleet.until(`${cluster.name} is connected`, () => clusterSetCondition(cluster) === 'True Connected', limitMs);
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FixedName } from '@isthmus/api';
import type { ClusterUser } from './release-on-nodes.ts';
import { controller } from './release-on-nodes.ts';
import { repositoryVersion } from '../../generate/repository-version.ts';

const { leaderNamespace, memberNamespace } = FixedName;

export interface InstallOptions {
  readonly leader: ClusterUser;
  readonly members: readonly ClusterUser[];
  /** The folder of the release. */
  readonly dist: string;
  readonly endpointIPType: 'PodIP' | 'ClusterIP';
  /** Which of the Pod CIDRs of a cluster its member announces. Default: all. */
  readonly announces?: ((cidr: string) => boolean) | undefined;
}

/**
 * Installs a release with agents from its manifests and images, as docs/guides/agent.md describes it: the first Node of each member is a gateway.
 * Resolves when the controllers and agents are rolled out. Errors: what kubectl or containerd wrote.
 */
export async function installWithAgents(options: InstallOptions): Promise<void> {
  const { leader, members, dist, endpointIPType, announces = () => true } = options;
  const manifest = (name: string) => readFileSync(join(dist, 'manifests', name), 'utf8');
  const archive = (image: string) => join(dist, `isthmus-${image}-${repositoryVersion()}.oci.tar`);
  for (const { cluster } of [leader, ...members])
    for (const node of cluster.nodes) await node.importImages(archive('controller'));
  for (const { cluster } of members) for (const node of cluster.nodes) await node.importImages(archive('agent'));

  await leader.kubectl(['create', 'namespace', leaderNamespace]);
  await leader.kubectl(['apply', '-f', '-'], manifest('leader.yaml'));
  for (const { cluster, kubectl } of members) {
    const podCIDRs = cluster.layout.clusterCIDRs.filter(announces);
    const member = manifest('member.yaml')
      .replace('endpointIPType: ClusterIP', `endpointIPType: ${endpointIPType}`)
      .replace('\n    podCIDRs: []', `\n    podCIDRs: ${JSON.stringify(podCIDRs)}`);
    if (!member.includes('podCIDRs: ["')) throw new Error('installing a member: member.yaml has no empty podCIDRs');
    await kubectl(['apply', '-f', '-'], member);
    await kubectl(['apply', '-f', '-'], manifest('agent.yaml'));
    const [gateway] = cluster.nodes;
    await kubectl(['annotate', 'node', gateway?.layout.name ?? '', 'multicluster.antrea.io/gateway=true']);
  }
  await leader.rolledOut(`deployment/${controller}`, leaderNamespace);
  for (const member of members)
    for (const workload of [`deployment/${controller}`, 'daemonset/isthmus-agent'])
      await member.rolledOut(workload, memberNamespace);
}

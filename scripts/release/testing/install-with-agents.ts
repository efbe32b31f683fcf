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
  /** From which clusters with the same Pod CIDRs get virtual ones. Default: none. */
  readonly virtualPodCIDRs?: readonly string[] | undefined;
  /**
   * Installs the agents of a member, and makes a Node its gateway. Default: by agent.yaml and the
   * annotation.
   */
  readonly installAgents?: ((member: ClusterUser, gateway: string) => Promise<void>) | undefined;
}

/**
 * Installs a release with agents from its manifests and images: the first Node of each member is a
 * gateway. Resolves when the controllers are rolled out, and `installAgents` has ended for each
 * member. Errors: what kubectl or containerd wrote.
 */
export async function installWithAgents(options: InstallOptions): Promise<void> {
  const {
    leader,
    members,
    dist,
    endpointIPType,
    announces = () => true,
    virtualPodCIDRs = [],
    installAgents = byManifest,
  } = options;
  const manifest = (name: string) => readFileSync(join(dist, 'manifests', name), 'utf8');
  const archive = (image: string) => join(dist, `isthmus-${image}-${repositoryVersion()}.oci.tar`);
  // A cluster that is both a leader and a member gets them once.
  const all = new Map([leader, ...members].map((user) => [user.cluster.layout.name, user]));
  const images = (name: string) => [
    'controller',
    ...(members.some(({ cluster }) => cluster.layout.name === name) ? ['agent'] : []),
  ];
  await Promise.all(
    [...all].flatMap(([name, { cluster }]) =>
      cluster.nodes.map(async (node) => {
        for (const image of images(name)) await node.importImages(archive(image));
      }),
    ),
  );

  await leader.kubectl(['create', 'namespace', leaderNamespace]);
  await leader.kubectl(['apply', '-f', '-'], configured(manifest('leader.yaml'), { endpointIPType, virtualPodCIDRs }));
  await Promise.all(members.map((member) => installMember(member)));
  await leader.rolledOut(`deployment/${controller}`, leaderNamespace);
  for (const member of members)
    for (const workload of [`deployment/${controller}`, 'daemonset/isthmus-agent'])
      await member.rolledOut(workload, memberNamespace);

  async function installMember(member: ClusterUser): Promise<void> {
    const { cluster, kubectl } = member;
    const podCIDRs = cluster.layout.clusterCIDRs.filter(announces);
    await kubectl(['apply', '-f', '-'], configured(manifest('member.yaml'), { endpointIPType, podCIDRs }));
    await installAgents(member, cluster.nodes[0]?.layout.name ?? '');
  }

  async function byManifest({ kubectl }: ClusterUser, gateway: string): Promise<void> {
    await kubectl(['apply', '-f', '-'], manifest('agent.yaml'));
    await kubectl(['annotate', 'node', gateway, 'multicluster.antrea.io/gateway=true']);
  }
}

/**
 * A manifest with other settings in the configuration of its controller. Errors: it has not such a
 * setting.
 */
function configured(manifest: string, settings: Readonly<Record<string, string | readonly string[]>>): string {
  return Object.entries(settings).reduce((text, [name, value]) => {
    const line = new RegExp(`\\n    ${name}: .*`);
    if (!line.test(text)) throw new Error(`installing a controller: its manifest has no setting ${name}`);
    return text.replace(line, () => `\n    ${name}: ${JSON.stringify(value)}`);
  }, manifest);
}

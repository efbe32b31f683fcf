import { readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { FixedName } from '@isthmus/api';
import { findBinaries, startTestbed } from '@isthmus/testkit';
import { programImage } from '../release/image/program-image.ts';
import { installWithAgents } from '../release/testing/install-with-agents.ts';
import { joinMembers } from '../release/testing/join-members.ts';
import type { ClusterUser } from '../release/testing/release-on-nodes.ts';
import { userIn } from '../release/testing/release-on-nodes.ts';
import { clusterDns } from './cluster-dns.ts';
import type { Members } from './members.ts';
import { members } from './members.ts';
import { suiteImages } from './suite-images.ts';

const { memberNamespace } = FixedName;

/** How the clusters are to be. */
export interface MembersOnNodesOptions {
  /** The folder of a release. */
  readonly dist: string;
  readonly endpointIPType: 'PodIP' | 'ClusterIP';
  /** For files. */
  readonly directory: string;
  /** Called with each step as it begins. */
  readonly say: (line: string) => void;
}

/**
 * Members with two real Nodes each, on which a release is installed as its guides describe:
 * controllers, agents and DNS servers from their manifests and images, a CoreDNS that forwards to
 * them, and a leader. The Pods of different clusters have no routes to each other, so agents carry
 * all packets.
 *
 * Errors: those of `missingForNodes`, and the output of kubectl.
 */
export async function startMembersOnNodes(options: MembersOnNodesOptions): Promise<Members> {
  const { dist, endpointIPType, directory, say } = options;
  const installAgents = async (member: ClusterUser, gateway: string) => {
    await member.kubectl(['apply', '-f', '-'], readFileSync(join(dist, 'manifests/agent.yaml'), 'utf8'));
    await member.kubectl(['annotate', 'node', gateway, 'multicluster.antrea.io/gateway=true']);
    await member.rolledOut('daemonset/isthmus-agent', memberNamespace);
  };
  await using stack = new AsyncDisposableStack();
  const nodes = Object.fromEntries(members.map((name) => [name, { nodes: 2 }]));
  const testbed = stack.use(await startTestbed({ clusters: { north: { nodes: 1 }, ...nodes }, say }));
  const leader = userIn(testbed, 'north');
  const joining = members.map((name) => userIn(testbed, name));

  say('import the images of the suite');
  for (const { file, archive } of [
    ...suiteImages(process.env['PATH'] ?? ''),
    { file: 'coredns.tar', archive: programImage('coredns', readFileSync(findBinaries(process.env).coredns)) },
  ]) {
    const path = join(directory, file);
    writeFileSync(path, archive);
    for (const { cluster } of joining) for (const node of cluster.nodes) await node.importImages(path);
  }
  say('install the leader and the members');
  await installWithAgents({ leader, members: joining, dist, endpointIPType, installAgents });
  await joinMembers(leader, joining);
  say('install the DNS servers');
  for (const member of joining) await installDns(member, dist);
  const kubeconfig = joining.map((member) => member.kubeconfig).join(delimiter);
  const owned = stack.move();
  return { kubeconfig, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function installDns(member: ClusterUser, dist: string): Promise<void> {
  await member.kubectl(['apply', '-f', '-'], readFileSync(join(dist, 'manifests/dns.yaml'), 'utf8'));
  const service = ['get', 'service', 'isthmus-dns', '-n', memberNamespace, '-o', 'jsonpath={.spec.clusterIP}'];
  const forwardTo = await member.kubectl(service);
  const { dnsAddress } = member.cluster.layout;
  await member.apply(...clusterDns({ namespace: memberNamespace, clusterIP: dnsAddress, forwardTo }));
  for (const deployment of ['isthmus-dns', 'coredns'])
    await member.rolledOut(`deployment/${deployment}`, memberNamespace);
}

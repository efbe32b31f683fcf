import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { FixedName } from '@isthmus/api';
import type { Testbed, TestbedCluster } from '@isthmus/testkit';
import { findBinaries, startTestbed } from '@isthmus/testkit';
import { clusterDns } from './cluster-dns.ts';
import type { Members } from './members.ts';
import { members } from './members.ts';
import { programImage } from '../release/image/program-image.ts';
import { suiteImages } from './suite-images.ts';

const { leaderNamespace, memberNamespace } = FixedName;
const patience = '--timeout=600s';

/** How the clusters are to be. */
export interface MembersOnNodesOptions {
  /** What `npm run build` has made, and the version of it. */
  readonly dist: string;
  readonly version: string;
  readonly endpointIPType: 'PodIP' | 'ClusterIP';
  /** For files. */
  readonly directory: string;
  readonly say: (line: string) => void;
}

/**
 * Members with two real Nodes each, on which a release is installed as its guides say: controllers, agents and DNS servers from their manifests and
 * images, a CoreDNS that forwards to them, and a leader. The Pods of different clusters have no routes to each other, so agents carry all packets.
 *
 * Errors: what `missingForNodes` says; what kubectl writes.
 */
export async function startMembersOnNodes(options: MembersOnNodesOptions): Promise<Members> {
  const { dist, version, directory, say } = options;
  await using stack = new AsyncDisposableStack();
  const nodes = Object.fromEntries(members.map((name) => [name, { nodes: 2 }]));
  const testbed = stack.use(await startTestbed({ clusters: { north: { nodes: 1 }, ...nodes }, say }));
  const install = installer(testbed, (name) => readFileSync(join(dist, 'manifests', name), 'utf8'));

  say('import images');
  const release = (image: string) => join(dist, `isthmus-${image}-${version}.oci.tar`);
  const own = [
    ...suiteImages(process.env['PATH'] ?? ''),
    { file: 'coredns.tar', archive: programImage('coredns', readFileSync(findBinaries(process.env).coredns)) },
  ].map(({ file, archive }) => {
    const path = join(directory, file);
    writeFileSync(path, archive);
    return path;
  });
  for (const [name, { nodes: each }] of Object.entries(testbed.clusters))
    for (const node of each)
      for (const archive of [release('controller'), ...(name === 'north' ? [] : [release('agent'), ...own])])
        await node.importImages(archive);

  say('install the leader and the members');
  await install.leader();
  await Promise.all(members.map((name) => install.member(name, options.endpointIPType)));
  say('install the DNS servers');
  await Promise.all(members.map((name) => install.dns(name)));
  const kubeconfig = members.map((name) => install.cluster(name).server.kubeconfigPath).join(delimiter);
  const owned = stack.move();
  return { kubeconfig, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** The steps of the guides of installation, in the clusters of a test bed. */
function installer(testbed: Testbed, manifest: (name: string) => string) {
  const cluster = (name: string): TestbedCluster => {
    const found = testbed.clusters[name];
    if (found === undefined) throw new Error(`no cluster ${name}`);
    return found;
  };
  const kubectl = (name: string, args: readonly string[], input?: string) =>
    runKubectl(['--kubeconfig', cluster(name).server.kubeconfigPath, ...args], input);
  const apply = (name: string, text: string) => kubectl(name, ['apply', '-f', '-'], text);
  const applyObjects = (name: string, ...items: readonly object[]) =>
    apply(name, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  const rolledOut = (name: string, workload: string, namespace: string) =>
    kubectl(name, ['rollout', 'status', workload, '-n', namespace, patience]);
  const clusterSet = (namespace: string, spec: object) => ({
    apiVersion: 'multicluster.crd.antrea.io/v1alpha2',
    kind: 'ClusterSet',
    metadata: { name: 'fleet', namespace },
    spec: { namespace: leaderNamespace, ...spec },
  });

  /** A token of the leader for a member. */
  const credential = async (member: string) => {
    const metadata = { name: `member-${member}`, namespace: leaderNamespace };
    await applyObjects(
      'north',
      {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { ...metadata, annotations: { 'multicluster.antrea.io/cluster-id': member } },
      },
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata,
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'antrea-mc-member-cluster-role' },
        subjects: [{ kind: 'ServiceAccount', name: metadata.name, namespace: leaderNamespace }],
      },
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { ...metadata, annotations: { 'kubernetes.io/service-account.name': metadata.name } },
        type: 'kubernetes.io/service-account-token',
      },
    );
    const secret = ['-n', leaderNamespace, `secret/${metadata.name}`];
    await kubectl('north', ['wait', ...secret, '--for=jsonpath={.data.token}', patience]);
    const { data } = JSON.parse(await kubectl('north', ['get', ...secret, '-o', 'json'])) as {
      readonly data: Readonly<Record<string, string>>;
    };
    return { 'ca.crt': data['ca.crt'], token: data['token'] };
  };

  return {
    cluster,
    async leader() {
      await kubectl('north', ['create', 'namespace', leaderNamespace]);
      await apply('north', manifest('leader.yaml'));
      await rolledOut('north', 'deployment/antrea-mc-controller', leaderNamespace);
      await applyObjects(
        'north',
        clusterSet(leaderNamespace, { clusterID: 'north', leaders: [{ clusterID: 'north' }] }),
      );
    },
    async member(name: string, endpointIPType: MembersOnNodesOptions['endpointIPType']) {
      const { layout, nodes } = cluster(name);
      const configured = manifest('member.yaml')
        .replace('endpointIPType: ClusterIP', `endpointIPType: ${endpointIPType}`)
        .replace('\n    podCIDRs: []', `\n    podCIDRs: ${JSON.stringify(layout.clusterCIDRs)}`);
      if (!configured.includes('podCIDRs: ["')) throw new Error('member.yaml has no empty list of podCIDRs');
      await apply(name, configured);
      await apply(name, manifest('agent.yaml'));
      await kubectl(name, ['annotate', 'node', nodes[0]?.layout.name ?? '', 'multicluster.antrea.io/gateway=true']);
      const { layout: leader, server } = cluster('north');
      const secret = {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'leader-token', namespace: memberNamespace },
        data: await credential(name),
      };
      const url = `https://${leader.address}:${new URL(server.url).port}`;
      const leaders = [{ clusterID: 'north', server: url, secret: 'leader-token' }];
      await applyObjects(name, secret, clusterSet(memberNamespace, { clusterID: name, leaders }));
      await rolledOut(name, 'daemonset/isthmus-agent', memberNamespace);
      await kubectl(name, ['wait', 'clusterset/fleet', '-n', memberNamespace, '--for=condition=Ready', patience]);
    },
    async dns(name: string) {
      await apply(name, manifest('dns.yaml'));
      const service = ['get', 'service', 'isthmus-dns', '-n', memberNamespace, '-o', 'jsonpath={.spec.clusterIP}'];
      const forwardTo = await kubectl(name, service);
      await applyObjects(
        name,
        ...clusterDns({ namespace: memberNamespace, clusterIP: cluster(name).layout.dnsAddress, forwardTo }),
      );
      for (const deployment of ['isthmus-dns', 'coredns'])
        await rolledOut(name, `deployment/${deployment}`, memberNamespace);
    },
  };
}

/** Errors: what kubectl wrote. */
function runKubectl(args: readonly string[], input?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(findBinaries(process.env).kubectl, args, { maxBuffer: 2 ** 28 }, (error, out, err) => {
      if (error === null) resolve(out);
      else reject(new Error(`kubectl ${args.slice(2).join(' ')}: ${err.trim()}`));
    });
    child.stdin?.end(input);
  });
}

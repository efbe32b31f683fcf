import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Annotation, FixedName, Label, parseVirtualPodCIDRs } from '@isthmus/api';
import type { Host, Probe, TestbedNode } from '@isthmus/testkit';
import { askFrom, startTestbed } from '@isthmus/testkit';
import { hostOfPod } from '../release/testing/calls.ts';
import { installWithAgents } from '../release/testing/install-with-agents.ts';
import { joinMembers } from '../release/testing/join-members.ts';
import type { ClusterUser } from '../release/testing/release-on-nodes.ts';
import { controller, userIn } from '../release/testing/release-on-nodes.ts';
import type { VirtualPodCIDR } from '@isthmus/api';
import type { Addresses, Combination, End, EndpointIPType, MatrixNetwork } from './combinations.ts';
import { combinationsOf, endName, endsOf, expectedAnswers, nodeKey, places, podAddress } from './combinations.ts';
import type { Configuration, Outcome } from './report.ts';
import { failureLines } from './report.ts';

const { leaderNamespace, memberNamespace } = FixedName;
const namespace = 'matrix';
const image = 'localhost/isthmus-packets:1';
const podPort = 8080;
const servicePort = 80;
/** East and west have the same Pod CIDRs; north, which is also the leader, has others. */
const podNetworks = { north: undefined, east: '10.77', west: '10.77' } as const;
const names = Object.keys(podNetworks);
const virtualPodCIDRs = ['100.64.0.0/10', 'fd64::/32'];

type KubeProxy = 'nftables' | 'iptables';

export interface MatrixClustersOptions {
  /** The folder of a release. */
  readonly dist: string;
  /** The mode of kube-proxy by cluster. */
  readonly kubeProxy: Readonly<Record<string, KubeProxy>>;
  readonly endpointIPType: EndpointIPType;
  readonly say: (line: string) => void;
}

/**
 * Three clusters of two real Nodes each, the first one a gateway, that have joined one ClusterSet,
 * with servers on all Nodes.
 */
export interface MatrixClusters extends AsyncDisposable {
  readonly members: readonly ClusterUser[];
  /**
   * Changes how packets get from one cluster to another; resolves when all controllers and agents
   * are rolled out.
   */
  configure(next: Partial<Omit<Configuration, 'kubeProxy'>>): Promise<void>;
  /**
   * Sends the packets of all combinations once. Resolves to none where the clusters do not know all
   * addresses yet.
   */
  send(): Promise<readonly Outcome[]>;
  /**
   * Sends them until all come back or no more of them do, and then once more: only the last time
   * counts.
   */
  measure(): Promise<readonly Outcome[]>;
}

/** Errors: those of `missingForNodes`, and the output of kubectl and containerd. */
export async function startMatrixClusters(options: MatrixClustersOptions): Promise<MatrixClusters> {
  const { dist, kubeProxy, say } = options;
  await using stack = new AsyncDisposableStack();
  const testbed = stack.use(
    await startTestbed({
      clusters: Object.fromEntries(
        Object.entries(podNetworks).map(([name, podNetwork]) => [
          name,
          { nodes: places.length, podNetwork, kubeProxy: kubeProxy[name] },
        ]),
      ),
      say,
    }),
  );
  const members = names.map((name) => userIn(testbed, name));
  const [leader] = members;
  if (leader === undefined) throw new Error('the matrix has no leader');
  const nodeOf = ({ cluster, place }: Pick<End, 'cluster' | 'place'>) =>
    userIn(testbed, cluster).node(`${cluster}-${places.indexOf(place) + 1}`);

  say('Installing the leader, the members and the agents');
  await installWithAgents({ leader, members, dist, endpointIPType: options.endpointIPType, virtualPodCIDRs });
  await joinMembers(leader, members);
  say('Starting the servers');
  const ends = endsOf(names);
  await Promise.all(
    members.map((member) => {
      const own = ends.filter(({ cluster }) => cluster === member.cluster.layout.name);
      return member.apply(...workload(own, (end) => nodeOf(end).layout.name));
    }),
  );
  for (const member of members)
    await member.kubectl(['wait', 'pods', '--all', '-n', namespace, '--for=condition=Ready', '--timeout=900s']);

  let { endpointIPType } = options;
  let masquerades: Configuration['masquerades'] = 'own';
  let isEncrypted = false;
  const pods = new Map<string, Addresses>();
  for (const member of members) for (const [name, addresses] of await podsIn(member)) pods.set(name, addresses);
  const hostOf = (end: End): Host => {
    const node = nodeOf(end);
    return end.network === 'Node' ? node : hostOfPod(node, pods.get(endName(end))?.IPv4 ?? '');
  };

  const send = async (waitMs = longMs): Promise<readonly Outcome[]> => {
    const combinations = combinationsOf(names, endpointIPType);
    const network = { pods, nodes: nodesOf(nodeOf), virtual: await virtualIn(members) };
    const imports = new Map(
      await Promise.all(members.map(async (member) => [member.cluster.layout.name, await importsIn(member)] as const)),
    );
    const outcomes = await Promise.all(
      ends.map(async (client) => {
        const own = combinations.filter((one) => endName(one.client) === endName(client));
        return sendFrom(hostOf(client), own, { network, imports: imports.get(client.cluster), waitMs });
      }),
    );
    return outcomes.flat();
  };

  const owner = stack.move();
  return {
    members,
    send: () => send(),
    async measure() {
      let fewest = Number.POSITIVE_INFINITY;
      for (let inVain = 0; inVain < patience; inVain++) {
        const failures = failureLines(await send(shortMs));
        if (failures.length === 0) break;
        say(`${failures.length} do not come back yet, such as ${failures[0]}`);
        if (failures.length < fewest) inVain = 0;
        fewest = Math.min(fewest, failures.length);
        await delay(pauseMs);
      }
      return send();
    },
    async configure(next) {
      if (next.endpointIPType !== undefined && next.endpointIPType !== endpointIPType) {
        say(`Exporting ${next.endpointIPType}`);
        ({ endpointIPType } = next);
        await Promise.all(members.map((member) => setEndpointIPType(member, memberNamespace, endpointIPType)));
        await setEndpointIPType(leader, leaderNamespace, endpointIPType);
      }
      if (next.encryption === 'wireGuard' && !isEncrypted) {
        say('Turning encryption on');
        isEncrypted = true;
        await Promise.all(members.map((member) => encrypt(member, nodeOf, dist)));
      }
      if (next.masquerades !== undefined && next.masquerades !== masquerades) {
        say(`The CNI masquerades on ${next.masquerades === 'all' ? 'all devices' : 'the device of the Node'}`);
        ({ masquerades } = next);
        for (const { cluster } of members)
          for (const node of cluster.nodes) await setMasquerade(node, cluster.layout.clusterCIDRs, masquerades);
      }
    },
    [Symbol.asyncDispose]: () => owner[Symbol.asyncDispose](),
  };
}

/**
 * How often all is sent without an answer more than before, and how long it is waited in between:
 * controllers and agents learn of changes.
 */
const patience = 12;
const pauseMs = 2_000;

const metadataOf = (name: string) => ({ name, namespace });

/** The servers, and the Services and exports of each. */
function workload(ends: readonly End[], nodeName: (end: End) => string): readonly object[] {
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    ...ends.flatMap((end) => [pod(end, nodeName(end)), ...services(end)]),
  ];
}

function pod(end: End, nodeName: string): object {
  const name = endName(end);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...metadataOf(name), labels: { server: name } },
    spec: {
      nodeName,
      hostNetwork: end.network === 'Node',
      terminationGracePeriodSeconds: 0,
      containers: [
        {
          name: 'server',
          image,
          args: ['serve', name, String(podPort)],
          readinessProbe: { tcpSocket: { port: podPort }, timeoutSeconds: 30, periodSeconds: 1 },
          // For raw sockets, over which it speaks SCTP.
          securityContext: { runAsUser: 0, capabilities: { drop: ['ALL'], add: ['NET_RAW'] } },
        },
      ],
    },
  };
}

function services(end: End): readonly object[] {
  const name = endName(end);
  const ports = (port: number) =>
    (['TCP', 'UDP', 'SCTP'] as const).map((protocol) => ({
      name: protocol.toLowerCase(),
      protocol,
      port,
      targetPort: podPort,
    }));
  const service = (serviceName: string, spec: object) => [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: metadataOf(serviceName),
      spec: { selector: { server: name }, ...spec },
    },
    { apiVersion: 'multicluster.x-k8s.io/v1beta1', kind: 'ServiceExport', metadata: metadataOf(serviceName) },
  ];
  // Clusters announce one Service CIDR.
  if (end.network === 'Node') return service(name, { ports: ports(servicePort) });
  const both = { ipFamilyPolicy: 'RequireDualStack' };
  return [
    ...service(name, { ...both, ports: ports(servicePort) }),
    ...service(headlessName(end), { ...both, ports: ports(podPort), clusterIP: 'None' }),
  ];
}

const headlessName = (end: End) => `${endName(end)}-headless`;

async function listIn<T>({ kubectl }: ClusterUser, kind: string, inNamespace = namespace): Promise<readonly T[]> {
  const text = await kubectl(['get', kind, '-n', inNamespace, '-o', 'json']);
  return (JSON.parse(text) as { readonly items: readonly T[] }).items;
}

const byFamily = (addresses: readonly string[]): Addresses => ({
  IPv4: addresses.find((address) => !address.includes(':')) ?? '',
  IPv6: addresses.find((address) => address.includes(':')) ?? '',
});

async function podsIn(member: ClusterUser): Promise<readonly (readonly [string, Addresses])[]> {
  const pods = await listIn<{
    readonly metadata: { readonly name: string };
    readonly status: { readonly podIPs?: readonly { readonly ip: string }[] };
  }>(member, 'pods');
  return pods.map(({ metadata, status: { podIPs = [] } }) => [metadata.name, byFamily(podIPs.map(({ ip }) => ip))]);
}

function nodesOf(nodeOf: (end: Pick<End, 'cluster' | 'place'>) => TestbedNode): MatrixNetwork['nodes'] {
  const first = (cidr: string) => cidr.replace(/\/\d+$/, '');
  return new Map(
    names.flatMap((cluster) =>
      places.map((place) => {
        const { address, address6, podCIDR, podCIDR6 } = nodeOf({ cluster, place }).layout;
        const own = { IPv4: address, IPv6: address6 };
        const network = { IPv4: first(podCIDR), IPv6: first(podCIDR6) };
        const bridge = { IPv4: network.IPv4.replace(/0$/, '1'), IPv6: `${network.IPv6}1` };
        return [nodeKey({ cluster, place }), { own, first: network, bridge }] as const;
      }),
    ),
  );
}

/** The virtual ranges that the leader has given to each cluster. */
async function virtualIn(members: readonly ClusterUser[]): Promise<ReadonlyMap<string, readonly VirtualPodCIDR[]>> {
  const ranges = members.map(async (member) => {
    type Annotated = { readonly metadata: { readonly annotations?: Readonly<Record<string, string>> } };
    const [set] = await listIn<Annotated>(member, 'clustersets.multicluster.crd.antrea.io', memberNamespace);
    const text = set?.metadata.annotations?.[Annotation.virtualPodCIDRs];
    return [member.cluster.layout.name, parseVirtualPodCIDRs(text)] as const;
  });
  return new Map(await Promise.all(ranges));
}

/** The imports of a cluster, by the names of exported Services. */
interface Imports {
  readonly services: ReadonlyMap<string, Addresses>;
  readonly slices: ReadonlyMap<string, Addresses>;
}

async function importsIn(member: ClusterUser): Promise<Imports> {
  type Service = {
    readonly metadata: { readonly name: string };
    readonly spec: { readonly clusterIPs?: readonly string[] };
  };
  type Slice = {
    readonly metadata: { readonly labels?: Readonly<Record<string, string>> };
    readonly endpoints?: readonly { readonly addresses: readonly string[] }[] | null;
  };
  const [services, slices] = await Promise.all([
    listIn<Service>(member, 'services'),
    listIn<Slice>(member, 'endpointslices'),
  ]);
  const addresses = new Map<string, readonly string[]>();
  for (const { metadata, endpoints } of slices) {
    const name = metadata.labels?.[Label.mcsServiceName] ?? '';
    addresses.set(name, [...(addresses.get(name) ?? []), ...(endpoints ?? []).flatMap((one) => one.addresses)]);
  }
  return {
    services: new Map(
      services.map(({ metadata, spec }) => [metadata.name.replace(/^antrea-mc-/, ''), byFamily(spec.clusterIPs ?? [])]),
    ),
    slices: new Map([...addresses].map(([name, all]) => [name, byFamily(all)])),
  };
}

/**
 * Sends the packets of one client, side by side. Packets that need something that the cluster does
 * not know yet are not sent, and their answer reports that.
 */
async function sendFrom(
  host: Host,
  combinations: readonly Combination[],
  {
    network,
    imports,
    waitMs,
  }: { readonly network: MatrixNetwork; readonly imports: Imports | undefined; readonly waitMs: number },
): Promise<readonly Outcome[]> {
  const probes = combinations.map(({ server, target, protocol, family }): Probe => {
    const address =
      target === 'Pod'
        ? podAddress(server, family, network)
        : target === 'headless'
          ? imports?.slices.get(headlessName(server))?.[family]
          : imports?.services.get(endName(server))?.[family];
    const port = target === 'Pod' || target === 'headless' ? podPort : servicePort;
    return { protocol, address: address ?? '', port, waitMs };
  });
  const known = probes.filter(({ address }) => address !== '');
  const answers = await askFrom(host, known);
  return combinations.map((combination, index): Outcome => {
    const probe = probes[index];
    const answer = probe === undefined ? undefined : answers[known.indexOf(probe)];
    return { ...combination, expected: expectedAnswers(combination, network), answer: answer ?? 'not imported' };
  });
}

/**
 * How long an answer is waited for while clusters learn of each other, and when they have: then it
 * only ends what hangs.
 */
const shortMs = 10_000;
const longMs = 120_000;

async function setEndpointIPType(member: ClusterUser, inNamespace: string, type: EndpointIPType): Promise<void> {
  const config = ['configmap/antrea-mc-controller-config', '-n', inNamespace];
  const { data } = JSON.parse(await member.kubectl(['get', ...config, '-o', 'json'])) as {
    readonly data: Readonly<Record<string, string>>;
  };
  const changed = Object.fromEntries(
    Object.entries(data).map(([file, text]) => [file, text.replace(/endpointIPType: .*/, `endpointIPType: ${type}`)]),
  );
  await member.kubectl(['patch', ...config, '--type=merge', '-p', JSON.stringify({ data: changed })]);
  await member.kubectl(['rollout', 'restart', `deployment/${controller}`, '-n', inNamespace]);
  await member.rolledOut(`deployment/${controller}`, inNamespace);
}

/** Encrypts on gateways whose kernel lacks WireGuard, as docs/guides/agent.md describes. */
async function encrypt(
  member: ClusterUser,
  nodeOf: (end: Pick<End, 'cluster' | 'place'>) => TestbedNode,
  dist: string,
): Promise<void> {
  const manifest = (name: string) => readFileSync(join(dist, 'manifests', name), 'utf8');
  const gateway = nodeOf({ cluster: member.cluster.layout.name, place: 'gateway' }).layout.name;
  await member.kubectl(['label', 'node', gateway, `${Label.wireGuard}=userspace`]);
  await member.kubectl(['apply', '-f', '-'], manifest('wireguard.yaml'));
  const mode = '--traffic-encryption-mode';
  await member.kubectl(['apply', '-f', '-'], manifest('agent.yaml').replace(`${mode}=none`, `${mode}=wireGuard`));
  // Its Pods are replaced only when a user deletes them, so it has no rollout to wait for.
  const ready = '--for=jsonpath={.status.numberReady}=1';
  await member.kubectl(['wait', 'daemonset/isthmus-wireguard', '-n', memberNamespace, ready, '--timeout=900s']);
  await member.rolledOut('daemonset/isthmus-agent', memberNamespace);
}

/**
 * As CNIs write it with iptables: what Pods send to anywhere but Pods of their cluster, whatever
 * device it leaves by.
 */
async function setMasquerade(
  node: TestbedNode,
  clusterCIDRs: readonly string[],
  masquerades: Configuration['masquerades'],
): Promise<void> {
  const { podCIDR, podCIDR6 } = node.layout;
  const script = [podCIDR, podCIDR6]
    .map((own) => {
      const [program, isOf] = own.includes(':') ? ['ip6tables', /:/] : ['iptables', /\./];
      const pods = clusterCIDRs.find((cidr) => isOf.test(cidr)) ?? '';
      const how = masquerades === 'all' ? '-A' : '-D';
      return `${program} -w -t nat ${how} POSTROUTING -s ${own} ! -d ${pods} -j MASQUERADE`;
    })
    .join('\n');
  const { code, stderr } = await node.run('sh', ['-ec', script]);
  if (code !== 0) throw new Error(`changing the masquerading of Node ${node.layout.name}: ${stderr}`);
}

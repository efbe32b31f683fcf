import { execFile } from 'node:child_process';
import { findBinaries } from '@isthmus/testkit';
import type { Testbed, TestbedCluster, TestbedNode } from '@isthmus/testkit';

/** How a program ended, with what it wrote on both outputs. */
export interface Ended {
  readonly code: number;
  readonly out: string;
}

/** Runs a program to its end; any code is a result. */
export function run(
  program: string,
  args: readonly string[],
  { input, env, cwd }: { readonly input?: string; readonly env?: NodeJS.ProcessEnv; readonly cwd?: string } = {},
): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(program, args, { maxBuffer: 2 ** 28, env, cwd }, (_error, out, err) =>
      resolve({ code: child.exitCode ?? 255, out: out + err }),
    );
    child.stdin?.end(input);
  });
}

/** By cluster, the Namespace and the Lease of its controller. */
export const controllers = [
  ['north', 'antrea-multicluster', 'isthmus-leader'],
  ['east', 'kube-system', 'isthmus-member'],
  ['west', 'kube-system', 'isthmus-member'],
] as const;

/** The Deployment, PodDisruptionBudget and ConfigMap of a controller begin with this name. */
export const controller = 'antrea-mc-controller';

/**
 * The image of the test bed that answers HTTP requests with the name of its Pod, and makes them
 * when it is asked to.
 */
const agnhost = 'localhost/isthmus-agnhost:1';

/** A container of it. */
export const container = { image: agnhost, args: ['netexec', '--http-port=8080', '--udp-port=-1'] };
const labels = { app: 'cart' };

/** The Service that README.md exports, with two Pods. */
export const cart: readonly object[] = [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } },
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'cart', namespace: 'shop' },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          terminationGracePeriodSeconds: 0,
          containers: [
            {
              ...container,
              name: 'cart',
              readinessProbe: { httpGet: { path: '/hostname', port: 8080 }, timeoutSeconds: 30, periodSeconds: 1 },
            },
          ],
        },
      },
    },
  },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'cart', namespace: 'shop' },
    spec: { selector: labels, ports: [{ name: 'http', port: 80, targetPort: 8080 }] },
  },
];

/** A Pod on a Node, from whose network a test calls Services. */
export const clientOn = (nodeName: string): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: `client-${nodeName}`, namespace: 'default' },
  spec: { nodeName, terminationGracePeriodSeconds: 0, containers: [{ ...container, name: 'client' }] },
});

/** The fields of a Pod that tests read. */
export interface PodSeen {
  readonly metadata: { readonly name: string; readonly uid: string; readonly deletionTimestamp?: string };
  readonly spec: { readonly nodeName?: string; readonly tolerations: readonly object[] };
  readonly status: {
    readonly phase?: string;
    readonly podIP?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason?: string }[];
    readonly containerStatuses?: readonly {
      readonly restartCount: number;
      readonly containerID?: string;
      readonly lastState?: { readonly terminated?: { readonly reason?: string; readonly exitCode: number } };
    }[];
  };
}

/** One cluster of a test bed, as a user of kubectl sees it. */
export interface ClusterUser {
  readonly cluster: TestbedCluster;
  readonly kubeconfig: string;
  /** Runs kubectl; any code is a result. */
  attempt(args: readonly string[], input?: string): Promise<Ended>;
  /** Runs kubectl. Errors: it ended with another code than 0, with what it wrote. */
  kubectl(args: readonly string[], input?: string): Promise<string>;
  apply(...objects: readonly object[]): Promise<string>;
  /** Resolves when a Deployment or DaemonSet, as `<kind>/<name>`, is rolled out. */
  rolledOut(workload: string, namespace: string): Promise<string>;
  /** The Pods of a controller. */
  pods(namespace: string): Promise<readonly PodSeen[]>;
  /** The name of the Pod that holds a Lease; empty if no Pod does. */
  leading(namespace: string, lease: string): Promise<string>;
  /** A Node by its name. */
  node(name: string | undefined): TestbedNode;
}

/** The cluster of that name. Errors: there is none, or no test bed. */
export function userIn(testbed: Testbed | undefined, name: string): ClusterUser {
  const cluster = testbed?.clusters[name];
  if (cluster === undefined) throw new Error(`no cluster ${name}`);
  return userOf(cluster);
}

function userOf(cluster: TestbedCluster): ClusterUser {
  const kubeconfig = cluster.server.kubeconfigPath;
  const attempt: ClusterUser['attempt'] = (args, input) =>
    run(findBinaries(process.env).kubectl, ['--kubeconfig', kubeconfig, ...args], input === undefined ? {} : { input });
  const kubectl: ClusterUser['kubectl'] = async (args, input) => {
    const { code, out } = await attempt(args, input);
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')}, in ${cluster.layout.name}, ended with ${code}: ${out}`);
    return out;
  };
  return {
    cluster,
    kubeconfig,
    attempt,
    kubectl,
    apply: (...objects) =>
      // kubectl's validation reads a document of megabytes, for which it waits only half a minute;
      // the API server validates anyway.
      kubectl(
        ['apply', '--validate=false', '-f', '-'],
        JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }),
      ),
    rolledOut: (workload, namespace) => kubectl(['rollout', 'status', workload, '-n', namespace, '--timeout=900s']),
    async pods(namespace) {
      const text = await kubectl(['get', 'pods', '-n', namespace, '-l', `component=${controller}`, '-o', 'json']);
      return (JSON.parse(text) as { readonly items: readonly PodSeen[] }).items;
    },
    async leading(namespace, lease) {
      const path = 'jsonpath={.spec.holderIdentity}';
      return (await kubectl(['get', 'lease', lease, '-n', namespace, '-o', path])).split('_')[0] ?? '';
    },
    node(name) {
      const node = cluster.nodes.find(({ layout }) => layout.name === name);
      if (node === undefined) throw new Error(`cluster ${cluster.layout.name} has no Node ${name}`);
      return node;
    },
  };
}

/** Whether the kubelet reports a Pod as ready. */
export const isReady = ({ status }: PodSeen): boolean =>
  status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;

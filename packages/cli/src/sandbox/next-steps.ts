import type { AskedCluster } from './cluster-list.ts';
import { clusterSetName } from './join.ts';
import type { ReachableCluster } from './kubeconfig.ts';

/** The lines about the clusters, their place, and their limits. */
export function fleetText(
  clusters: readonly (AskedCluster & ReachableCluster)[],
  kubeconfig: string,
  { hasNetwork }: { readonly hasNetwork: boolean },
): string {
  const width = Math.max(...clusters.map(({ name }) => name.length));
  return [
    '',
    `ClusterSet ${clusterSetName}:`,
    ...clusters.map((one) => `  ${one.name.padEnd(width)}  ${roleOf(one).padEnd('leader, member'.length)}  ${one.url}`),
    '',
    `kubeconfig  ${kubeconfig}  (a context for each cluster; removed when this command ends)`,
    'The controllers of Isthmus run in this process with the ServiceAccounts of deploy/, not as Pods in the clusters.',
    ...(hasNetwork
      ? [
          'Nodes and Pods are network namespaces; members have two Nodes, each with an agent. Containers are processes of this machine: images are not pulled.',
        ]
      : ['Each cluster has one simulated Node: Pods get IPs and report Running, but no containers run.']),
    '',
  ].join('\n');
}

/** The same for clusters without Isthmus. */
export function bareText(clusters: readonly (AskedCluster & ReachableCluster)[], kubeconfig: string): string {
  const width = Math.max(...clusters.map(({ name }) => name.length));
  return [
    '',
    'Clusters without Isthmus:',
    ...clusters.map(({ name, url }) => `  ${name.padEnd(width)}  ${url}`),
    '',
    `kubeconfig  ${kubeconfig}  (a context for each cluster; removed when this command ends)`,
    'Each cluster has one simulated Node: Pods get IPs and report Running, but no containers run.',
    '',
  ].join('\n');
}

/**
 * A kubeconfig for each cluster, as "Run it on your clusters" in README.md takes them: lines of
 * shell that work as they are.
 */
export function bareSteps(clusters: readonly AskedCluster[], kubeconfig: string): readonly string[] {
  const view = `kubectl --kubeconfig ${shellWord(kubeconfig)} --context $cluster config view --minify --raw`;
  return [
    '( umask 077',
    `for cluster in ${clusters.map(({ name }) => name).join(' ')}; do`,
    `  ${view} > $cluster.kubeconfig`,
    'done )',
    `kubectl --kubeconfig ${clusters[0]?.name ?? ''}.kubeconfig get nodes`,
    '# Then install Isthmus as in "Run it on your clusters" of README.md.',
  ];
}

function roleOf({ isLeader, isMember }: AskedCluster): string {
  return [...(isLeader ? ['leader'] : []), ...(isMember ? ['member'] : [])].join(', ');
}

/**
 * The commands to type next, in another terminal: lines of shell that work unchanged. With two
 * members, a Service goes from one to the other. With one, its exports show on the leader. With a
 * network, a Pod of the other member calls the Service.
 */
export function nextSteps(
  clusters: readonly AskedCluster[],
  kubeconfig: string,
  { hasNetwork = false } = {},
): readonly string[] {
  const [from, to = from] = clusters.filter(({ isMember }) => isMember).map(({ name }) => name);
  const use = `export KUBECONFIG=${shellWord(kubeconfig)}`;
  const contexts = 'kubectl config get-contexts';
  if (from === undefined || to === undefined) return [use, contexts];
  const on = (name: string) => `kubectl --context ${name} -n shop`;
  return [
    use,
    contexts,
    ...[...new Set([from, to])].map((name) => `kubectl --context ${name} create namespace shop`),
    `${on(from)} create deployment cart --image=cart:1 --replicas=2${hasNetwork ? ' --port=8080' : ''}`,
    `${on(from)} expose deployment cart --port=80${hasNetwork ? ' --target-port=8080' : ''}`,
    `${on(from)} apply -f - <<'END'`,
    'apiVersion: multicluster.x-k8s.io/v1beta1',
    'kind: ServiceExport',
    'metadata: {name: cart}',
    'END',
    `${on(from)} wait serviceexport/cart --for=condition=Ready`,
    `${on(to)} get serviceimports,services,endpointslices`,
    ...(hasNetwork
      ? [
          `${on(to)} run client --image=client:1 --command -- sleep infinity`,
          `${on(to)} wait serviceimport/cart --for=create`,
          `${on(to)} wait pod/client serviceimport/cart --for=condition=Ready`,
          `address=$(${on(to)} get service antrea-mc-cart -o jsonpath='{.spec.clusterIP}')`,
          `${on(to)} exec client -- curl -sS --retry 9 --retry-all-errors http://$address/`,
        ]
      : []),
  ];
}

/** The lines below what is there, to be read or copied. */
export function nextStepsText(lines: readonly string[]): string {
  return ['Try it, in another terminal:', '', ...lines, '', 'Press Ctrl-C to stop the clusters.', ''].join('\n');
}

/** The text as one word of a shell. */
export function shellWord(text: string): string {
  return /^[\w./~-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

import { ConfigMap, ServiceAccount } from '@isthmus/api';
import type { Log } from '@isthmus/kube';
import { createClient, noLog, noMetrics } from '@isthmus/kube';
import { conditionOf, seededRandom } from '@isthmus/machinery';
import { admin } from '../authentication/authenticator.ts';
import type { Sandbox, SandboxOptions } from '../sandbox.ts';
import { createSandbox } from '../sandbox.ts';
import { createClusterControllers } from './cluster-controllers.ts';
import { Namespace, Node } from './kinds.ts';
import { rootCaName } from './identity/root-ca.ts';
import type { KubeletOptions, SimulatedNode } from './nodes/simulated-node.ts';
import { addressAt } from './nodes/simulated-node.ts';

/** A Node of a sandbox cluster. Without a `podCIDR` of its own it has a /24 of the cluster's. */
export type ClusterNode = Omit<SimulatedNode, 'podCIDR'> & Partial<Pick<SimulatedNode, 'podCIDR'>>;

export interface SandboxClusterOptions extends SandboxOptions, Omit<KubeletOptions, 'nodes'> {
  /**
   * IPv4, at most /24. The Nodes have a /24 each, in their order, from the second one on. Default
   * `10.244.0.0/16`.
   */
  readonly podCIDR?: string | undefined;
  /** Default: one, `<name>-1`. */
  readonly nodes?: readonly ClusterNode[] | undefined;
  /** PEM of the certificate authority by which clients know this server. Default empty. */
  readonly caData?: string | undefined;
  /** Receives the log of the controllers. Default: it is discarded. */
  readonly log?: Log | undefined;
}

/** A cluster in the process: an API server and its controllers. */
export interface SandboxCluster {
  readonly sandbox: Sandbox;
  /**
   * Resolves when every Namespace that is not going has its ServiceAccount and the authority's
   * certificate, and every Node is ready. Needs the clock to move. Rejects when the cluster is
   * stopped before.
   */
  ready(): Promise<void>;
  /**
   * Ends the controllers, and waits for running reconciles, for 10 s of the clock at most. The API
   * server keeps answering.
   */
  stop(): Promise<void>;
}

/**
 * Starts an API server with every controller, a scheduler and Nodes without machines. Tokens in
 * Secrets of ServiceAccounts are accepted as bearer tokens. Errors: a `podCIDR` that has no /24 for
 * one of the Nodes.
 */
export function startSandboxCluster(options: SandboxClusterOptions): SandboxCluster {
  const { name, clock, seed = 1, caData, isReady, terminationMs, runtime, log = noLog } = options;
  const nodes = withRanges(options.nodes ?? [{ name: `${name}-1` }], options.podCIDR ?? '10.244.0.0/16');
  const sandbox = createSandbox(options);
  const transport = sandbox.transport({ kind: 'user', user: admin }, { userAgent: 'kube-controller-manager' });
  const end = new AbortController();
  const ended = createClusterControllers({
    client: createClient({ transport, clock, server: name }),
    // Other numbers than those of the API server.
    world: { clock, random: seededRandom(seed + 0x5eed), log, metrics: noMetrics },
    caData,
    mintToken: sandbox.mintToken,
    kubelet: { nodes, isReady, terminationMs, runtime },
  }).run(end.signal);
  // `stop` reports the failure.
  ended.catch(() => {});
  return {
    sandbox,
    ready: () => whenReady(sandbox, nodes, end.signal),
    stop() {
      end.abort(new Error(`cluster ${name} was stopped`));
      return ended;
    },
  };
}

function withRanges(nodes: readonly ClusterNode[], podCIDR: string): readonly SimulatedNode[] {
  return nodes.map((node, index) => {
    const start = addressAt(podCIDR, (index + 1) * 256);
    const range = node.podCIDR ?? (start === undefined ? undefined : `${start}/24`);
    if (range === undefined)
      throw new Error(`Node ${node.name}: no range of /24 is left for it in ${podCIDR}; give it a podCIDR`);
    return { ...node, podCIDR: range };
  });
}

function whenReady({ admin: { list, get, onChange } }: Sandbox, nodes: readonly SimulatedNode[], signal: AbortSignal) {
  const hasIdentity = ({ metadata }: Namespace): boolean => {
    const { name: namespace, deletionTimestamp } = metadata;
    if (deletionTimestamp !== undefined) return true;
    const account = get(ServiceAccount, { namespace, name: 'default' });
    return account !== undefined && get(ConfigMap, { namespace, name: rootCaName }) !== undefined;
  };
  const isNodeReady = ({ name }: SimulatedNode): boolean =>
    conditionOf(get(Node, { name })?.status?.conditions, 'Ready')?.status === 'True';
  const isReady = () => nodes.every(isNodeReady) && list(Namespace).every(hasIdentity);
  return new Promise<void>((resolve, reject) => {
    if (isReady()) return resolve();
    if (signal.aborted) return reject(signal.reason);
    const stop = onChange(() => {
      if (!isReady()) return;
      over();
      resolve();
    });
    const onAbort = () => {
      over();
      reject(signal.reason);
    };
    const over = () => {
      stop();
      signal.removeEventListener('abort', onAbort);
    };
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

import type { Binaries } from './binaries.ts';
import type { KeyPair } from './certificates.ts';
import type { Component, Flags } from './flags.ts';

/** The configuration of a cluster. */
export interface ApiServerOptions {
  /** A DNS label: names the directory, the certificate authority and the kubeconfig's context. */
  readonly name: string;
  /**
   * `--service-cluster-ip-range`. Clusters of one ClusterSet should have ranges that do not
   * overlap. Default 10.96.0.0/16.
   */
  readonly serviceCIDR?: string | undefined;
  /**
   * Runs kube-controller-manager too: with the controllers that a ClusterSet needs (`true`), or
   * with these. Default false.
   */
  readonly controllerManager?: boolean | readonly string[] | undefined;
  /** Flags that are added to the usual ones, or replace them. */
  readonly flags?: Readonly<Partial<Record<Component, Flags>>> | undefined;
  /** Ends an unfinished start; without effect afterwards. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Limit for the start, and for each later `start` of a component: it only catches what hangs.
   * Default 480,000.
   */
  readonly startTimeoutMs?: number | undefined;
  /**
   * Default: the programs in `KUBEBUILDER_ASSETS`, or those that `npm run envtest:install` has put
   * into the cache.
   */
  readonly binaries?: Binaries | undefined;
  /** Where its processes run; by default in the namespaces of this one. */
  readonly place?: ProcessPlace | undefined;
  /**
   * The port for kube-apiserver; called again if another process took the port first. Default
   * {@link freePort}.
   */
  readonly pickPort?: (() => Promise<number>) | undefined;
}

/**
 * For example another network namespace. This process must still reach the API server on 127.0.0.1,
 * at the port of `pickPort`.
 */
export interface ProcessPlace {
  /** The command that runs `program` there. */
  command(program: string, args: readonly string[]): { readonly program: string; readonly args: readonly string[] };
  /** The addresses by which others reach the API server. */
  readonly addresses: readonly string[];
}

/**
 * A running cluster: etcd, kube-apiserver and optionally kube-controller-manager, without nodes.
 *
 * Disposing kills its processes and removes its directory; so does the end of this process, however
 * it ends. Facts that a test must know:
 * - Pods stay `Pending`: no program schedules or runs them. An EndpointSlice gets a Pod's address
 *   once the Pod's status has a `podIP` and its `spec.nodeName` names a Node object that exists. A
 *   deleted Pod that has a `nodeName` is only removed with `gracePeriodSeconds: 0`.
 * - ClusterIPs are allocated, and no packets arrive there.
 */
export interface RealApiServer extends AsyncDisposable {
  readonly name: string;
  /** `https://127.0.0.1:<port>`; stays the same when kube-apiserver is stopped and started. */
  readonly url: string;
  /** PEM of the certificate authority, which only this cluster has. */
  readonly caData: string;
  /** The client certificate of user `kubernetes-admin`, in group `system:masters`. */
  readonly admin: KeyPair;
  readonly serviceCIDR: string;
  /** Issues a client certificate for a user. */
  issueClient(subject: { readonly user: string; readonly groups: readonly string[] }): Promise<KeyPair>;
  /** Kubeconfig of the administrator, mode 0600. */
  readonly kubeconfigPath: string;
  /** One JSON event per answered request ({@link readAuditLog}). */
  readonly auditLogPath: string;
  /** The process ID of a component; undefined while it is stopped. */
  pid(component: Component): number | undefined;
  /** The whole output of a component; empty if it never ran. */
  logs(component: Component): string;
  /** Ends a component like a crash (SIGKILL). Resolves when it has ended. */
  stop(component: Component): Promise<void>;
  /**
   * Starts a stopped component again, with the same configuration. Resolves when kube-apiserver
   * answers `/readyz` with 200; for the others, when they run. Errors: it ends meanwhile, with an
   * excerpt of its log; it is not ready in time.
   */
  start(component: Component): Promise<void>;
  /** `stop` and `start`. */
  restart(component: Component): Promise<void>;
  /**
   * Stops a component without closing its connections (SIGSTOP), like a server that hangs. Resolves
   * when it does not run any more. Errors: it does not run.
   */
  freeze(component: Component): Promise<void>;
  /** Ends `freeze` (SIGCONT). */
  resume(component: Component): void;
}

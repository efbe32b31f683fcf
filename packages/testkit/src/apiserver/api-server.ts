import type { Binaries } from './binaries.ts';
import type { KeyPair } from './certificates.ts';
import type { Component, Flags } from './flags.ts';

/** How a cluster is to be. */
export interface ApiServerOptions {
  /** A DNS label: names the directory, the certificate authority and the kubeconfig's context. */
  readonly name: string;
  /** `--service-cluster-ip-range`. Clusters of one ClusterSet should have disjoint ones. Default 10.96.0.0/16. */
  readonly serviceCIDR?: string | undefined;
  /** Run kube-controller-manager too: with the controllers that a ClusterSet meets (`true`), or with these. Default false. */
  readonly controllerManager?: boolean | readonly string[] | undefined;
  /** Flags beside, or in place of, the usual ones. */
  readonly flags?: Readonly<Partial<Record<Component, Flags>>> | undefined;
  /** Ends an unfinished start; without effect afterwards. */
  readonly signal?: AbortSignal | undefined;
  /** Limit for the start, and for each later `start` of a component: it only catches what hangs. Default 480,000. */
  readonly startTimeoutMs?: number | undefined;
  /** Default: what `KUBEBUILDER_ASSETS` names, or what `npm run envtest:install` has put into the cache. */
  readonly binaries?: Binaries | undefined;
  /** Where its processes run; by default beside this one. */
  readonly place?: ProcessPlace | undefined;
  /** Where kube-apiserver shall listen, asked again when another process was quicker. Default {@link freePort}. */
  readonly pickPort?: (() => Promise<number>) | undefined;
}

/** Another network namespace, say. The API server must be reachable from this process at the port of `pickPort` on 127.0.0.1 all the same. */
export interface ProcessPlace {
  /** The command that runs `program` there. */
  command(program: string, args: readonly string[]): { readonly program: string; readonly args: readonly string[] };
  /** By which others call the API server. */
  readonly addresses: readonly string[];
}

/**
 * A running cluster: etcd, kube-apiserver and perhaps kube-controller-manager, without nodes.
 *
 * Disposing kills its processes and removes its directory; so does the end of this process, however it comes. What a test needs to know:
 * - Pods stay `Pending`: nobody schedules or runs them. An EndpointSlice gets a Pod's address once the Pod's status has a `podIP` and
 *   its `spec.nodeName` names a Node object that exists; a deleted Pod that has a `nodeName` goes only with `gracePeriodSeconds: 0`.
 * - ClusterIPs are allotted and lead nowhere.
 */
export interface RealApiServer extends AsyncDisposable {
  readonly name: string;
  /** `https://127.0.0.1:<port>`; stays the same when kube-apiserver is stopped and started. */
  readonly url: string;
  /** PEM of the certificate authority, which is this cluster's alone. */
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
  /** The process number of a component; undefined while it's stopped. */
  pid(component: Component): number | undefined;
  /** All that a component has written so far; empty when it never ran. */
  logs(component: Component): string;
  /** Ends a component as a crash would (SIGKILL). Resolves when it has gone. */
  stop(component: Component): Promise<void>;
  /**
   * Starts a stopped component again, as it was. Resolves when kube-apiserver answers `/readyz` with 200; of the others, when they run.
   * Errors: when it ends meanwhile, with an excerpt of its log; when it is not ready in time.
   */
  start(component: Component): Promise<void>;
  /** `stop` and `start`. */
  restart(component: Component): Promise<void>;
  /**
   * Stops a component from running without closing its connections (SIGSTOP): a server that hangs. Resolves when it does not run any more.
   * Errors: where it does not run.
   */
  freeze(component: Component): Promise<void>;
  /** Ends `freeze` (SIGCONT). */
  resume(component: Component): void;
}

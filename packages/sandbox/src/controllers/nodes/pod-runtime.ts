import type { PodSpec } from '@isthmus/api';
import type { KubernetesObject } from '@isthmus/machinery';

/** A container as it last ran. */
export interface ContainerRun {
  readonly name: string;
  /** The id of this run. */
  readonly id: string;
  /** How often it was started again. */
  readonly restarts: number;
  readonly startedAtMs: number;
  /** Whether it can be called. */
  readonly isReady: boolean;
  /** How it ended; undefined while it runs. */
  readonly exit?: ContainerExit | undefined;
}

export interface ContainerExit {
  readonly code: number;
  readonly atMs: number;
  /** The error that prevented the start, or the reason of the end if the code does not show it. */
  readonly message?: string | undefined;
}

/** The place of a Pod's network. */
export interface PodPlace {
  readonly node: string;
  readonly podIP: string;
}

/** A Pod that is to run. */
export interface RuntimePod extends KubernetesObject {
  readonly spec?:
    | Pick<PodSpec, 'containers' | 'hostNetwork' | 'serviceAccountName' | 'dnsPolicy' | 'dnsConfig'>
    | undefined;
}

/**
 * Runs the containers of the Pods of simulated Nodes. Pods are named by their keys,
 * `namespace/name`.
 */
export interface PodRuntime {
  /** The name and version that Nodes report, as `runc://1`. */
  readonly version: string;
  /** The differences from other Nodes, for the status of Pods. */
  readonly simulation: { readonly reason: string; readonly message: string };
  /** Notifies when a container ended or became ready, and when a Pod has gone. */
  subscribe(listener: () => void): () => void;
  /** The Pods that it has. */
  pods(): readonly string[];
  /** The uid of a Pod that it has. */
  uidOf(key: string): string | undefined;
  /** Makes the network of a Pod; an existing one is kept. */
  start(pod: RuntimePod, place: PodPlace): Promise<void>;
  /** The last runs of the containers that were started. */
  runs(key: string): readonly ContainerRun[];
  /** Starts a container, or starts it again. */
  startContainer(key: string, name: string): Promise<void>;
  /**
   * Frees the network of a Pod whose containers have all ended. Their output is kept until the Pod
   * is stopped.
   */
  finish(key: string): Promise<void>;
  /**
   * Begins to end a Pod, and gives its containers this much time. A repeated call changes nothing.
   * Returns whether nothing of the Pod is left.
   */
  stop(key: string, graceMs: number): boolean;
}

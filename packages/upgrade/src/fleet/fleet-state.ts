import type { ClusterRole } from '../words.ts';
import type { Version } from '../version/version.ts';

/**
 * One version of one component that runs somewhere. Replicas and Nodes of the same version in a
 * cluster may be one instance each.
 */
export interface Instance {
  /** The component type, as policies name it. */
  readonly type: string;
  /** The id of the component in the bundle; the type where it is in none. */
  readonly component: string;
  /** Absent for clients, which may talk to any cluster. */
  readonly cluster?: string | undefined;
  readonly node?: string | undefined;
  /** Which of several, where they differ in version: the name of an API server, of a client. */
  readonly name?: string | undefined;
  readonly version: Version;
}

/** A cluster as far as rules know it. */
export interface ClusterPlace {
  readonly name: string;
  readonly roles: readonly ClusterRole[];
  readonly clusterSet?: string | undefined;
  /** The name of the cluster that manages it. */
  readonly managedBy?: string | undefined;
}

/**
 * The versions that run in each cluster at one moment: everything that rules about versions use. It
 * comes from a snapshot, or is the state after a step of a plan. One value means that exactly this
 * runs; a rolling step is judged with the versions before and after it side by side.
 */
export interface FleetState {
  readonly clusters: readonly ClusterPlace[];
  readonly instances: readonly Instance[];
}

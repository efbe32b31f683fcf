import type { Client } from '@isthmus/kube';
import type { RunStep } from '../render/steps.ts';

/** A cluster of the demo. */
export interface DemoCluster {
  readonly name: string;
  readonly isLeader: boolean;
  readonly isMember: boolean;
  /** An administrator's client. */
  readonly admin: Client;
  /** The arguments for kubectl to reach it, for a user to type. */
  readonly kubectl: string;
}

/** The clusters north, east and west, joined, on either kind of API server. */
export interface DemoFleet extends AsyncDisposable {
  readonly leader: DemoCluster;
  readonly clusters: readonly DemoCluster[];
  cluster(name: string): DemoCluster;
  /**
   * Waits until `look` returns something other than undefined or false, while changes show in
   * `readBack`. Errors: what was waited for, if nothing has changed for a minute; the reason of the
   * interruption.
   */
  until<T>(what: string, look: () => Promise<T | undefined | false>): Promise<T>;
  /** The lines that the controllers logged: the reason for most failures. */
  controllerLog(): readonly string[];
  /** All logs of the controllers and the API servers. */
  logs(): string;
}

export interface StartOptions {
  /** The clusters are to be reached from outside. */
  readonly keep: boolean;
  /** Shows each phase of the start while it runs. */
  readonly run: RunStep;
  /**
   * Ends the start, after which nothing is left, and later each wait: both reject with its reason.
   */
  readonly signal: AbortSignal;
}

export type StartDemoFleet<F extends DemoFleet = DemoFleet> = (options: StartOptions) => Promise<F>;

/** How a program in a Pod ended, and what it wrote. */
export interface PodResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Clusters whose Pods run programs. */
export interface NetworkFleet extends DemoFleet {
  /** Runs a program in a Pod of Namespace `shop`. */
  exec(cluster: string, pod: string, command: readonly string[]): Promise<PodResult>;
}

/** One step of the demo: its action, and the results to wait for. */
export interface DemoStep<F extends DemoFleet = DemoFleet> {
  readonly name: string;
  /** It removes objects that a user who stays might want to look at. */
  readonly clearsUp?: boolean;
  /** Resolves to what is to be shown besides the objects. */
  run(fleet: F): Promise<readonly ObjectLine[] | void>;
}

/** The story of the demo, in steps. */
export interface Story<F extends DemoFleet = DemoFleet> {
  /** The preparation before it begins. */
  readonly preparation: DemoStep<F>;
  readonly steps: readonly DemoStep<F>[];
}

/** One object as it was read back. */
export interface ObjectLine {
  readonly cluster: string;
  readonly object: string;
  readonly says: string;
}

/** The clusters by name, and the leader among them. */
export function withLookup(clusters: readonly DemoCluster[]): Pick<DemoFleet, 'leader' | 'clusters' | 'cluster'> {
  const cluster = (name: string) => {
    const found = clusters.find((one) => one.name === name);
    if (found === undefined) throw new Error(`no cluster ${name}`);
    return found;
  };
  return { clusters, cluster, leader: cluster('north') };
}

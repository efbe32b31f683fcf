import type { Client } from '@isthmus/kube';
import type { RunStep } from '../progress/steps.ts';

/** A cluster of the demo. */
export interface DemoCluster {
  readonly name: string;
  readonly isLeader: boolean;
  readonly isMember: boolean;
  /** An administrator's client. */
  readonly admin: Client;
  /** The arguments that point kubectl at it, for a person to type. */
  readonly kubectl: string;
}

/** The clusters north, east and west, joined; on whichever API servers. */
export interface DemoFleet extends AsyncDisposable {
  readonly leader: DemoCluster;
  readonly clusters: readonly DemoCluster[];
  cluster(name: string): DemoCluster;
  /**
   * Waits until `look` gives something that is not undefined or false, for as long as something changes that `readBack` shows. Errors: where
   * nothing has changed for a minute, what was waited for; the reason of the interruption.
   */
  until<T>(what: string, look: () => Promise<T | undefined | false>): Promise<T>;
  /** What the controllers logged last: the reason for most failures. */
  lastWords(): readonly string[];
  /** All that the controllers and the API servers logged. */
  logs(): string;
}

export interface StartOptions {
  /** The clusters are to be reached from outside. */
  readonly keep: boolean;
  /** Shows each phase of the start while it runs. */
  readonly run: RunStep;
  /** Ends the start, of which nothing is left then, and later each wait: both reject with its reason. */
  readonly signal: AbortSignal;
}

export type StartDemoFleet = (options: StartOptions) => Promise<DemoFleet>;

/** The clusters by name, and the leader among them. */
export function withLookup(clusters: readonly DemoCluster[]): Pick<DemoFleet, 'leader' | 'clusters' | 'cluster'> {
  const cluster = (name: string) => {
    const found = clusters.find((one) => one.name === name);
    if (found === undefined) throw new Error(`no cluster ${name}`);
    return found;
  };
  return { clusters, cluster, leader: cluster('north') };
}

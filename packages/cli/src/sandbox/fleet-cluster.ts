import type { ControllerConfig } from '@isthmus/controlplane';
import type { Client, Log } from '@isthmus/kube';
import type { KeyPair } from '@isthmus/sandbox';
import type { Io } from '../world/io.ts';
import type { AskedCluster } from './cluster-list.ts';

/** The parts of the world that a fleet uses, and its log. */
export interface FleetWorld extends Pick<Io, 'clock' | 'random' | 'network'> {
  readonly log: Log;
}

export interface FleetCluster extends AskedCluster {
  readonly url: string;
  readonly caData: string;
  /** The client certificate of an administrator, and a client with it. */
  readonly user: KeyPair;
  readonly admin: Client;
  /** Settings of its controllers besides the defaults. */
  readonly config?: Partial<ControllerConfig> | undefined;
}

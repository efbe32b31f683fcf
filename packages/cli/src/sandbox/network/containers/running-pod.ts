import type { Container } from '@isthmus/api';
import type { ContainerRun } from '@isthmus/sandbox';
import type { RunningProgram } from '../../../world/io.ts';
import type { ContainerPod } from './container-command.ts';
import type { KeptLog } from './kept-log.ts';
import type { PodNetwork } from './pod-network.ts';

/** A Pod whose network was made. */
export interface RunningPod {
  readonly uid: string;
  readonly about: ContainerPod;
  readonly containers: ReadonlyMap<string, Container>;
  /** The last run of each container that was started, by its name. */
  readonly runs: Map<string, Run>;
  readonly network: PodNetwork;
  isRemoved: boolean;
  stopping: Promise<void> | undefined;
}

/** A container that was started. */
export interface Run {
  readonly log: KeptLog;
  readonly previous: KeptLog | undefined;
  state: ContainerRun;
  process: RunningProgram | undefined;
}

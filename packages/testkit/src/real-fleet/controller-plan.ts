import type { EndpointIPType } from '@isthmus/wire';
import type { MemoryLog } from '@isthmus/kube';
import type { Clock } from '@isthmus/machinery';
import type { PrivateDirectory } from './world.ts';

/** A controller to start, and how it reaches its own API server. */
export interface ControllerPlan {
  readonly cluster: string;
  readonly role: 'leader' | 'member';
  readonly namespace: string;
  readonly endpointIPType: EndpointIPType;
  readonly stretched: boolean;
  readonly podCIDRs: readonly string[];
  readonly url: string;
  readonly caData: string;
  readonly token: string;
}

/** The parts of a fleet that its controllers use. */
export interface ControllerSurroundings {
  /** The clock of all controllers that run in this process. */
  readonly clock: Clock;
  readonly log: MemoryLog;
  /** Lines that controllers as processes wrote. */
  readonly output: string[];
  /** A directory that is removed with the cluster. */
  readonly directory: () => Promise<PrivateDirectory>;
  /** Aborts when the fleet is removed. */
  readonly signal: AbortSignal;
}

/** Starts a controller; resolves to a function that ends it, and waits for its end. */
export type StartController = (
  plan: ControllerPlan,
  surroundings: ControllerSurroundings,
) => Promise<() => Promise<void>>;

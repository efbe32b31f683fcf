import type { Client } from '@isthmus/kube';
import type { Clock } from '@isthmus/machinery';
import type { HandoverStep } from './handover-step.ts';

/** The dependencies of a handover. */
export interface HandoverRun {
  /** A client with an administrator's access. */
  readonly client: Client;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Runs adjacent steps of one kind, so that a display of them knows when they begin and end. */
  readonly runGroup: (steps: readonly HandoverStep[], work: () => Promise<void>) => Promise<void>;
}

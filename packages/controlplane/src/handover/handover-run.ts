import type { Client } from '@isthmus/kube';
import type { Clock } from '@isthmus/machinery';
import type { HandoverStep } from './handover-step.ts';

/** The means by which a handover is carried out. */
export interface HandoverRun {
  /** An administrator's. */
  readonly client: Client;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Runs neighbouring steps of one kind: who shows them knows when they begin and end. */
  readonly runGroup: (steps: readonly HandoverStep[], work: () => Promise<void>) => Promise<void>;
}

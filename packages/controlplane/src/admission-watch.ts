import type { ReasonOn, leaderClusterSetStatus, memberClusterSetStatus } from '@isthmus/api';

/** Requests that an API server accepts although it should reject them. */
export interface AdmissionProblem {
  readonly reason: ReasonOn<typeof leaderClusterSetStatus, 'AdmissionIncomplete=True'> &
    ReasonOn<typeof memberClusterSetStatus, 'AdmissionIncomplete=True'>;
  readonly message: string;
}

/**
 * Watches whether the API server of a cluster rejects requests as the controllers there need it.
 */
export interface AdmissionWatch {
  /**
   * Undefined: there is no problem, or the API server does not allow the controller to read its
   * policies.
   */
  readonly problem: AdmissionProblem | undefined;
  /** Calls `listener` when the problem changes. Returns the unsubscriber. */
  readonly onChange: (listener: () => void) => () => void;
  run(signal: AbortSignal): Promise<void>;
}

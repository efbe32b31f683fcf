import type { ReasonOn, leaderClusterSetStatus, memberClusterSetStatus } from '@isthmus/api';

/** What an API server does not reject although it should. */
export interface AdmissionProblem {
  readonly reason: ReasonOn<typeof leaderClusterSetStatus, 'AdmissionIncomplete=True'> &
    ReasonOn<typeof memberClusterSetStatus, 'AdmissionIncomplete=True'>;
  readonly message: string;
}

/** Watches whether the API server of a cluster rejects what it should for the controllers there. */
export interface AdmissionWatch {
  /** Undefined: there is none, or the API server does not let the controller read its policies. */
  readonly problem: AdmissionProblem | undefined;
  /** Calls `listener` when the problem is another. Returns the unsubscriber. */
  readonly onChange: (listener: () => void) => () => void;
  run(signal: AbortSignal): Promise<void>;
}

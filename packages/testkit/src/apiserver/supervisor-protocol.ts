/** The request of the runner to a supervisor: to start a process. */
export interface SpawnRequest {
  /** Names this process in all later messages. */
  readonly id: number;
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** File in the supervisor's directory to which both output streams are appended. */
  readonly log: string;
}

/** The messages of a supervisor to the runner. */
export type SupervisorEvent =
  | { readonly kind: 'ready' }
  | { readonly kind: 'spawned'; readonly id: number; readonly pid: number }
  /** The process has ended, or never started; `how` completes the sentence "kube-apiserver …". */
  | { readonly kind: 'exited'; readonly id: number; readonly how: string };

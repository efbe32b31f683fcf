/**
 * The exit codes of our processes.
 */
export const ExitCode = {
  /** Done. A controller or a sandbox received a signal, and stopped. */
  ok: 0,
  /** Failed while it ran. */
  failed: 1,
  /** Wrong arguments, configuration or kubeconfig: nothing was begun. */
  usage: 2,
  /**
   * A command under `isthmus upgrade`: there are warnings, or changes where those were asked for.
   */
  warned: 2,
  /** A command under `isthmus upgrade`: the checked change must not be made as it is. */
  blocked: 3,
} as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

/**
 * The one table of exit codes, for the reference page: what each means for commands in general, and
 * under `isthmus upgrade`, whose commands are used in pipelines as other planning tools are
 * (`terraform plan -detailed-exitcode`: 1 for an error, 2 for changes).
 */
export const exitCodeMeanings: readonly {
  readonly code: ExitCode;
  readonly general: string;
  readonly upgrade: string;
}[] = [
  { code: ExitCode.ok, general: 'done; for a controller and a sandbox: stopped on request', upgrade: 'no findings' },
  { code: ExitCode.failed, general: 'failed while it ran', upgrade: 'failed while it ran; wrong arguments or files' },
  {
    code: ExitCode.usage,
    general: 'wrong arguments, configuration or kubeconfig: nothing was started',
    upgrade: 'warnings; changes, with `--detailed-exitcode`',
  },
  { code: ExitCode.blocked, general: '', upgrade: 'blocked' },
];

/** What a process of ours ends with. */
export const ExitCode = {
  /** Did what it was asked to; a controller, and a sandbox: was told to stop, and stopped. */
  ok: 0,
  /** Failed while it ran. */
  failed: 1,
  /** Wrong arguments, configuration or kubeconfig: nothing was begun. */
  usage: 2,
  /** A command under `isthmus upgrade`: there are warnings, or changes where those were asked for. */
  warned: 2,
  /** A command under `isthmus upgrade`: what was asked about must not be done as it is. */
  blocked: 3,
} as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

/**
 * The command was called in a way, or with files, that it can't work with: the caller has to change
 * something before it is worth another try. Ends the process with 2, or as the command's
 * `usageExit` has it.
 */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

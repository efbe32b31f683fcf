/**
 * The command cannot work with its arguments or files: the caller has to change something before
 * another try. The process ends with 2, or with the command's `usageExit`.
 */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

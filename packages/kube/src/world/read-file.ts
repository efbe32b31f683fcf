/** A file as it was read. */
export interface FileContent {
  readonly text: string;
  /** The permission bits, e.g. 0o600; undefined where the source has none. */
  readonly mode?: number | undefined;
}

/**
 * Files as an argument. Rejects with an Error that names the file; `cause.code` is `ENOENT` if the
 * file does not exist.
 */
export type ReadFile = (path: string) => Promise<FileContent>;

/** Whether a {@link ReadFile} failed because there is no such file. */
export function isMissingFile(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) if ('code' in at && at.code === 'ENOENT') return true;
  return false;
}

/**
 * A thrown value as human-readable text: the message of an error, and any other value as it prints.
 */
export function errorMessage(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

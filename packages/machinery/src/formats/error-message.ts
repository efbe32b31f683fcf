/** What was thrown, as text for people: the message of an error, and anything else as it prints. */
export function errorMessage(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

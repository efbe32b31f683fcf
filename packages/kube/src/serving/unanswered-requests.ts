/** A connection; a socket. */
export interface RequestingConnection {
  readonly destroyed: boolean;
  destroy(): void;
}

/** The answer to one request; a `ServerResponse`. */
export interface PendingAnswer {
  once(event: 'close', listener: () => void): void;
}

/**
 * Limits how many requests of one connection wait for their answers. Node calls the handler for all
 * requests that arrive together, so a few kilobytes of requests would hold megabytes of answers.
 * The function records a request, and returns whether to answer it; for more than `most` requests
 * it closes the connection.
 */
export function unansweredRequests(most: number): (connection: RequestingConnection, answer: PendingAnswer) => boolean {
  const counts = new WeakMap<RequestingConnection, number>();
  return (connection, answer) => {
    // Node still delivers requests that arrived together with the excess one.
    if (connection.destroyed) return false;
    const before = counts.get(connection) ?? 0;
    if (before >= most) {
      connection.destroy();
      return false;
    }
    counts.set(connection, before + 1);
    answer.once('close', () => counts.set(connection, (counts.get(connection) ?? 1) - 1));
    return true;
  };
}

/**
 * A counted connection; a socket.
 */
export interface Closable {
  destroy(): void;
}

export interface OpenConnectionsLimits {
  /** The most connections at a time, those that have not begun their handshake included. */
  readonly connections: number;
  /** The most bytes of bodies that all requests together hold. */
  readonly bodyBytes: number;
}

/** The connections of a server, from their first packet on. */
export interface OpenConnections {
  /** Counts one. Where there is no room for it, it is destroyed. Call `closed` when it is gone. */
  opened(socket: Closable): OpenConnection;
  /** Destroys all. */
  destroyAll(): void;
}

export interface OpenConnection {
  closed(): void;
  /**
   * A head has been received. Dispose the request when its answer is handed over; once more changes
   * nothing.
   */
  request(): OpenRequest;
}

export interface OpenRequest extends Disposable {
  /**
   * Whether there is room for that many more bytes of its body, which count until the request is
   * disposed.
   */
  hold(bytes: number): boolean;
  /**
   * The client has sent everything: from now on it waits for the server, which does not drop it
   * until the request is disposed.
   */
  complete(): void;
}

interface Counted {
  readonly socket: Closable;
  bodyBytes: number;
  complete: number;
}

/**
 * Counts connections and the bytes of the bodies they hold. At a limit it drops the connection
 * whose client has kept the server waiting longest: for a handshake, a head, the rest of a body,
 * the next request, or the reading of an answer. So waiting clients cannot keep out a client that
 * sends a request. This applies to all clients alike: an API server need not show a credential, so
 * it is not recognized before its request. `onDrop` is called with the limit that was reached.
 */
export function openConnections(
  limits: OpenConnectionsLimits,
  onDrop: (reached: keyof OpenConnectionsLimits) => void,
): OpenConnections {
  const all = new Set<Counted>();
  /** Those that the server waits for, the longest wait first. */
  const waiting = new Set<Counted>();
  let bodyBytes = 0;

  function forget(counted: Counted): void {
    all.delete(counted);
    waiting.delete(counted);
    bodyBytes -= counted.bodyBytes;
    counted.bodyBytes = 0;
  }
  function drop(counted: Counted): void {
    forget(counted);
    counted.socket.destroy();
  }
  function waitAgain(counted: Counted): void {
    waiting.delete(counted);
    if (all.has(counted) && counted.complete === 0) waiting.add(counted);
  }
  function requestOf(counted: Counted): OpenRequest {
    waitAgain(counted);
    let held = 0;
    let isComplete = false;
    let isDisposed = false;
    return {
      hold(bytes) {
        if (!all.has(counted)) return false;
        while (bodyBytes + bytes > limits.bodyBytes) {
          const longest = waiting.values().find((other) => other.bodyBytes > 0);
          if (longest === undefined || longest === counted) return false;
          drop(longest);
          onDrop('bodyBytes');
        }
        held += bytes;
        counted.bodyBytes += bytes;
        bodyBytes += bytes;
        return true;
      },
      complete() {
        isComplete = true;
        counted.complete += 1;
        waiting.delete(counted);
      },
      [Symbol.dispose]() {
        if (isDisposed) return;
        isDisposed = true;
        if (isComplete) counted.complete -= 1;
        waitAgain(counted);
        if (!all.has(counted)) return;
        counted.bodyBytes -= held;
        bodyBytes -= held;
      },
    };
  }
  return {
    opened(socket) {
      const counted: Counted = { socket, bodyBytes: 0, complete: 0 };
      all.add(counted);
      if (all.size > limits.connections) {
        drop(waiting.values().next().value ?? counted);
        onDrop('connections');
      }
      waitAgain(counted);
      return { closed: () => forget(counted), request: () => requestOf(counted) };
    },
    destroyAll() {
      for (const counted of all) drop(counted);
    },
  };
}

import { orAborted } from '../waiting/or-aborted.ts';

/**
 * Lets only so many in at a time; the others wait for their turn, in the order in which they came.
 */
export interface Gate {
  /**
   * Resolves in its turn, at once where there is room, with what makes room again. Errors: the
   * reason of the signal that aborts before.
   */
  enter(signal: AbortSignal): Promise<() => void>;
}

export function createGate(most: number): Gate {
  const waiting = new Set<() => void>();
  let inside = 0;
  /** The next waiting request takes the place of the one that leaves. */
  const leave = (): void => {
    const [next] = waiting;
    if (next === undefined) {
      inside--;
      return;
    }
    waiting.delete(next);
    next();
  };
  return {
    async enter(signal) {
      if (inside < most) inside++;
      else {
        const { promise: turn, resolve } = Promise.withResolvers<void>();
        waiting.add(resolve);
        try {
          await orAborted(turn, signal);
        } catch (error) {
          // Its turn may have come in the moment in which the signal aborted.
          if (!waiting.delete(resolve)) leave();
          throw error;
        }
      }
      let isInside = true;
      return () => {
        if (isInside) leave();
        isInside = false;
      };
    },
  };
}

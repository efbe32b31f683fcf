/** Lets only so many in at a time; the others wait for their turn, in the order in which they came. */
export interface Gate {
  /** `pass` is called in its turn, at once where there is room, with what makes room again. Returns what gives up waiting. */
  enter(pass: (leave: () => void) => void): () => void;
}

export function createGate(most: number): Gate {
  const waiting = new Set<() => void>();
  let inside = 0;
  const next = (): void => {
    const [first] = waiting;
    if (first === undefined || inside >= most) return;
    waiting.delete(first);
    first();
  };
  return {
    enter(pass) {
      const turn = () => {
        inside++;
        let isInside = true;
        pass(() => {
          if (!isInside) return;
          isInside = false;
          inside--;
          next();
        });
      };
      waiting.add(turn);
      next();
      return () => void waiting.delete(turn);
    },
  };
}

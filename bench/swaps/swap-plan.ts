/** Who runs in a cluster. */
export type Make = 'Antrea' | 'Isthmus';

/** Whose definitions the clusters have while a make runs: each its own, or those of one all the time. */
export type Definitions = 'each its own' | "Isthmus'" | "Antrea's";

/** One controller that another takes the place of. */
export interface Swap {
  readonly round: number;
  readonly cluster: string;
  readonly to: Make;
  readonly definitions: Definitions;
  /** Afterwards the controllers of the other clusters are started anew. */
  readonly restarts: boolean;
  /** Whether `isthmus handover` comes first; else the controller is merely replaced. */
  readonly handover: boolean;
}

/** The orders of a leader and two members, by who comes when: each cluster is once the first and once the last. */
const orders = [
  [0, 1, 2],
  [1, 0, 2],
  [2, 1, 0],
] as const;

const definitionsOfRound: readonly Definitions[] = ['each its own', "Isthmus'", "Antrea's"];

/**
 * Swaps there and back: in each round all clusters change to Antrea in one order, and back in another; so every mixture of the two makes runs for a
 * while. A member cannot leave Isthmus without the handover, which removes what Antrea's objects would stand beside.
 */
export function planSwaps(
  clusters: readonly { readonly name: string; readonly role: 'leader' | 'member' }[],
  rounds: number,
): readonly Swap[] {
  return Array.from({ length: rounds }, (_, index) => index).flatMap((index): readonly Swap[] => {
    const there = orders[index % orders.length] ?? orders[0];
    const back = orders[(index + 1) % orders.length] ?? orders[0];
    const swaps = (order: readonly number[], to: Make) =>
      order.flatMap((at): readonly Swap[] => {
        const cluster = clusters[at];
        if (cluster === undefined) return [];
        const definitions = definitionsOfRound[index % definitionsOfRound.length] ?? 'each its own';
        const handover = to === 'Antrea' && (cluster.role === 'member' || index % 2 === 0);
        return [{ round: index + 1, cluster: cluster.name, to, definitions, restarts: at % 2 === index % 2, handover }];
      });
    return [...swaps(there, 'Antrea'), ...swaps(back, 'Isthmus')];
  });
}

import type { OtherMake } from './other-make.ts';

/** The name of this checkout's make; the other one has its own ({@link OtherMake}). */
export const thisMake = 'Isthmus';

/**
 * Whose definitions the clusters have while a make runs: each its own, or those of one all the
 * time.
 */
export type Definitions = 'each its own' | 'ours' | 'theirs';

/** One controller that another takes the place of. */
export interface Swap {
  readonly round: number;
  readonly cluster: string;
  /** The make that runs in the cluster from now on. */
  readonly to: string;
  readonly definitions: Definitions;
  /** Afterwards the controllers of the other clusters are restarted. */
  readonly restarts: boolean;
  /** Whether `isthmus handover` comes first; else the controller is merely replaced. */
  readonly handover: boolean;
  /** Afterwards all ResourceExports on the leader are deleted. */
  readonly loses: boolean;
}

/**
 * The orders of a leader and two members, by who comes when: each cluster is once the first and
 * once the last.
 */
const orders = [
  [0, 1, 2],
  [1, 0, 2],
  [2, 1, 0],
] as const;

const definitionsOfRound: readonly Definitions[] = ['each its own', 'ours', 'theirs'];

/**
 * Swaps there and back: in each round all clusters change to the other make in one order, and back
 * in another; so every mixture of the two makes runs for a while. Where the other make needs the
 * handover, a member does not leave without it, and a leader does in every second round. Where the
 * other make goes on like this one, exports are lost after the first swap there and the first one
 * back.
 */
export function planSwaps(
  clusters: readonly { readonly name: string; readonly role: 'leader' | 'member' }[],
  rounds: number,
  other: Pick<OtherMake, 'name' | 'needsHandover' | 'goesOn'>,
): readonly Swap[] {
  return Array.from({ length: rounds }, (_, index) => index).flatMap((index): readonly Swap[] => {
    const there = orders[index % orders.length] ?? orders[0];
    const back = orders[(index + 1) % orders.length] ?? orders[0];
    const swaps = (order: readonly number[], to: string) =>
      order.flatMap((at, place): readonly Swap[] => {
        const cluster = clusters[at];
        if (cluster === undefined) return [];
        const definitions = definitionsOfRound[index % definitionsOfRound.length] ?? 'each its own';
        const handover = to !== thisMake && other.needsHandover && (cluster.role === 'member' || index % 2 === 0);
        const restarts = at % 2 === index % 2;
        const loses = other.goesOn && place === 0;
        return [{ round: index + 1, cluster: cluster.name, to, definitions, restarts, handover, loses }];
      });
    return [...swaps(there, other.name), ...swaps(back, thisMake)];
  });
}

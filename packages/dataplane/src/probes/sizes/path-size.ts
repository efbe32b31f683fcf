/**
 * The size of the packets that a path carries, from probes. Sizes are those of packets inside of
 * the tunnel, in bytes. Times are in milliseconds of a monotonic clock.
 *
 * A path carries only small packets if small probes are answered and large ones are not. If no
 * probe is answered, nothing is known: agents before this release, and some firewalls, drop them
 * all.
 */
export interface PathSize {
  readonly phase:
    /** The largest packet is probed from time to time. */
    | 'resting'
    /** The largest packet was lost: is a small one answered? */
    | 'comparing'
    /** A small packet was answered: is the largest one lost again? */
    | 'confirming'
    /** The limit is between `answered` and `lost`. */
    | 'searching'
    /** The search has found a limit: is the packet beyond it lost again? */
    | 'verifying'
    /** The limit is known. */
    | 'small';
  /** The size of the largest packet that the tunnel carries. */
  readonly largest: number;
  /** The largest size that was answered in this search. */
  readonly answered: number;
  /** The smallest size that was not. */
  readonly lost: number;
  /** Consecutive probes without an answer, of one size. */
  readonly misses: number;
  /** When the next probe is due. */
  readonly dueMs: number;
  /** The reported limit. Undefined: large packets arrive, or it is not known. */
  readonly carries: number | undefined;
}

/** The size of small probes: every path carries it. */
const smallBytes = 128;
/** At rest, one large probe a minute. */
const restMs = 60_000;
/** Once a limit is known, it is checked more often, because the path may be correct again. */
const smallMs = 5_000;
/** During a search. The kernel at the other end limits its answers to one in a second. */
const searchMs = 500;
/** So many large packets in a row are not lost by chance. */
const enoughMisses = 3;
/** The accuracy of a found limit. */
const accuracy = 8;

export function newPathSize(largest: number, nowMs: number): PathSize {
  const none = { answered: smallBytes, lost: largest, misses: 0 };
  return { phase: 'resting', largest, ...none, dueMs: nowMs, carries: undefined };
}

/** The size of the next probe. */
export function nextBytes({ phase, largest, answered, lost, misses }: PathSize): number {
  switch (phase) {
    case 'resting':
    case 'confirming':
      return largest;
    case 'comparing':
      return smallBytes;
    case 'searching':
      return Math.floor((answered + lost) / 2);
    case 'verifying':
      return lost;
    // In turn: a path that is correct again answers the one, a path that became smaller loses the
    // other.
    case 'small':
      return misses % 2 === 0 ? largest : answered;
  }
}

/** The knowledge after a probe of {@link nextBytes}. */
export function afterSizeProbe(path: PathSize, isAnswered: boolean, nowMs: number): PathSize {
  const soon = { ...path, dueMs: nowMs + searchMs };
  switch (path.phase) {
    case 'resting':
      return isAnswered ? rested(path, nowMs) : { ...soon, phase: 'comparing', misses: 1 };
    case 'comparing':
      return isAnswered ? { ...soon, phase: 'confirming' } : rested(path, nowMs);
    case 'confirming': {
      if (isAnswered) return rested(path, nowMs);
      const misses = path.misses + 1;
      if (misses < enoughMisses) return { ...soon, misses };
      return searched({ ...soon, misses: 0, answered: smallBytes, lost: path.largest });
    }
    case 'searching':
      return searched({ ...soon, ...(isAnswered ? { answered: nextBytes(path) } : { lost: nextBytes(path) }) });
    case 'verifying': {
      // It was lost by chance, as were perhaps others before.
      if (isAnswered) return searched({ ...soon, misses: 0, answered: path.lost, lost: path.largest });
      const misses = path.misses + 1;
      if (misses < enoughMisses) return { ...soon, misses };
      return { ...path, phase: 'small', misses: 0, dueMs: nowMs + smallMs, carries: path.answered };
    }
    case 'small': {
      const isLargest = path.misses % 2 === 0;
      if (isLargest && isAnswered) return rested(path, nowMs);
      if (isLargest) return { ...path, misses: path.misses + 1, dueMs: nowMs + smallMs };
      if (isAnswered) return { ...path, misses: 0, dueMs: nowMs + smallMs };
      if (path.misses < 2 * enoughMisses - 1) return { ...path, misses: path.misses + 1, dueMs: nowMs + smallMs };
      return { ...soon, phase: 'comparing', misses: 1 };
    }
  }
}

/** Nothing wrong is known: large packets arrive, or no probes of this kind are answered. */
function rested(path: PathSize, nowMs: number): PathSize {
  return { ...newPathSize(path.largest, nowMs), dueMs: nowMs + restMs };
}

/** The search continues, or has found the limit. */
function searched(path: PathSize): PathSize {
  const isFound = path.lost - path.answered <= accuracy;
  // The largest packet was lost often enough.
  if (isFound && path.lost === path.largest) return { ...path, phase: 'verifying', misses: enoughMisses - 1 };
  return { ...path, phase: isFound ? 'verifying' : 'searching', misses: isFound ? 1 : 0 };
}

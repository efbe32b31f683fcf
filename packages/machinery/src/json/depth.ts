/**
 * Whether objects and lists are nested in a JSON value more than `levels` deep. Keeps its own
 * stack: no depth overflows it, and none beyond `levels` is looked at.
 */
export function isDeeperThan(value: unknown, levels: number): boolean {
  let level: readonly object[] = isNesting(value) ? [value] : [];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth >= levels) return true;
    level = level.flatMap((one) => Object.values(one).filter(isNesting));
  }
  return false;
}

function isNesting(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

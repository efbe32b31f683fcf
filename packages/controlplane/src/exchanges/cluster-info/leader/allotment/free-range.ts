import type { Cidr } from '@isthmus/machinery';

/**
 * The first range of a pool that is as long as `like` and overlaps with no range of `taken`.
 * Undefined: there is no such range. It skips taken ranges, so that the time depends on their
 * number and not on the size of the pool.
 */
export function freeRange({ family, length }: Cidr, pool: readonly Cidr[], taken: readonly Cidr[]): Cidr | undefined {
  const bits = family === 'IPv4' ? 32 : 128;
  const size = 1n << BigInt(bits - length);
  const blocks = taken
    .filter((one) => one.family === family)
    .map(({ value, length: ofBlock }) => ({ first: value, end: value + (1n << BigInt(bits - ofBlock)) }))
    .toSorted((a, b) => (a.first < b.first ? -1 : Number(a.first > b.first)));
  for (const range of pool) {
    if (range.family !== family || range.length > length) continue;
    const end = range.value + (1n << BigInt(bits - range.length));
    let candidate = range.value;
    for (const block of blocks) {
      if (block.end <= candidate) continue;
      if (block.first >= candidate + size) break;
      // The next range after the block.
      candidate = ((block.end + size - 1n) / size) * size;
    }
    if (candidate + size <= end) return { family, value: candidate, length };
  }
  return undefined;
}

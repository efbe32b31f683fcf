/**
 * The arithmetic of estimates. The real server counts in unsigned 64-bit integers and stops at the
 * largest. Here, estimates are numbers, exact below 2^53, which is far above the costs that texts
 * show. {@link most} stands for the largest cost, and for unknown costs.
 */
export const most = 2 ** 64;

export function sum(a: number, b: number): number {
  return Math.min(a + b, most);
}

export function product(a: number, b: number): number {
  return Math.min(a * b, most);
}

/** A count times what one costs, rounded up. */
export function scaled(count: number, factor: number): number {
  return Math.min(Math.ceil(count * factor), most);
}

/**
 * How long a text, list or map may be: code points, bytes, items, entries. A number, bool or time
 * is 1 long.
 */
export interface Size {
  readonly min: number;
  readonly max: number;
}

export const unknownSize: Size = { min: 0, max: most };

export function exactly(size: number): Size {
  return { min: size, max: size };
}

export function sizeSum(a: Size, b: Size): Size {
  return { min: sum(a.min, b.min), max: sum(a.max, b.max) };
}

export function sizeProduct(a: Size, b: Size): Size {
  return { min: product(a.min, b.min), max: product(a.max, b.max) };
}

/** The sizes of both. */
export function eitherSize(a: Size, b: Size): Size {
  return { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) };
}

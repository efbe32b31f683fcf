/**
 * FNV-1a of 32 bits over these numbers, such as bytes: an integer from 0 to 2³² − 1. Different
 * inputs rarely share a hash, but a hash protects nothing: collisions are easy to make.
 */
export function fnv1a(numbers: ArrayLike<number>): number {
  let hash = offset;
  for (let i = 0; i < numbers.length; i++) hash = next(hash, numbers[i] ?? 0);
  return hash;
}

/** {@link fnv1a} over the UTF-16 units of a text. */
export function fnv1aOfText(text: string): number {
  let hash = offset;
  for (let i = 0; i < text.length; i++) hash = next(hash, text.charCodeAt(i));
  return hash;
}

const offset = 0x811c9dc5;
const next = (hash: number, value: number): number => Math.imul(hash ^ value, 0x01000193) >>> 0;

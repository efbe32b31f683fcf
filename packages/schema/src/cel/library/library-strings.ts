import { formatText } from './format-text.ts';
import type { Library } from './library.ts';

/** Strings (cel-go's strings extension). Positions count code points. */
export const stringLibrary: Library = {
  namespaces: ['strings'],
  functions: {
    'string.charAt(int): string': charAt,
    'string.replace(string, string): string': (text: string, old: string, by: string) => text.replaceAll(old, () => by),
    'string.replace(string, string, int): string': replaceSome,
    'string.format(list<dyn>): string': formatText,
    'StringsSpace.quote(string): string': (_: unknown, text: string) => JSON.stringify(text),
  },
};

/**
 * Functions of strings that the CEL library has too, but reads otherwise: by their names, the
 * string first.
 */
export const stringOverrides: ReadonlyMap<string, (...given: never[]) => unknown> = new Map<
  string,
  (...given: never[]) => unknown
>([
  ['lowerAscii', (text: string) => text.replace(/[A-Z]+/g, (some) => some.toLowerCase())],
  ['upperAscii', (text: string) => text.replace(/[a-z]+/g, (some) => some.toUpperCase())],
  ['indexOf', indexOf],
  ['lastIndexOf', lastIndexOf],
  ['substring', substring],
]);

function replaceSome(text: string, old: string, by: string, limit: bigint): string {
  let left = limit < 0n ? Number.POSITIVE_INFINITY : Number(limit);
  return text.replaceAll(old, (found) => (left-- > 0 ? by : found));
}

function charAt(text: string, at: bigint): string {
  const points = Array.from(text);
  return at === BigInt(points.length) ? '' : (points[within(at, points.length)] ?? '');
}

function substring(text: string, from: bigint, to?: bigint): string {
  const points = Array.from(text);
  const start = within(from, points.length);
  if (to === undefined) return points.slice(start).join('');
  const end = within(to, points.length);
  if (end < start) throw new Error(`invalid substring range. start: ${start}, end: ${end}`);
  return points.slice(start, end).join('');
}

function indexOf(text: string, part: string, from = 0n): bigint {
  const start = offsetOf(text, within(from, Infinity));
  return pointsBefore(text, text.indexOf(part, start));
}

function lastIndexOf(text: string, part: string, from?: bigint): bigint {
  const start = from === undefined ? text.length : offsetOf(text, within(from, Infinity));
  return pointsBefore(text, text.lastIndexOf(part, start));
}

function offsetOf(text: string, points: number): number {
  return Array.from(text).slice(0, points).join('').length;
}

function pointsBefore(text: string, offset: number): bigint {
  return offset < 0 ? -1n : BigInt(Array.from(text.slice(0, offset)).length);
}

function within(at: bigint, length: number): number {
  if (at < 0n || Number(at) > length) throw new Error(`index out of range: ${at}`);
  return Number(at);
}

/**
 * Finds files that import each other, directly or around a corner, through values or types. Types
 * count, because a reader of one file in a circle has to read all of them. Pure: ties in, findings
 * out.
 */
import { firstOf } from '@isthmus/machinery';
import { circlesOf } from './circles.ts';
import type { Tie } from './imports.ts';

/** Files that reach each other by imports. */
export interface FileCircle {
  /** Bytewise. */
  readonly files: readonly string[];
  /** Every import between two of them. */
  readonly ties: readonly Tie[];
}

/** The circles between files. A file that imports itself is one, too. */
export function fileCircles(ties: readonly Tie[]): readonly FileCircle[] {
  const neighbours = Map.groupBy(ties, ({ from }) => from);
  const circles = circlesOf(
    new Map([...neighbours].map(([from, of]) => [from, new Set(of.map(({ to }) => to))] as const)),
  );
  return circles.map((files) => ({
    files,
    ties: ties.filter(({ from, to }) => files.includes(from) && files.includes(to)),
  }));
}

/** A finding as people read it: how many files, and which lines hold the circle together. */
export function describeFileCircle({ files, ties }: FileCircle): string {
  const lines = firstOf(ties, shown, ({ from, line, text }) => `${from}:${line}: ${text}`);
  const subject = files.length === 1 ? '1 file imports itself:' : `${files.length} files import each other:`;
  return [subject, ...lines.map((line) => `  ${line}`)].join('\n');
}

/** Imports shown of each circle. */
const shown = 12;

/**
 * Finds folders that import each other, directly or around a corner. At each level of a tree, the
 * folders beside each other are its rooms, with everything below them; imports between them may not
 * run in a circle. Loose files of a folder are exempt: an index imports its rooms, and the rooms
 * share the loose files. `file-circles.ts` checks those. Pure: ties in, findings out.
 */
import { firstOf } from '@isthmus/machinery';
import { circlesOf } from './circles.ts';
import type { Tie } from './imports.ts';

/** Folders that reach each other by imports. */
export interface FolderCircle {
  /** Bytewise. */
  readonly folders: readonly string[];
  /** Every import between two of them. */
  readonly ties: readonly (Tie & { readonly fromFolder: string; readonly toFolder: string })[];
}

/** The circles between the folders of files that have these ties. */
export function folderCircles(ties: readonly Tie[]): readonly FolderCircle[] {
  const between = ties.flatMap((tie) => {
    const [fromFolder, toFolder] = foldersOf(tie);
    return fromFolder === undefined || toFolder === undefined ? [] : [{ ...tie, fromFolder, toFolder }];
  });
  const neighbours = new Map<string, Set<string>>();
  for (const { fromFolder, toFolder } of between) {
    neighbours.set(fromFolder, (neighbours.get(fromFolder) ?? new Set()).add(toFolder));
  }
  return circlesOf(neighbours).map((folders) => ({
    folders,
    ties: between.filter(({ fromFolder, toFolder }) => folders.includes(fromFolder) && folders.includes(toFolder)),
  }));
}

/** A finding as people read it: who imports whom, by which lines. */
export function describeCircle({ folders, ties }: FolderCircle): string {
  const directions = Map.groupBy(ties, ({ fromFolder, toFolder }) => `${fromFolder} imports ${toFolder}`);
  const lines = [...directions].flatMap(([direction, of]) => [
    `  ${direction} (${of.length}):`,
    ...firstOf(of, shown, ({ from, line, text }) => `${from}:${line}: ${text}`).map((line) => `    ${line}`),
  ]);
  return [`${folders.join(', ')} import each other:`, ...lines].join('\n');
}

/** Imports shown of each direction. */
const shown = 5;

/**
 * The two neighbouring folders that hold the two files; undefined where a file is
 * loose at that level.
 */
function foldersOf({ from, to }: Tie): readonly [string?, string?] {
  const [a, b] = [from.split('/').slice(0, -1), to.split('/').slice(0, -1)];
  const level = a.findIndex((part, index) => part !== b[index]);
  return level === -1 || level >= b.length ? [] : [a.slice(0, level + 1).join('/'), b.slice(0, level + 1).join('/')];
}

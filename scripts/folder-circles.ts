/**
 * Finds folders that import each other, directly or around a corner. At each level of a tree the folders that stand beside each other are
 * its rooms, with all that is below them; imports between them may not run in a circle. Exempt are the loose files of a folder (they and
 * the folders below are one household: an index imports its rooms, which share the loose files), tests, and what is in `testing/`
 * folders: they look at the house from outside. Pure: texts in, findings out.
 */
import { firstOf } from '@isthmus/machinery';
import { posix } from 'node:path';

/** One import between two folders: the files, and the line that says so. */
interface Tie {
  readonly from: string;
  readonly to: string;
  readonly line: number;
  readonly text: string;
}

/** Folders that reach each other by imports. */
export interface FolderCircle {
  /** Bytewise. */
  readonly folders: readonly string[];
  /** Every import between two of them. */
  readonly ties: readonly (Tie & { readonly fromFolder: string; readonly toFolder: string })[];
}

const outside = /\.test\.ts$|\/testing\//;

/** The circles between folders of these files (path → text). Paths use `/`, and are relative to the same place. */
export function folderCircles(files: ReadonlyMap<string, string>): readonly FolderCircle[] {
  const ties = [...files].flatMap(([from, text]) => (outside.test(from) ? [] : tiesOf(from, text, files)));
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

function tiesOf(from: string, text: string, files: ReadonlyMap<string, string>): readonly Tie[] {
  const imports = /^(?:import|export)\b[^;]*?\bfrom '(\.[^']+)'|^import '(\.[^']+)'|\bimport\('(\.[^']+)'\)/gm;
  return [...text.matchAll(imports)].flatMap((match) => {
    const specifier = match[1] ?? match[2] ?? match[3] ?? '';
    const to = posix.join(posix.dirname(from), specifier);
    if (!files.has(to) || outside.test(to)) return [];
    const line = text.slice(0, match.index).split('\n').length;
    return [{ from, to, line, text: match[0].replaceAll(/\s+/g, ' ') }];
  });
}

/** The two folders that stand beside each other and hold the two files; undefined where a file is loose at that level. */
function foldersOf({ from, to }: Tie): readonly [string?, string?] {
  const [a, b] = [from.split('/').slice(0, -1), to.split('/').slice(0, -1)];
  const level = a.findIndex((part, index) => part !== b[index]);
  return level === -1 || level >= b.length ? [] : [a.slice(0, level + 1).join('/'), b.slice(0, level + 1).join('/')];
}

/** The groups of more than one that reach each other. */
function circlesOf(neighbours: ReadonlyMap<string, ReadonlySet<string>>): readonly (readonly string[])[] {
  const reach = new Map([...neighbours.keys()].map((folder) => [folder, reachedFrom(folder, neighbours)]));
  const groups = [...reach].flatMap(([folder, reached]) =>
    reached.has(folder) ? [[...reached].filter((other) => reach.get(other)?.has(folder) === true).toSorted()] : [],
  );
  return [...new Map(groups.map((group) => [group.join(' '), group])).values()].toSorted(([a = ''], [b = '']) =>
    a < b ? -1 : 1,
  );
}

function reachedFrom(folder: string, neighbours: ReadonlyMap<string, ReadonlySet<string>>): ReadonlySet<string> {
  const reached = new Set<string>(neighbours.get(folder));
  for (const next of reached) for (const further of neighbours.get(next) ?? []) reached.add(further);
  return reached;
}

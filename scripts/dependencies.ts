/**
 * `docs/dependencies.md` as data, and its differences from the manifests, the lockfile and the
 * imports of the source. Pure: texts in, sentences out; `dependencies.test.ts` reads the files.
 *
 * The format. A table of seven cells (package | version | licence | size | why | who replaces it |
 * imported by) describes packages; one of three cells (package | licence | why it is accepted)
 * lists licences outside `acceptedLicences`. A package's name is its first cell in backquotes. The
 * last cell of the seven names the importers as glob patterns in backquotes, or begins with
 * `nobody`.
 */
import { matchesGlob } from 'node:path';

const acceptedLicences: ReadonlySet<string> = new Set([
  'MIT',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
]);

interface DependencyRow {
  readonly line: number;
  readonly name: string;
  readonly version: string;
  readonly licence: string;
  readonly importers: readonly string[];
}

interface DependencyPage {
  readonly rows: readonly DependencyRow[];
  /** Licence by the name of the package that may have it. */
  readonly exceptions: ReadonlyMap<string, string>;
  readonly malformed: readonly string[];
}

/** The parts of a `package.json` that count here. */
export interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>> | undefined;
  readonly devDependencies?: Readonly<Record<string, string>> | undefined;
  readonly optionalDependencies?: Readonly<Record<string, string>> | undefined;
}

/**
 * The parts of `package-lock.json` (version 3) that count here; keys are paths such as
 * `node_modules/yaml`.
 */
export interface Lockfile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

interface LockedPackage {
  readonly version?: string | undefined;
  readonly license?: string | undefined;
  readonly link?: boolean | undefined;
}

export interface Repository {
  /** Text of `docs/dependencies.md`. */
  readonly page: string;
  readonly manifests: readonly Manifest[];
  readonly lockfile: Lockfile;
  /** Source files by path from the root, with forward slashes. */
  readonly sources: ReadonlyMap<string, string>;
}

/** The cells of one Markdown table row, without its outer bars; `\|` is an ordinary bar. */
function tableCells(row: string): readonly string[] {
  const inner = row
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
}

/** True for the row of dashes under a table's header. */
const isDivider = (row: string): boolean => /^\s*\|(?:\s*:?-+:?\s*\|)+\s*$/.test(row);

/**
 * Reads the page; `malformed` lists table rows that are neither a package nor a licence exception.
 */
function parseDependencies(text: string): DependencyPage {
  const rows: DependencyRow[] = [];
  const exceptions = new Map<string, string>();
  const malformed: string[] = [];
  const source = text.split('\n');
  source.forEach((content, index) => {
    if (!content.startsWith('|') || isDivider(content) || isDivider(source[index + 1] ?? '')) return;
    const cells = tableCells(content);
    const name = /^`([^`]+)`$/.exec(cells[0] ?? '')?.[1];
    if (name === undefined || cells.includes('') || (cells.length !== 7 && cells.length !== 3)) {
      malformed.push(`line ${index + 1}: a row needs a package in backquotes, and seven or three cells, all filled`);
    } else if (cells.length === 3) {
      exceptions.set(name, cells[1] ?? '');
    } else {
      const last = cells[6] ?? '';
      const importers = last.startsWith('nobody')
        ? []
        : [...last.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '');
      rows.push({ line: index + 1, name, version: cells[1] ?? '', licence: cells[2] ?? '', importers });
    }
  });
  return { rows, exceptions, malformed };
}

/**
 * A static import or re-export (which begins its line, or ends one that began above), or a dynamic
 * one outside of any string.
 */
const importLine = /^(?:import (?:[^'"]*\bfrom )?|export [^'"]*\bfrom |\} from |[^'"`]*\bimport\()['"]([^'"]+)['"]/;

/**
 * The npm packages that a module loads: no relative paths, no modules of Node, none of our own
 * packages; comment lines don't count.
 */
export function importedPackages(text: string): ReadonlySet<string> {
  const names = new Set<string>();
  for (const line of text.split('\n')) {
    const specifier = importLine.exec(line)?.[1];
    if (specifier === undefined || /^\s*(?:\/\/|\/?\*)/.test(line)) continue;
    if (/^(?:\.|node:|@isthmus\/)/.test(specifier)) continue;
    names.add(specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/'));
  }
  return names;
}

/** Name and pinned version of everything in the manifests that isn't ours. */
function dependenciesOf(manifests: readonly Manifest[]): ReadonlyMap<string, string> {
  const all = new Map<string, string>();
  for (const manifest of manifests) {
    const { dependencies, devDependencies, optionalDependencies } = manifest;
    for (const group of [dependencies ?? {}, devDependencies ?? {}, optionalDependencies ?? {}]) {
      for (const [name, version] of Object.entries(group)) {
        if (!name.startsWith('@isthmus/')) all.set(name, version);
      }
    }
  }
  return all;
}

function licenceProblems(lockfile: Lockfile, exceptions: ReadonlyMap<string, string>): readonly string[] {
  const problems: string[] = [];
  const used = new Set<string>();
  for (const [path, locked] of Object.entries(lockfile.packages)) {
    const name = path.split('node_modules/').at(-1) ?? '';
    if (!path.includes('node_modules/') || locked.link === true) continue;
    const licence = locked.license ?? 'none';
    if (acceptedLicences.has(licence)) continue;
    // The builds for other platforms carry the name of the package that they belong to, as
    // `lightningcss-linux-x64-gnu` does.
    const exception = [...exceptions.keys()].find((known) => name === known || name.startsWith(`${known}-`));
    if (exception !== undefined && exceptions.get(exception) === licence) used.add(exception);
    else
      problems.push(
        `${name} has the licence ${licence}: it needs a decision and a row under "Licences outside the list"`,
      );
  }
  for (const name of exceptions.keys()) {
    if (!used.has(name)) problems.push(`the licence of ${name} needs no exception any more: remove its row`);
  }
  return problems;
}

/** All problems, as sentences; empty if the page is correct. */
export function dependencyProblems(repository: Repository): readonly string[] {
  const page = parseDependencies(repository.page);
  const problems = [...page.malformed];
  const rows = new Map<string, DependencyRow>();
  const dependencies = dependenciesOf(repository.manifests);
  for (const row of page.rows) {
    const told = (problem: string): void => void problems.push(`line ${row.line} (${row.name}): ${problem}`);
    if (rows.has(row.name)) told('has two rows');
    rows.set(row.name, row);
    if (!dependencies.has(row.name)) told('no package.json names it');
    const locked = repository.lockfile.packages[`node_modules/${row.name}`];
    if (locked === undefined) told('is not in package-lock.json');
    else if (locked.version !== row.version)
      told(`is locked at ${locked.version ?? 'no version'}, the row has ${row.version}`);
    else if (locked.license !== row.licence)
      told(`has the licence ${locked.license ?? 'none'}, the row has ${row.licence}`);
  }
  for (const [name, version] of dependencies) {
    if (!rows.has(name)) problems.push(`${name} has no row in docs/dependencies.md`);
    if (!/^\d+\.\d+\.\d+$/.test(version)) problems.push(`${name} is not pinned to an exact version: ${version}`);
  }
  for (const [path, text] of repository.sources) {
    for (const name of importedPackages(text)) {
      const row = rows.get(name);
      if (row === undefined) problems.push(`${path} imports ${name}, which has no row in docs/dependencies.md`);
      else if (!row.importers.some((pattern) => matchesGlob(path, pattern))) {
        problems.push(
          `${path} imports ${name}, which its row in docs/dependencies.md allows to ${row.importers.join(', ') || 'nobody'}`,
        );
      }
    }
  }
  return [...problems, ...licenceProblems(repository.lockfile, page.exceptions)];
}

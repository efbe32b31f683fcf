/**
 * `docs/coverage.md` as data: what the five seed documents and the issue promise, one table row each, with the test that shows it.
 * Pure: text in, rows and problems out; `coverage.test.ts` reads the files.
 *
 * The format. Every table below a `## ` heading is coverage (tables above the first one are not) and has four cells: what | where it
 * comes from | state | tests or reason. The last cell holds items divided by `<br>`: a test is written `` `path` › title ``
 * (`titleProblem` says how it is cited); anything else is a reason in words. A `|` inside a cell is written `\|`.
 */

import { posix } from 'node:path';
import { parseSource } from './syntax.ts';
import type { SourceFile } from './syntax.ts';
import { testTitles } from './test-titles.ts';
import type { TestTitle } from './test-titles.ts';

/** What a row may say about itself: the meaning of each stands at the top of `docs/coverage.md`. */
export const coverageStates = ['shown', 'differs', 'measured', 'not yet', 'not ours'] as const;

/** The `## ` headings of the page, in order; the first five are the titles of the seed documents. */
export const coverageSections = [
  'Antrea Multi-cluster Upgrade Guide',
  'Versioning of Antrea',
  'Antrea Multi-cluster User Guide',
  'Antrea Multi-cluster Installation',
  'EKS Anywhere components upgrade',
  'Acceptance cases',
  'Defects of the reference implementation that ours must not have',
  'First light: what was promised',
  'The third issue: the sandbox',
  'Upgrade rules: acceptance cases',
  'The fourth issue: bundles, versions, policies, bad input',
  'The fourth issue: CRDs, objects and immutable fields',
  'The fourth issue: plans, and when it is done',
] as const;

/** The sections where a file that is not a test may be the proof: some of their rows are about the repository itself. */
const repositorySections: ReadonlySet<string> = new Set([
  'First light: what was promised',
  'The third issue: the sandbox',
  'Upgrade rules: acceptance cases',
  'The fourth issue: bundles, versions, policies, bad input',
  'The fourth issue: plans, and when it is done',
]);

/** The cases of the sandbox's contract suite stand in tables; those that run are recorded by their titles, in a file per area. */
const contractCase = /^(packages\/sandbox\/src\/contract)\/cases\/([\w-]+)\.ts$/;

/** A test, or in the sections on the repository any file, together with words that must stand in it. */
interface Proof {
  readonly path: string;
  readonly title: string;
}

export interface CoverageRow {
  /** Line in the file, from 1. */
  readonly line: number;
  readonly section: string;
  readonly what: string;
  readonly from: string;
  readonly state: string;
  readonly proofs: readonly Proof[];
  readonly reason: string;
}

export interface Coverage {
  readonly rows: readonly CoverageRow[];
  /** Rows that can't be read, as sentences with their line. */
  readonly malformed: readonly string[];
}

/** The cells of one Markdown table row, without its outer bars; `\|` is an ordinary bar. */
export function tableCells(row: string): readonly string[] {
  const inner = row
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
}

/** True for the row of dashes under a table's header. */
export const isDivider = (row: string): boolean => /^\s*\|(?:\s*:?-+:?\s*\|)+\s*$/.test(row);

/** Reads the page; never throws. A row that has not four cells is told in `malformed`. */
export function parseCoverage(text: string): Coverage {
  const rows: CoverageRow[] = [];
  const malformed: string[] = [];
  const source = text.split('\n');
  let section = '';
  source.forEach((content, index) => {
    if (content.startsWith('## ')) section = content.slice(3).trim();
    const isRow = content.startsWith('|') && !isDivider(content) && !isDivider(source[index + 1] ?? '');
    if (!isRow || section === '') return;
    const [what = '', from = '', state = '', last = '', ...more] = tableCells(content);
    if (more.length > 0 || what === '' || from === '' || state === '') {
      malformed.push(`line ${index + 1}: a row needs four cells, the first three filled`);
      return;
    }
    const proofs: Proof[] = [];
    const reasons: string[] = [];
    for (const item of last.split('<br>').map((part) => part.trim())) {
      const [, path, title] = /^`([^`]+)` › (.+)$/.exec(item) ?? [];
      if (path !== undefined && title !== undefined) proofs.push({ path, title });
      else if (item !== '') reasons.push(item);
    }
    rows.push({ line: index + 1, section, what, from, state, proofs, reason: reasons.join(' ') });
  });
  return { rows, malformed };
}

/**
 * What is wrong with a title that is cited, as the end of a sentence about its file; undefined where a test or group of that title runs.
 * Of a table (`each`) a row cites the title as it stands in the source, the text that it takes from an entry, or the two put together;
 * a title that says nothing without its entry, such as `%s`, is cited by the entry.
 */
export function titleProblem(titles: readonly TestTitle[], cited: string): string | undefined {
  const found = titles.filter(({ title, entries }) => title === cited || entries.has(cited));
  if (found.length === 0) return `has no test '${cited}'`;
  const live = found.filter(({ isLive }) => isLive);
  if (live.length === 0) return `does not run '${cited}': it is skipped, unwritten, or has an empty table`;
  return live.every(({ needsEntry, entries }) => needsEntry && !entries.has(cited))
    ? `has many tests of the title '${cited}': cite the text of an entry of its table`
    : undefined;
}

type Read = (path: string) => string | undefined;

/** Reads what rows cite, each file once: many rows cite one file, and many files import one table. */
function filesOf(read: Read): Files {
  const source = once((path: string): SourceFile | undefined => {
    const text = read(path);
    return text === undefined ? undefined : parseSource(text, imports(path));
  });
  const imports = (from: string) => (specifier: string) =>
    specifier.startsWith('.') ? source(posix.join(posix.dirname(from), specifier)) : undefined;
  return {
    read,
    titles: once((path) => {
      const text = read(path);
      return text === undefined ? undefined : testTitles(text, imports(path));
    }),
    recorded: once((path) => new Set(Object.keys(JSON.parse(read(path) ?? '{}') as object))),
  };
}

function once<T>(make: (path: string) => T): (path: string) => T {
  const known = new Map<string, T>();
  return (path) => {
    const found = known.get(path);
    if (found !== undefined) return found;
    const made = make(path);
    known.set(path, made);
    return made;
  };
}

/**
 * The numbers that rows of a section carry: a `what` such as `77 · two exporters` or `B6a · a new label` carries 77 or B6 (a letter
 * behind the number marks a part).
 */
export function numbersIn(coverage: Coverage, section: string): ReadonlySet<string> {
  const numbers = coverage.rows
    .filter((row) => row.section === section)
    .map((row) => /^(B?\d+)[a-z]? · /.exec(row.what)?.[1] ?? '');
  return new Set(numbers);
}

/** Where the rows of a section come from, each source once, in the order of the page. */
export function sourcesIn(coverage: Coverage, section: string): readonly string[] {
  return [...new Set(coverage.rows.filter((row) => row.section === section).map((row) => row.from))];
}

const isState = (state: string): boolean => coverageStates.some((known) => known === state);

interface Files {
  readonly read: Read;
  /** The tests of a file and of the tables that it imports; undefined where there is no such file. */
  readonly titles: (path: string) => readonly TestTitle[] | undefined;
  /** The names of the cases of an area of the contract suite. */
  readonly recorded: (path: string) => ReadonlySet<string>;
}

function proofProblem(row: CoverageRow, proof: Proof, files: Files): string | undefined {
  const { path, title } = proof;
  const [, suite = '', area = ''] = contractCase.exec(path) ?? [];
  if (area !== '') {
    return files.recorded(`${suite}/recorded/${area}.json`).has(title)
      ? undefined
      : `${path} has no recorded case '${title}'`;
  }
  if (!path.endsWith('.test.ts')) {
    if (!repositorySections.has(row.section)) return `${path} is not a test file`;
    const text = files.read(path);
    if (text === undefined) return `${path} does not exist`;
    return text.includes(title) ? undefined : `${path} has no text '${title}'`;
  }
  const titles = files.titles(path);
  if (titles === undefined) return `${path} does not exist`;
  const problem = titleProblem(titles, title);
  return problem === undefined ? undefined : `${path} ${problem}`;
}

function stateProblem(row: CoverageRow): string | undefined {
  const hasProof = row.proofs.length > 0;
  const hasReason = row.reason !== '';
  switch (row.state) {
    case 'shown':
      return hasProof ? undefined : 'says shown but names no test';
    case 'differs':
      return hasProof && hasReason ? undefined : 'says differs: it needs a test and the reason';
    default:
      return hasReason && !hasProof ? undefined : `says ${row.state}: it needs the reason, and no test`;
  }
}

/**
 * Everything that is wrong with the page, as sentences that name the line; empty when it tells the truth. `read` gives the text of a
 * file by its path from the root of the repository, or undefined where there is none.
 */
export function coverageProblems(coverage: Coverage, read: Read): readonly string[] {
  const problems = [...coverage.malformed];
  const files = filesOf(read);
  const seen = new Map<string, number>();
  for (const row of coverage.rows) {
    const told = (problem: string | undefined): void => {
      if (problem !== undefined) problems.push(`line ${row.line} (${row.what}): ${problem}`);
    };
    if (!coverageSections.some((section) => section === row.section)) told(`the section '${row.section}' is not known`);
    if (isState(row.state)) told(stateProblem(row));
    else told(`the state '${row.state}' is not one of ${coverageStates.join(', ')}`);
    for (const proof of row.proofs) told(proofProblem(row, proof, files));
    const key = JSON.stringify([row.section, row.from, row.what]);
    const earlier = seen.get(key);
    if (earlier === undefined) seen.set(key, row.line);
    else told(`is the same row as line ${earlier}`);
  }
  for (const section of coverageSections) {
    if (!coverage.rows.some((row) => row.section === section)) problems.push(`the section '${section}' has no rows`);
  }
  return problems;
}

/**
 * `docs/coverage/*.yaml` as data: what the sources of this system promise, one row each, with the
 * tests that show it. Pure: texts in, rows and problems out; `coverage.test.ts` reads the files,
 * `generate/coverage-pages.ts` makes the pages from them.
 *
 * The format. A file per source: `title`, `source`, `intro`, and `headings` with `rows`. A row has
 * `what`, `state`, the `reason` in words where the state needs one, `tests` written `path › title`
 * (`titleProblem` defines how a title is cited), and in lists of cases its `case`, such as
 * `upgrades 75a`.
 */

import { posix } from 'node:path';
import { parseManifests } from '@isthmus/machinery';
import { parseSource } from './syntax.ts';
import type { SourceFile } from './syntax.ts';
import { testTitles } from './test-titles.ts';
import type { TestTitle } from './test-titles.ts';

/** The states that a row may have, with the meaning that the generated page prints. */
export const coverageStates = {
  shown: 'works as the source describes; the named tests fail if it stops working',
  differs: 'works differently from the source, on purpose: the row names the reason and the test',
  measured: 'measured once with the named command; no test repeats the measurement',
  'not yet': 'planned; the row names the part that will contain it',
  'not ours': 'will not be built; the row gives the reason',
} as const;

export type CoverageState = keyof typeof coverageStates;

/**
 * The files below `docs/coverage`, in the order of the index; the first five are the documents that
 * the system is built from.
 */
export const coverageFiles = [
  'antrea-upgrade-guide',
  'antrea-versioning',
  'antrea-user-guide',
  'antrea-installation',
  'eks-anywhere-upgrade',
  'control-plane-cases',
  'antrea-defects',
  'control-plane',
  'data-plane',
  'sandbox',
  'upgrade-cases',
  'upgrade-files',
  'upgrade-crds',
  'upgrade-plans',
  'trial',
  'trust',
  'statuses',
  'presence',
  'reasons',
  'repository',
] as const;

/**
 * The sources where a file that is not a test may be the proof: some of their rows are about the
 * repository itself.
 */
const repositorySources: ReadonlySet<string> = new Set([
  'control-plane',
  'data-plane',
  'sandbox',
  'upgrade-cases',
  'upgrade-files',
  'upgrade-plans',
]);

/**
 * The cases of the sandbox's contract suite are in tables. Those that run are recorded by their
 * titles, in a file per area.
 */
const contractCase = /^(packages\/sandbox\/src\/contract)\/cases\/([\w-]+)\.ts$/;

/**
 * A test, or in the sources about the repository any file, together with words that it contains.
 */
interface Proof {
  readonly path: string;
  readonly title: string;
}

export interface CoverageRow {
  /** The name of the file without `.yaml`. */
  readonly file: string;
  readonly heading: string;
  /** The list and the number of a case, such as `upgrades 75a`; a letter marks a part of a case. */
  readonly case: string | undefined;
  readonly what: string;
  readonly state: string;
  readonly proofs: readonly Proof[];
  readonly reason: string;
}

export interface CoverageSource {
  readonly file: string;
  readonly title: string;
  /** The place of the promises, as text for the page. */
  readonly source: string;
  readonly intro: string;
  readonly rows: readonly CoverageRow[];
}

export interface Coverage {
  readonly sources: readonly CoverageSource[];
  /** The entries that cannot be read, as sentences with the file. */
  readonly malformed: readonly string[];
}

const fieldsOf = {
  file: ['title', 'source', 'intro', 'headings'],
  heading: ['heading', 'rows'],
  row: ['case', 'what', 'state', 'reason', 'tests'],
} as const;

type Fields = Readonly<Partial<Record<(typeof fieldsOf)[keyof typeof fieldsOf][number], unknown>>>;

/**
 * Reads the data: the text of each file by its name without `.yaml`, in the order of
 * `coverageFiles`. Reports what is malformed instead of throwing, apart from text that is not YAML.
 */
export function parseCoverage(texts: ReadonlyMap<string, string>): Coverage {
  const malformed: string[] = [];
  return { sources: [...texts].map(([file, text]) => sourceOf(file, text, malformed)), malformed };
}

function sourceOf(file: string, text: string, malformed: string[]): CoverageSource {
  const name = `docs/coverage/${file}.yaml`;
  const report = (problem: string): void => void malformed.push(name + problem);
  const top = fieldsIn(parseManifests(text, { source: name })[0]?.value, 'file', '', report);
  return {
    file,
    title: textIn(top.title, ' title', report),
    source: textIn(top.source, ' source', report),
    intro: textIn(top.intro ?? absent, ' intro', report),
    rows: listIn(top.headings).flatMap((value) => {
      const group = fieldsIn(value, 'heading', '', report);
      const heading = textIn(group.heading, ' heading', report);
      return listIn(group.rows).map((row) => rowOf(row, { file, heading }, report));
    }),
  };
}

type Report = (problem: string) => void;

function rowOf(value: unknown, at: Pick<CoverageRow, 'file' | 'heading'>, report: Report): CoverageRow {
  const row = fieldsIn(value, 'row', ` ${at.heading}`, report);
  const what = textIn(row.what, ` ${at.heading}`, report);
  const where = ` (${what})`;
  const proofs = listIn(row.tests).flatMap((test): Proof[] => {
    const [, path, title] = /^(\S+) › (.+)$/.exec(String(test)) ?? [];
    if (path !== undefined && title !== undefined) return [{ path, title }];
    report(`${where}: a test is written 'path › title', not '${String(test)}'`);
    return [];
  });
  return {
    ...at,
    what,
    case: textIn(row.case ?? absent, `${where} case`, report) || undefined,
    state: textIn(row.state, `${where} state`, report),
    reason: textIn(row.reason ?? absent, `${where} reason`, report),
    proofs,
  };
}

function fieldsIn(value: unknown, kind: keyof typeof fieldsOf, where: string, report: Report): Fields {
  const members = typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
  const known: readonly string[] = fieldsOf[kind];
  for (const key of Object.keys(members)) if (!known.includes(key)) report(`${where}: unknown field '${key}'`);
  return members;
}

/** Stands for an optional text that is not there. */
const absent = Symbol('absent');

function textIn(value: unknown, where: string, report: Report): string {
  if (value === absent) return '';
  if (typeof value === 'string' && value.trim() !== '') return value;
  report(`${where}: needs a text`);
  return '';
}

const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** All rows, in the order of the files. */
export const coverageRows = (coverage: Coverage): readonly CoverageRow[] =>
  coverage.sources.flatMap(({ rows }) => rows);

/**
 * The problem of a title that is cited, as the end of a sentence about its file; undefined if a
 * test or group of that title runs. A row may cite a title of a table (`each`) in three ways: as it
 * is in the source, as the text from an entry, or both put together. A title with no words of its
 * own, such as `%s`, is cited by the entry.
 */
function titleProblem(titles: readonly TestTitle[], cited: string): string | undefined {
  const named = titles.filter(({ title }) => title === cited);
  const isEnough = named.some(({ isLive, needsEntry }) => isLive && !needsEntry);
  const found = isEnough ? named : titles.filter((one) => one.title === cited || one.entries.has(cited));
  if (found.length === 0) return `has no test '${cited}'`;
  const live = found.filter(({ isLive }) => isLive);
  if (live.length === 0) return `does not run '${cited}': it is skipped, unwritten, or has an empty table`;
  return live.every(({ needsEntry, entries }) => needsEntry && !entries.has(cited))
    ? `has many tests of the title '${cited}': cite the text of an entry of its table`
    : undefined;
}

type Read = (path: string) => string | undefined;

/**
 * Reads what rows cite, each file once: many rows cite one file, and many files import one table.
 */
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

/** The headings that a source has rows for, each once, in the order of the file. */
export function headingsIn(coverage: Coverage, file: string): readonly string[] {
  return [
    ...new Set(
      coverageRows(coverage)
        .filter((row) => row.file === file)
        .map(({ heading }) => heading),
    ),
  ];
}

/**
 * The number of a case without its list and the letter of its part: 75 of `upgrades 75a`, B6 of
 * `defect B6a`.
 */
export const caseNumber = (name: string): string => /^[a-z-]+ (B?\d+)[a-z]?$/.exec(name)?.[1] ?? '';

const isState = (state: string): boolean => Object.hasOwn(coverageStates, state);

interface Files {
  readonly read: Read;
  /**
   * The tests of a file and of the tables that it imports; undefined where there is no such file.
   */
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
    if (!repositorySources.has(row.file)) return `${path} is not a test file`;
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
      return hasProof ? undefined : 'is shown but names no test';
    case 'differs':
      return hasProof && hasReason ? undefined : 'differs: it needs a test and the reason';
    default:
      return hasReason && !hasProof ? undefined : `is ${row.state}: it needs the reason, and no test`;
  }
}

/**
 * All problems of the data, as sentences that name file and row; empty if the data is correct.
 * `read` returns the text of a file by its path from the root of the repository, or undefined if
 * there is no such file.
 */
export function coverageProblems(coverage: Coverage, read: Read): readonly string[] {
  const problems = [...coverage.malformed];
  const files = filesOf(read);
  const seen = new Set<string>();
  const cases = new Set<string>();
  for (const row of coverageRows(coverage)) {
    const report = (problem: string | undefined): void => {
      if (problem !== undefined) problems.push(`docs/coverage/${row.file}.yaml (${row.what}): ${problem}`);
    };
    if (isState(row.state)) report(stateProblem(row));
    else report(`the state '${row.state}' is not one of ${Object.keys(coverageStates).join(', ')}`);
    for (const proof of row.proofs) report(proofProblem(row, proof, files));
    const key = JSON.stringify([row.file, row.heading, row.case, row.what]);
    if (seen.has(key)) report('occurs twice under its heading');
    seen.add(key);
    if (row.case === undefined) continue;
    if (caseNumber(row.case) === '') report(`'${row.case}' is not the name of a case, such as 'upgrades 75a'`);
    if (cases.has(row.case)) report(`the case '${row.case}' has two rows`);
    cases.add(row.case);
  }
  for (const { file, rows } of coverage.sources)
    if (rows.length === 0) problems.push(`docs/coverage/${file}.yaml has no rows`);
  return problems;
}

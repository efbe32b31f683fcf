/**
 * `docs/coverage.md` as data: what the five seed documents and the issue promise, one table row each, with the test that shows it.
 * Pure: text in, rows and problems out; `coverage.test.ts` reads the files.
 *
 * The format. Every table below a `## ` heading is coverage (tables above the first one are not) and has four cells: what | where it
 * comes from | state | tests or reason. The last cell holds items divided by `<br>`: a test is written `` `path` › title ``, with the
 * title as it stands in the source; anything else is a reason in words. A `|` inside a cell is written `\|`.
 */

/** What a row may say about itself: the meaning of each stands at the top of `docs/coverage.md`. */
export const coverageStates = ['shown', 'differs', 'planned', 'not yet', 'not ours'] as const;

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
] as const;

/** The one section where a file that is not a test may be the proof: its rows are about the repository itself. */
const repositorySection = 'First light: what was promised';

/** A test, or in the section on the repository any file, together with words that must stand in it. */
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
 * Whether a test file has a test of this title: the title is a whole string literal somewhere in the text (an argument of `it`, or an
 * entry of a table that `it.each` reads), not in a comment, not the title of a `describe`, and not of a skipped or unwritten test.
 */
export function holdsTitle(text: string, title: string): boolean {
  for (const quote of ["'", '"', '`']) {
    const literal = `${quote}${title.replaceAll(quote, `\\${quote}`)}${quote}`;
    for (let at = text.indexOf(literal); at >= 0; at = text.indexOf(literal, at + 1)) {
      const before = text.slice(0, at);
      const sameLine = before.slice(before.lastIndexOf('\n') + 1);
      const isComment = /^\s*(?:\/\/|\/?\*)/.test(sameLine);
      const isOther = /\b(?:describe[\w.]*|(?:it|test)\.(?:skip|todo))\s*\(\s*$/.test(before);
      if (!isComment && !isOther) return true;
    }
  }
  return false;
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

function proofProblem(row: CoverageRow, proof: Proof, read: (path: string) => string | undefined): string | undefined {
  const isTest = proof.path.endsWith('.test.ts');
  if (!isTest && row.section !== repositorySection) return `${proof.path} is not a test file`;
  const text = read(proof.path);
  if (text === undefined) return `${proof.path} does not exist`;
  const holds = isTest ? holdsTitle(text, proof.title) : text.includes(proof.title);
  return holds ? undefined : `${proof.path} has no ${isTest ? 'test' : 'text'} '${proof.title}'`;
}

function stateProblem(row: CoverageRow): string | undefined {
  const hasProof = row.proofs.length > 0;
  const hasReason = row.reason !== '';
  switch (row.state) {
    case 'shown':
      return hasProof ? undefined : 'says shown but names no test';
    case 'differs':
      return hasProof && hasReason ? undefined : 'says differs: it needs a test and the reason';
    case 'planned':
      return hasProof || (hasReason && !row.reason.startsWith('will differ: '))
        ? 'says planned: its last cell is empty or begins with "will differ: "'
        : undefined;
    default:
      return hasReason && !hasProof ? undefined : `says ${row.state}: it needs the reason, and no test`;
  }
}

/**
 * Everything that is wrong with the page, as sentences that name the line; empty when it tells the truth. `read` gives the text of a
 * file by its path from the root of the repository, or undefined where there is none.
 */
export function coverageProblems(coverage: Coverage, read: (path: string) => string | undefined): readonly string[] {
  const problems = [...coverage.malformed];
  const seen = new Map<string, number>();
  for (const row of coverage.rows) {
    const told = (problem: string | undefined): void => {
      if (problem !== undefined) problems.push(`line ${row.line} (${row.what}): ${problem}`);
    };
    if (!coverageSections.some((section) => section === row.section)) told(`the section '${row.section}' is not known`);
    if (isState(row.state)) told(stateProblem(row));
    else told(`the state '${row.state}' is not one of ${coverageStates.join(', ')}`);
    for (const proof of row.proofs) told(proofProblem(row, proof, read));
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

/** The report of a run: pure. */
import { disagreements, failures, overLimit } from './verdicts.ts';
import type { DefinitionVerdict, PairResult, Problem } from './verdicts.ts';

export interface HistoryResult {
  readonly name: string;
  readonly pairs: readonly PairResult[];
}

export interface CorpusReport {
  /** The problems, and how many there are. */
  readonly text: string;
  /** False where anything must not be as it is, and where nothing was compared. */
  readonly isOk: boolean;
}

/** The first lines of the table. */
export function tableHead(): string {
  return [columns, columns.map(() => '---')].map(line).join('\n');
}

/** The line of a history. */
export function tableRow(result: HistoryResult): string {
  return line(rowOf(result));
}

/** The problems of a history. */
export function problemsOf({ name, pairs }: HistoryResult, limitMs: number): readonly string[] {
  return pairs
    .flatMap((pair) => [...disagreements(name, pair), ...failures(name, pair), ...overLimit(name, pair, limitMs)])
    .map(problemLine);
}

/** The lines below the table. */
export function corpusEnd(results: readonly HistoryResult[], limitMs: number): CorpusReport {
  const problems = results.flatMap((result) => problemsOf(result, limitMs));
  const compared = results.reduce((sum, { pairs }) => sum + definitionsOf(pairs).length, 0);
  const nothing = compared === 0 ? ['no CRD was compared with an API server'] : [];
  const verdict = `${compared} CRDs compared, ${problems.length} ${problems.length === 1 ? 'problem' : 'problems'}`;
  return { text: [...problems, ...nothing, verdict].join('\n'), isOk: problems.length === 0 && compared > 0 };
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

const columns = [
  'history',
  'versions',
  'pairs',
  'CRDs applied',
  'server rejects',
  'we reject',
  'not judged',
  'CRDs that we block',
  'crdify blocks',
  'crdify alone',
  'we alone',
  'pluto reports',
  'object writes',
  'of them rejected',
  'disagreements',
  'failures',
  'CPU of check crd, median',
  'CPU of check crd, most',
  'CPU of any check, most',
  'memory, most',
];

function rowOf({ name, pairs }: HistoryResult): readonly string[] {
  const definitions = definitionsOf(pairs);
  const objects = pairs.flatMap((pair) => pair.objects);
  const runs = pairs.flatMap(({ checks }) => checks);
  const most = (values: readonly number[]) => Math.max(0, ...values);
  const ofCrd = runs.filter(({ args }) => args[0] === 'crd').map(({ run }) => run.cpuMs);
  const pluto = pairs.flatMap((pair) => (pair.pluto === undefined ? [] : [pair.pluto]));
  return [
    name,
    pairs.length,
    Math.max(0, pairs.length - 1),
    definitions.length,
    definitions.filter(({ isAccepted }) => !isAccepted).length,
    definitions.filter(({ ours }) => ours.refusals.length > 0).length,
    definitions.filter(({ ours }) => ours.unjudged.length > 0).length,
    definitions.filter(blocks).length,
    ...besideCrdify(definitions),
    pluto.length === 0 ? '–' : pluto.reduce((sum, count) => sum + count, 0),
    objects.length,
    objects.filter(({ isAccepted }) => !isAccepted).length,
    pairs.flatMap((pair) => disagreements(name, pair)).length,
    pairs.flatMap((pair) => failures(name, pair)).length,
    `${Math.round(median(ofCrd))} ms`,
    `${Math.round(most(ofCrd))} ms`,
    `${Math.round(most(runs.map(({ run }) => run.cpuMs)))} ms`,
    `${Math.round(most(runs.map(({ run }) => run.memoryMb)))} MB`,
  ].map(String);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function blocks({ ours }: DefinitionVerdict): boolean {
  return ours.refusals.length + ours.breaks.length > 0;
}

/**
 * How many CRDs crdify blocks, how many it alone does, and how many only we do, of those that it
 * was asked about.
 */
function besideCrdify(definitions: readonly DefinitionVerdict[]): readonly (number | string)[] {
  const asked = definitions.flatMap((one) => (one.crdify === undefined ? [] : [{ ...one, errors: one.crdify.length }]));
  if (asked.length === 0) return ['–', '–', '–'];
  const count = (isMeant: (one: (typeof asked)[number]) => boolean) => asked.filter(isMeant).length;
  return [
    count(({ errors }) => errors > 0),
    count((one) => one.errors > 0 && !blocks(one)),
    count((one) => one.errors === 0 && blocks(one)),
  ];
}

function definitionsOf(pairs: readonly PairResult[]) {
  return pairs.flatMap(({ definitions }) => definitions);
}

function problemLine({ kind, where, what }: Problem): string {
  return `${kind}: ${where}: ${what}`;
}

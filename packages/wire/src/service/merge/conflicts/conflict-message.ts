import { firstNames } from '@isthmus/machinery';
import type { Exporter } from '../precedence.ts';

/** Exporters whose value differs from that of the winner. */
export interface Disagreement {
  /** The subject, as the beginning of a sentence: `Port http`, `Field sessionAffinity`. */
  readonly what: string;
  readonly winner: Exporter;
  /** The value of the winner; absent if values are too long for messages. */
  readonly value?: string | undefined;
  readonly losers: readonly { readonly exporter: Exporter; readonly value: string }[];
  /** Losers whose endpoints are not used because of the disagreement. */
  readonly unused?: { readonly exporters: readonly Exporter[]; readonly where: string } | undefined;
}

/**
 * How many clusters, other values and sentences about ports a message lists before it counts the
 * rest, and how many characters of a value it shows. With one sentence for each of the eight other
 * fields, that is 16 sentences of at most 1,750 characters.
 */
const maxClustersShown = 4;
const maxValuesShown = 3;
const maxSentencesShown = 8;
const maxValueLength = 64;

/**
 * The sentence for one disagreement among `total` exporters: the field, the winning value and its
 * reason, the other values with their clusters, the consequence. At most 1,750 characters, whatever
 * the number and length of values and cluster IDs (which have at most 63).
 */
export function sentenceOf(disagreement: Disagreement, total: number): string {
  const { what, winner, value, losers, unused } = disagreement;
  const tie = losers.some(({ exporter }) => exporter.firstExportedMs === winner.firstExportedMs);
  const why = tie ? 'exported first; ties go to the lower cluster ID' : 'exported first';
  const clauses =
    value === undefined
      ? [
          `${what} come from ${winner.clusterID} (${why}); they differ in ${clusterList(losers.map(({ exporter }) => exporter))}`,
        ]
      : [`${what} is ${listed([`${cut(value)} in ${winner.clusterID} (${why})`, ...claims(losers)])}`];
  if (unused !== undefined && unused.exporters.length > 0) {
    clauses.push(`${endpointsOf(unused.exporters)} are not used${unused.where}`);
  }
  // With two exporters the count is obvious.
  if (total > 2) clauses.push(`${losers.length} of ${total} clusters disagree`);
  return clauses.join('; ');
}

/**
 * The sentence for a port that some of `total` exporters do not have, without another port in its
 * place.
 */
export function partialPortSentence(what: string, exposedBy: readonly Exporter[], total: number): string {
  if (exposedBy.length === 1) return `${what} is exposed only by ${clusterList(exposedBy)}`;
  return `${what} is exposed by ${exposedBy.length} of ${total} clusters: ${clusterList(exposedBy)}`;
}

/** The first sentences, and a count of the others; `rest` names their kind. */
export function firstSentences(sentences: readonly string[], rest: string): readonly string[] {
  const more = sentences.length - maxSentencesShown;
  return more <= 0 ? sentences : [...sentences.slice(0, maxSentencesShown), `${more} more ${rest}`];
}

/**
 * `value in cluster, cluster` for each value, in order of precedence: the value with the most
 * precedence first.
 */
function claims(losers: Disagreement['losers']): readonly string[] {
  const byValue = Map.groupBy(losers, ({ value }) => value);
  const groups = [...byValue].slice(0, maxValuesShown);
  const texts = groups.map(
    ([value, claim]) => `${cut(value)} in ${clusterList(claim.map(({ exporter }) => exporter))}`,
  );
  const more = byValue.size - groups.length;
  return more === 0 ? texts : [...texts, `${more} more values elsewhere`];
}

function endpointsOf(exporters: readonly Exporter[]): string {
  const only = exporters[0];
  if (only !== undefined && exporters.length === 1) return `${only.clusterID}'s endpoints`;
  return `the endpoints of ${clusterList(exporters)}`;
}

/** Without a last `and`, because it is used inside lists that have one. */
function clusterList(exporters: readonly Exporter[]): string {
  return firstNames(
    exporters.map(({ clusterID }) => clusterID),
    maxClustersShown,
  );
}

/** `a`, `a and b`, `a, b and c`. */
function listed(items: readonly string[]): string {
  return items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
}

function cut(value: string): string {
  return value.length <= maxValueLength ? value : `${value.slice(0, maxValueLength - 1)}…`;
}

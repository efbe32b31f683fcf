import { firstNames } from '@isthmus/machinery';
import type { Exporter } from '../precedence.ts';

/** Exporters that say something else than the one that wins. */
export interface Disagreement {
  /** What it is about, as a sentence begins: `Port http`, `Field sessionAffinity`. */
  readonly what: string;
  readonly winner: Exporter;
  /** What the winner says, or absent where values are not for messages. */
  readonly value?: string | undefined;
  readonly losers: readonly { readonly exporter: Exporter; readonly value: string }[];
  /** Losers whose endpoints are not used because of it. */
  readonly unused?: { readonly exporters: readonly Exporter[]; readonly where: string } | undefined;
}

/**
 * How many clusters, other values and sentences about ports a message spells out before it counts the rest, and how many characters
 * of a value it shows. With one sentence for each of the eight other fields that makes 16 sentences of at most 1,750 characters.
 */
const maxClustersShown = 4;
const maxValuesShown = 3;
const maxSentencesShown = 8;
const maxValueLength = 64;

/**
 * The sentence for one disagreement among `total` exporters: the field, what wins and why, who says what instead, what follows.
 * At most 1,750 characters, whatever the number and length of values and cluster IDs (which have at most 63).
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
  // With two exporters the count is plain to see.
  if (total > 2) clauses.push(`${losers.length} of ${total} clusters disagree`);
  return clauses.join('; ');
}

/** The sentence for a port that some of `total` exporters do not have, without anybody having another one in its place. */
export function partialPortSentence(what: string, exposedBy: readonly Exporter[], total: number): string {
  if (exposedBy.length === 1) return `${what} is exposed only by ${clusterList(exposedBy)}`;
  return `${what} is exposed by ${exposedBy.length} of ${total} clusters: ${clusterList(exposedBy)}`;
}

/** The first sentences, and how many more there are of the kind that `rest` names. */
export function firstSentences(sentences: readonly string[], rest: string): readonly string[] {
  const more = sentences.length - maxSentencesShown;
  return more <= 0 ? sentences : [...sentences.slice(0, maxSentencesShown), `${more} more ${rest}`];
}

/** `value in cluster, cluster` for each value, most wanted first: in order of precedence. */
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

/** Without a last `and`, because it stands inside lists that have one. */
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

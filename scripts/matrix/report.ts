/** The results of the matrix as text. Pure. */
import type { Combination, End, EndpointIPType, NodePlace, Target } from './combinations.ts';
import { endName, families, protocols, targets } from './combinations.ts';

/** How the clusters are in one part of the matrix. */
export interface Configuration {
  readonly kubeProxy: string;
  readonly endpointIPType: EndpointIPType;
  readonly encryption: 'none' | 'wireGuard';
  /**
   * On which devices Nodes masquerade what Pods send to anywhere but Pods of their cluster: their
   * own one alone, or all, those of tunnels too.
   */
  readonly masquerades: 'own' | 'all';
}

export interface Outcome extends Combination {
  /** Each of them is right. */
  readonly expected: readonly string[];
  readonly answer: string;
}

/** All outcomes of one configuration. */
export interface ConfigurationOutcomes {
  readonly configuration: Configuration;
  readonly outcomes: readonly Outcome[];
}

export const passes = ({ expected, answer }: Pick<Outcome, 'expected' | 'answer'>): boolean =>
  expected.includes(answer);

export function configurationText({ kubeProxy, endpointIPType, encryption, masquerades }: Configuration): string {
  const words = [
    `kube-proxy ${kubeProxy}`,
    endpointIPType,
    encryption === 'none' ? 'plain' : 'WireGuard',
    `the CNI masquerades on ${masquerades === 'all' ? 'all devices' : 'the device of the Node'}`,
  ];
  return words.join(', ');
}

/** The failures, a line each. */
export function failureLines(outcomes: readonly Outcome[]): readonly string[] {
  return outcomes
    .filter((outcome) => !passes(outcome))
    .map(
      ({ client, server, target, protocol, family, expected, answer }) =>
        `${endName(client)} → ${endName(server)}, ${target}, ${protocol}, ${family}: expected "${expected.join('" or "')}", got "${answer}"`,
    );
}

const placeText: Readonly<Record<NodePlace, string>> = { gateway: 'gateway', other: 'other Node' };
const endText = ({ network, place }: Pick<End, 'network' | 'place'>) =>
  network === 'Pod' ? `Pod on ${placeText[place]}` : `network of ${placeText[place]}`;

interface Row {
  readonly client: string;
  readonly server: string;
  readonly target: Target;
}

const rowOf = ({ client, server, target }: Combination): Row => ({
  client: endText(client),
  server: endText(server),
  target,
});
const keyOf = ({ client, server, target }: Row) => `${client}|${server}|${target}`;

/** The rows of some outcomes, each once: by target, then by client and server, as they come. */
function rowsOf(outcomes: readonly Outcome[]): readonly Row[] {
  const rows = new Map(outcomes.map((outcome) => [keyOf(rowOf(outcome)), rowOf(outcome)]));
  return targets.flatMap((target) => [...rows.values()].filter((row) => row.target === target));
}

/** How many of them passed, of how many; `–` where there are none. */
function cell(outcomes: readonly Outcome[]): string {
  return outcomes.length === 0 ? '–' : `${outcomes.filter(passes).length}/${outcomes.length}`;
}

/**
 * A Markdown table of each combination of one configuration; a cell counts the ordered pairs of
 * clusters.
 */
export function combinationTable(outcomes: readonly Outcome[]): readonly string[] {
  const columns = families.flatMap((family) => protocols.map((protocol) => ({ family, protocol })));
  return table(
    ['client', 'server', 'target', ...columns.map(({ family, protocol }) => `${protocol} ${family}`)],
    rowsOf(outcomes).map((row) => {
      const own = outcomes.filter((outcome) => keyOf(rowOf(outcome)) === keyOf(row));
      const cells = columns.map(({ family, protocol }) =>
        cell(own.filter((outcome) => outcome.family === family && outcome.protocol === protocol)),
      );
      return [row.client, row.server, row.target, ...cells];
    }),
  );
}

/**
 * A Markdown table of all configurations: a cell counts protocols, families and ordered pairs of
 * clusters.
 */
export function summaryTable(all: readonly ConfigurationOutcomes[]): readonly string[] {
  const marks = all.map((_, index) => String.fromCodePoint('A'.codePointAt(0)! + index));
  return [
    ...table(
      ['', 'configuration', 'passed'],
      all.map(({ configuration, outcomes }, index) => [
        marks[index] ?? '',
        configurationText(configuration),
        cell(outcomes),
      ]),
    ),
    '',
    ...table(
      ['client', 'server', 'target', ...marks],
      rowsOf(all.flatMap(({ outcomes }) => outcomes)).map((row) => [
        row.client,
        row.server,
        row.target,
        ...all.map(({ outcomes }) => cell(outcomes.filter((outcome) => keyOf(rowOf(outcome)) === keyOf(row)))),
      ]),
    ),
  ];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)];
}

const heading = '## Results\n';

/** A page whose results are these. Errors: it has no such heading. */
export function withResults(pageText: string, results: string): string {
  const end = pageText.indexOf(heading);
  if (end < 0) throw new Error(`writing results: the page has no line ${JSON.stringify(heading.trim())}`);
  return `${pageText.slice(0, end + heading.length)}\n${results}\n`;
}

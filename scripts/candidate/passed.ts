/** A stage that succeeded. `.ci/run` notes its own stages in the same form. */
export interface Passed {
  readonly name: string;
  /** When it ended: RFC 3339. */
  readonly at: string;
  readonly seconds: number;
  /** The last line that it printed. */
  readonly result: string;
}

/**
 * The commit and the Node that passed. A record counts only for the same commit and the same Node.
 */
export interface Subject {
  readonly commit: string;
  /** Its version, with its `v`. */
  readonly node: string;
}

const headOf = ({ commit, node }: Subject) => `commit ${commit}, Node ${node}`;

/** The text of a record: a line for what it is about, and one for each stage. */
export const printPassed = (subject: Subject, passed: readonly Passed[]): string =>
  `${headOf(subject)}\n${passed.map(printLine).join('')}`;

/** A stage, as a line to be added to a record. */
export const printLine = ({ at, seconds, name, result }: Passed): string =>
  `${[at, seconds, name, result.replaceAll('\t', ' ')].join('\t')}\n`;

/**
 * The stages that passed according to a record; none if it is about another commit or another Node.
 * Lines that were cut off while they were written are left out.
 */
export function readPassed(subject: Subject, text: string): readonly Passed[] {
  const [head, ...lines] = text.split('\n').slice(0, -1);
  if (head !== headOf(subject)) return [];
  return lines.flatMap((line) => {
    const [at, seconds, name, result] = line.split('\t');
    if (at === undefined || name === undefined || result === undefined) return [];
    return [{ at, seconds: Number(seconds), name, result: result.trim() }];
  });
}

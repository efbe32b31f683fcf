/**
 * The part about a spec in the suite's JSON report.
 */
export interface SpecReport {
  readonly LeafNodeType: string;
  readonly LeafNodeText: string;
  readonly ContainerHierarchyTexts: readonly string[] | null;
  readonly ContainerHierarchyLabels: readonly (readonly string[] | null)[] | null;
  readonly LeafNodeLabels: readonly string[] | null;
  readonly State: string;
  readonly Failure?: { readonly Message: string } | undefined;
}

/** The result of a run: its table, and whether it shows conformance. */
export interface Verdict {
  readonly table: string;
  readonly ok: boolean;
}

/**
 * A line for each spec that ran or is required, the required ones first, and the sums. It's `ok`
 * when none failed and every required one has passed; a report without required specs is not.
 */
export function verdictOf(specs: readonly SpecReport[]): Verdict {
  const rows = specs
    .filter(({ LeafNodeType }) => LeafNodeType === 'It')
    .map((spec) => ({ ...spec, labels: labelsOf(spec), what: textOf(spec) }))
    .map((spec) => ({ ...spec, required: spec.labels.includes('Required') }))
    .filter(({ required, State }) => required || State !== 'skipped')
    .toSorted((one, other) => Number(other.required) - Number(one.required));
  const sum = (kind: string, of: typeof rows) =>
    `${kind}: ${of.filter(({ State }) => State === 'passed').length} of ${of.length} passed`;
  const [required, optional] = [rows.filter((row) => row.required), rows.filter((row) => !row.required)];
  const lines = rows.flatMap(({ State, labels, what, Failure }) => [
    `${State.padEnd(8)}${what} [${labels.join(', ')}]`,
    ...(Failure === undefined ? [] : Failure.Message.split('\n').map((line) => `          ${line}`)),
  ]);
  return {
    table: [...lines, '', sum('required', required), sum('optional', optional)].join('\n'),
    ok: required.length > 0 && rows.every(({ State }) => State === 'passed'),
  };
}

const labelsOf = ({ ContainerHierarchyLabels, LeafNodeLabels }: SpecReport): readonly string[] => [
  ...new Set([...(ContainerHierarchyLabels ?? []).flatMap((labels) => labels ?? []), ...(LeafNodeLabels ?? [])]),
];

const textOf = ({ ContainerHierarchyTexts, LeafNodeText }: SpecReport): string =>
  [...(ContainerHierarchyTexts ?? []), LeafNodeText].filter((text) => text !== '').join(' ');

import type { MachineFacts } from './machine.ts';

/** One line of the result. */
export interface Figure {
  /** One of row-names.ts. */
  readonly row: string;
  readonly what: string;
  readonly value: string;
  readonly goal: string;
  /** Undefined where there is no goal. */
  readonly met: boolean | undefined;
  /** Everything that was measured for it. */
  readonly data: unknown;
}

/** The document of `--json`. */
export interface BenchReport {
  /**
   * False where a measurement failed, or its base was broken; a goal that is missed is a result.
   */
  readonly ok: boolean;
  readonly error: string | undefined;
  readonly at: string;
  readonly seconds: number;
  readonly machine: MachineFacts & { readonly kubernetes: string | undefined; readonly loadAtEnd: number };
  readonly figures: readonly Figure[];
}

/** The figures by their rows in the order of `rows`; those of one row as they came. */
export function inOrder(figures: readonly Figure[], rows: readonly string[]): readonly Figure[] {
  return rows.flatMap((row) => figures.filter((figure) => figure.row === row));
}

/** The report as a table of text. */
export function renderReport({ machine, figures, seconds }: BenchReport): string {
  const { cores, cpu, memoryGiB, node, kubernetes, loadAtStart, loadAtEnd } = machine;
  const rows = [
    ['row', 'what', 'measured', 'goal', ''],
    ...figures.map(({ row, what, value, goal, met }) => [
      row,
      what,
      value,
      goal,
      met === undefined ? '' : met ? 'met' : 'missed',
    ]),
  ];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const real = kubernetes === undefined ? '' : ` Kubernetes ${kubernetes};`;
  const facts = `${cores} cores (${cpu}), ${memoryGiB} GiB; Node ${node};${real} load ${loadAtStart} at the start, ${loadAtEnd} at the end; ${Math.round(seconds)} s in all`;
  return `${[...lines, '', facts].join('\n')}\n`;
}

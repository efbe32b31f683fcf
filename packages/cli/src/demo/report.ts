import type { Output } from '../render/output.ts';
import type { ApiServerKind } from './arguments.ts';
import type { ObjectLine } from './demo-fleet.ts';

/** A step that is over. */
export interface StepResult {
  readonly name: string;
  readonly ms: number;
  /** `start` steps prepare the clusters; their time is that of the machine, not of Isthmus. */
  readonly phase: 'start' | 'story';
  readonly objects: readonly ObjectLine[];
}

/** The document that `--json` prints. */
export interface DemoReport {
  readonly ok: boolean;
  readonly apiServer: ApiServerKind;
  /** Whether Pods have networks. */
  readonly network: boolean;
  /** The duration of the steps after the start, in milliseconds. */
  readonly storyMs: number;
  readonly steps: readonly StepResult[];
  readonly error?: string | undefined;
}

/** The output beside the lines of the steps themselves. */
export interface Reporter {
  /** After the line of a step. */
  objects(lines: readonly ObjectLine[]): void;
  end(report: DemoReport): void;
}

/** The objects below each step and the end, as text: readable in a terminal and in a pipe. */
export function textReporter(output: Output): Reporter {
  return {
    objects(lines) {
      const width = (column: 'cluster' | 'object') => Math.max(0, ...lines.map((line) => line[column].length));
      for (const { cluster, object, says } of lines) {
        const where = `      ${cluster.padEnd(width('cluster'))}  ${object.padEnd(width('object'))}  `;
        output.write(where, { style: 'faint', text: says }, '\n');
      }
    },
    end({ ok, storyMs, error }) {
      if (error !== undefined) output.write({ style: 'bad', text: 'failed' }, `  ${error}\n`);
      else {
        const verdict = ok ? ({ style: 'good', text: 'ok' } as const) : ({ style: 'bad', text: 'failed' } as const);
        output.write(verdict, `  the steps after the start took ${storyMs} ms together\n`);
      }
    },
  };
}

/** One JSON document, at the end. */
export function jsonReporter(output: Output): Reporter {
  return { objects() {}, end: (report) => output.write(`${JSON.stringify(report, null, 2)}\n`) };
}

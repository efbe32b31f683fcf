import { styleText } from 'node:util';
import type { ApiServerKind } from './arguments.ts';
import type { ObjectLine } from './objects.ts';

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
  /** Of the steps after the start, in milliseconds. */
  readonly storyMs: number;
  readonly steps: readonly StepResult[];
  readonly error?: string | undefined;
}

/** Where a report goes while it grows. */
export interface Reporter {
  step(result: StepResult): void;
  end(report: DemoReport): void;
}

type Paint = (style: 'green' | 'red' | 'dim' | 'bold', text: string) => string;

/** Each step as it ends, for a person: readable in a terminal and in a pipe. */
export function textReporter(write: (text: string) => void, colour: boolean): Reporter {
  const paint: Paint = (style, text) => (colour ? styleText(style, text, { validateStream: false }) : text);
  return {
    step({ name, ms, objects }) {
      write(`${paint('green', 'ok')}  ${paint('bold', name)}  ${paint('dim', `${ms} ms`)}\n`);
      const widths = [0, 1].map((column) =>
        Math.max(0, ...objects.map((line) => (column === 0 ? line.cluster : line.object).length)),
      );
      for (const { cluster, object, says } of objects) {
        write(`      ${cluster.padEnd(widths[0] ?? 0)}  ${object.padEnd(widths[1] ?? 0)}  ${paint('dim', says)}\n`);
      }
    },
    end({ ok, storyMs, error }) {
      if (error !== undefined) write(`${paint('red', 'failed')}  ${error}\n`);
      else
        write(
          `${paint(ok ? 'green' : 'red', ok ? 'ok' : 'failed')}  the steps after the start took ${storyMs} ms together\n`,
        );
    },
  };
}

/** One JSON document, at the end. */
export function jsonReporter(write: (text: string) => void): Reporter {
  return { step() {}, end: (report) => write(`${JSON.stringify(report, null, 2)}\n`) };
}

/**
 * Colours where a person reads: a terminal, unless NO_COLOR is set to anything (no-color.org) or TERM says that it has none. FORCE_COLOR goes
 * before all of these, as in Node: `0` and `false` mean none, anything else, the empty text too, colours.
 */
export function wantsColour(
  env: Readonly<Record<string, string | undefined>>,
  isTTY: boolean | undefined = false,
): boolean {
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  return isTTY && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
}

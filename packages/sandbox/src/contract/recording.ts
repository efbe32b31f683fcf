import type { Recording, Transcript } from './exchange.ts';

/** A recording as text: one exchange a line, so that a difference names its request. */
export function printRecording(recording: Recording): string {
  const cases = Object.entries(recording).map(([title, transcript]) => {
    const lines = transcript.map((exchange) => `    ${JSON.stringify(exchange)}`);
    return `  ${JSON.stringify(title)}: [\n${lines.join(',\n')}\n  ]`;
  });
  return `{\n${cases.join(',\n')}\n}\n`;
}

/**
 * The recording of an area after a run, in the order of its cases. A case that did not run keeps
 * its answers, so that one case can be recorded by itself; a case that is not in the area any more
 * is dropped.
 */
export function recordedAnew(
  titles: readonly string[],
  before: Recording,
  freshOf: (title: string) => Transcript | undefined,
): Recording {
  return Object.fromEntries(
    titles.flatMap((title) => {
      const transcript = freshOf(title) ?? before[title];
      return transcript === undefined ? [] : [[title, transcript] as const];
    }),
  );
}

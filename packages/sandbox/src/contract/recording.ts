import type { Recording } from './exchange.ts';

/** A recording as text: one exchange a line, so that a difference names its request. */
export function printRecording(recording: Recording): string {
  const cases = Object.entries(recording).map(([title, transcript]) => {
    const lines = transcript.map((exchange) => `    ${JSON.stringify(exchange)}`);
    return `  ${JSON.stringify(title)}: [\n${lines.join(',\n')}\n  ]`;
  });
  return `{\n${cases.join(',\n')}\n}\n`;
}

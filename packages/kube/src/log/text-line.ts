/**
 * Converts a JSON line of the log to a human-readable line: `12:30:05.123 warn message key=value`.
 * Values with spaces or control characters are quoted as JSON, so that a hostile text cannot forge
 * a line. A line that is not JSON is passed on unchanged.
 */
export function textLine(jsonLine: string): string {
  const record = parsed(jsonLine);
  if (record === undefined) return jsonLine;
  const { time, level, message, stack, ...fields } = record;
  const moment = typeof time === 'string' ? time.slice(11, 23) : '';
  const pairs = Object.entries(fields).map(([name, value]) => `${name}=${plain(value)}`);
  const line = [moment, String(level).padEnd(5), printable(String(message)), ...pairs].join(' ');
  const frames = typeof stack === 'string' ? stack.split('\n').map((frame) => `    ${printable(frame)}\n`) : [];
  return `${line}\n${frames.join('')}`;
}

function parsed(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(line) as Readonly<Record<string, unknown>>;
  } catch {
    return undefined;
  }
}

function plain(value: unknown): string {
  if (typeof value === 'string' && /^[^\s"=\p{C}]+$/u.test(value)) return value;
  return printable(JSON.stringify(value) ?? String(value));
}

function printable(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
}

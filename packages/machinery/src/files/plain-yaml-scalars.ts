/** Scalars of the plain part of YAML. Each reader gives `undefined` for what it leaves to the whole reader. */
import { kubectlNumber } from './kubectl-number.ts';

/** A value without quotation marks, on one line. */
export function plainScalar(text: string): { readonly value: unknown } | undefined {
  const first = text.charCodeAt(0);
  // Digits, signs and points.
  if ((first >= 48 && first <= 57) || first === 43 || first === 45 || first === 46) {
    const value = kubectlNumber(text);
    return typeof value === 'number' && !Number.isFinite(value) ? undefined : { value };
  }
  if (text.length > 5) return { value: text };
  if (text === 'true') return { value: true };
  if (text === 'false') return { value: false };
  if (text === 'null') return { value: null };
  return /^(?:y|n|yes|no|on|off|true|false|null|~|<<|=)$/i.test(text) ? undefined : { value: text };
}

/** Joins the lines of a scalar as YAML does: an end of line is a blank, and of empty lines each is an end of line. */
export function folded(lines: readonly string[]): string {
  let text = lines[0] ?? '';
  let breaks = 0;
  for (let at = 1; at < lines.length; at++) {
    const line = lines[at] ?? '';
    if (line === '') {
      breaks += 1;
      continue;
    }
    text += breaks === 0 ? ` ${line}` : '\n'.repeat(breaks) + line;
    breaks = 0;
  }
  return text + '\n'.repeat(breaks);
}

const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  ' ': ' ',
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  f: '\f',
  '0': '\0',
};

/** The inside of double quotes, with its ends of lines. */
export function doubleQuoted(raw: string): string | undefined {
  if (!raw.includes('\\') && !raw.includes('\n')) return raw;
  let text = '';
  // Blanks before an end of line go, unless they were written with a backslash.
  let kept = 0;
  for (let at = 0; at < raw.length; at++) {
    const character = raw[at] ?? '';
    if (character === '\n') {
      text = text.slice(0, kept) + text.slice(kept).replace(/[ \t]+$/, '');
      const [run = ''] = /^\n(?:[ \t]*\n)*[ \t]*/.exec(raw.slice(at, at + 4096)) ?? [];
      if (run.length === 4096) return undefined;
      const breaks = run.split('\n').length - 1;
      text += breaks === 1 ? ' ' : '\n'.repeat(breaks - 1);
      kept = text.length;
      at += run.length - 1;
      continue;
    }
    if (character !== '\\') {
      text += character;
      continue;
    }
    at += 1;
    const escaped = raw[at] ?? '';
    if (escaped === '\n') {
      const [run = ''] = /^\n[ \t]*/.exec(raw.slice(at, at + 4096)) ?? [];
      if (raw[at + run.length] === '\n' || run.length === 4096) return undefined;
      at += run.length - 1;
    } else if (escaped === 'u') {
      const code = raw.slice(at + 1, at + 5);
      if (!/^[0-9a-fA-F]{4}$/.test(code)) return undefined;
      text += String.fromCharCode(parseInt(code, 16));
      at += 4;
    } else {
      const value = escapes[escaped];
      if (value === undefined) return undefined;
      text += value;
    }
    kept = text.length;
  }
  return text;
}

/** The inside of single quotes, with its ends of lines. */
export function singleQuoted(raw: string): string {
  const text = raw.includes("''") ? raw.replaceAll("''", "'") : raw;
  if (!text.includes('\n')) return text;
  const lines = text.split('\n');
  const last = lines.length - 1;
  return folded(
    lines.map((line, at) => {
      const left = at === 0 ? line : line.replace(/^[ \t]+/, '');
      return at === last ? left : left.replace(/[ \t]+$/, '');
    }),
  );
}

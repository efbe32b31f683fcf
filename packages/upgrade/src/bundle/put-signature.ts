import { equal, parseYaml, printYaml, YamlReadError } from '@isthmus/machinery';
import type { BundleSignature } from './signature.ts';

/** A bundle with its signature, as text. */
export interface SignedFile {
  readonly text: string;
  /** Whether the text except the signature is unchanged, including comments. */
  readonly kept: boolean;
}

/**
 * The text of a bundle with this signature in place of the one that it has. In YAML in block style
 * the rest stays byte by byte; other YAML and JSON are printed again as a whole, without comments.
 * Assumes a text that was read as one bundle.
 */
export function putSignature(text: string, signature: BundleSignature): SignedFile {
  const [document] = parseYaml(text, { source: '' });
  const wanted = { ...(document?.value as object), signature };
  const edited = `${withLineEnd(withoutSignature(text))}${printYaml({ signature })}`;
  if (reads(edited, wanted)) return { text: edited, kept: true };
  const isJson = text.trimStart().startsWith('{');
  return { text: isJson ? `${JSON.stringify(wanted, null, 2)}\n` : printYaml(wanted), kept: false };
}

/**
 * Leaves out the lines of the top-level key `signature`: up to the next line that begins in the
 * first column, comments before it kept.
 */
function withoutSignature(text: string): string {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => /^signature[ \t]*:/.test(line));
  if (start < 0) return text;
  const length = lines.slice(start + 1).findIndex((line) => /^[^ \t\r]/.test(line));
  return [...lines.slice(0, start), ...(length < 0 ? [] : lines.slice(start + 1 + length))].join('\n');
}

function withLineEnd(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

function reads(text: string, wanted: unknown): boolean {
  try {
    const [document, second] = parseYaml(text, { source: '' });
    return second === undefined && equal(document?.value, wanted);
  } catch (error) {
    if (error instanceof YamlReadError) return false;
    throw error;
  }
}

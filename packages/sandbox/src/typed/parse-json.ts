import { readPlainJson } from '@isthmus/machinery';
import type { JsonResult } from './parsed-json.ts';
import { noOddities } from './parsed-json.ts';
import { jsonFailure } from './json-failure.ts';
import { readJson } from './read-json.ts';

/**
 * Reads a JSON text as the API server does: the language of Go's encoding/json (RFC 8259, at most
 * 10,000 levels, lone surrogates become U+FFFD), with its error texts, and its strict decoder's
 * errors for repeated keys.
 *
 * Guarantees: never throws; `__proto__` is an ordinary key. Integers beyond 2^53 are rounded, as
 * JSON numbers are in JavaScript; their literals are kept too. Cost: a text without oddities is
 * read by JSON.parse and scanned twice.
 */
export function parseJson(text: string): JsonResult {
  const plain = readPlainJson(text, { maxDepth: jsonFailure.maxDepth, numbers: 'exact' });
  if (plain !== undefined) return { kind: 'parsed', json: { ...plain, oddities: noOddities } };
  const read = readJson(text);
  return typeof read === 'string' ? { kind: 'malformed', message: read } : { kind: 'parsed', json: read };
}

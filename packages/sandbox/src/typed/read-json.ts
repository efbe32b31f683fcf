import { jsonFailure } from './json-failure.ts';
import { JsonTokens } from './json-tokens.ts';
import { JsonValues } from './json-values.ts';
import type { ParsedJson } from './parsed-json.ts';

/**
 * Reads a JSON text character by character: slower than JSON.parse, but with all of
 * {@link ParsedJson}. A returned string is the error. It does not recurse, so the depth of the text
 * does not use the stack.
 */
export function readJson(text: string): ParsedJson | string {
  const tokens = new JsonTokens(text);
  const values = new JsonValues();
  let goesOn = true;
  while (goesOn && tokens.failure === undefined) {
    tokens.skipSpace();
    const c = tokens.next;
    if (c === '{' || c === '[') {
      const isComplete = begin(c, tokens, values);
      if (!isComplete) continue;
    } else readScalar(c, tokens, values);
    if (tokens.failure === undefined) goesOn = endValue(tokens, values);
  }
  return tokens.failure ?? values.result;
}

/** Opens a list or an object. True if it has no values, so that its end comes next. */
function begin(bracket: '{' | '[', tokens: JsonTokens, values: JsonValues): boolean {
  if (values.depth >= jsonFailure.maxDepth) {
    tokens.fail('exceeded max depth');
    return false;
  }
  tokens.skip(bracket);
  values.begin(bracket === '{' ? {} : []);
  tokens.skipSpace();
  if (tokens.next === (bracket === '{' ? '}' : ']')) return true;
  if (bracket === '{') readKey(tokens, values);
  return false;
}

function readScalar(c: string, tokens: JsonTokens, values: JsonValues): void {
  if (c === '"') values.put(tokens.string());
  else if (c === '-' || (c >= '0' && c <= '9')) {
    const literal = tokens.number();
    values.put(Number(literal), literal);
  } else if (c === 't' || c === 'f') {
    tokens.word(c === 't' ? 'true' : 'false');
    values.put(c === 't');
  } else if (c === 'n') {
    tokens.word('null');
    values.put(null);
  } else tokens.fail('looking for beginning of value');
}

/** The key and the colon of the next entry. */
function readKey(tokens: JsonTokens, values: JsonValues): void {
  if (tokens.next !== '"') return tokens.fail('looking for beginning of object key string');
  values.key(tokens.string());
  if (tokens.failure !== undefined) return undefined;
  tokens.skipSpace();
  if (!tokens.skip(':')) tokens.fail('after object key');
  return undefined;
}

/**
 * Reads past a value: a comma, or the ends of the open lists and objects. True if another value
 * follows.
 */
function endValue(tokens: JsonTokens, values: JsonValues): boolean {
  for (;;) {
    tokens.skipSpace();
    const { isInList } = values;
    if (isInList === undefined) {
      if (!tokens.isAtEnd) tokens.fail('after top-level value');
      return false;
    }
    if (tokens.skip(',')) {
      if (isInList) return true;
      tokens.skipSpace();
      readKey(tokens, values);
      return true;
    }
    if (!tokens.skip(isInList ? ']' : '}')) {
      tokens.fail(isInList ? 'after array element' : 'after object key:value pair');
      return false;
    }
    values.end();
  }
}

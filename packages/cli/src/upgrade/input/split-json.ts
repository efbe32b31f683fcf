/**
 * A text of one object, and the place where it begins.
 */
export interface Piece {
  readonly text: string;
  readonly line: number;
  /** The fields of a list before its items, if this is an item of one. */
  readonly list?: Readonly<Record<string, unknown>> | undefined;
}

/** A text that cannot be split. */
export class SplitError extends Error {
  override readonly name = 'SplitError';
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

const code = (character: string) => character.charCodeAt(0);
const [quote, backslash, lineEnd, open, close] = [code('"'), code('\\'), code('\n'), code('{'), code('}')];
const [openList, closeList] = [code('['), code(']')];

/**
 * Splits JSON without holding more than one object: objects that follow each other, and the items
 * of lists (`kind: List`, `PodList`). It only looks at brackets and quotes; the reader checks
 * whether a piece is JSON. Linear in the text. Errors: {@link SplitError} for a value that is not
 * an object where one is expected, an object longer than `most`, and a text that ends within one.
 */
export async function* jsonPieces(chunks: AsyncIterable<string>, most: number): AsyncGenerator<Piece> {
  let line = 1;
  let depth = 0;
  let isText = false;
  let isEscaped = false;
  let list: Piece['list'];
  /** Whether the items of a list have ended: its further fields belong to no object. */
  let isBehind = false;
  let held = '';
  let start = 1;
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      const character = chunk.charCodeAt(at);
      if (character === lineEnd) line += 1;
      if (isText) {
        if (isEscaped) isEscaped = false;
        else if (character === backslash) isEscaped = true;
        else if (character === quote) isText = false;
        continue;
      }
      const outside = list === undefined ? 0 : 2;
      if (depth === outside) {
        if (character === open) [held, from, start, depth] = ['', at, line, depth + 1];
        else if (character === closeList && list !== undefined) [list, isBehind, depth] = [undefined, true, 1];
        else if (!isBetween(character, depth)) throw notOne(line);
      } else if (character === quote) isText = true;
      else if (character === open || character === openList) {
        if (depth === 1 && character === openList && !isBehind) list = listOf(held + chunk.slice(from, at));
        depth += 1;
      } else if (character === close || character === closeList) {
        depth -= 1;
        if (depth > outside) continue;
        if (!isBehind) yield { text: held + chunk.slice(from, at + 1), line: start, list };
        [held, isBehind] = ['', false];
      }
    }
    if (depth > (list === undefined ? 0 : 2) && !isBehind) held += chunk.slice(from);
    if (held.length > most) throw new SplitError(start, `an object has more than ${most} characters`);
  }
  if (depth > 0) throw new SplitError(start, 'not valid JSON: the text ends within an object');
}

function notOne(line: number): SplitError {
  return new SplitError(line, 'not valid JSON: expected an object');
}

/** Blanks, and commas between the items of a list. */
function isBetween(character: number, depth: number): boolean {
  return character <= 32 || character === 0xfeff || (depth > 0 && character === 44);
}

/** The fields of a list before its items, where the text is the beginning of one up to them. */
function listOf(text: string): Piece['list'] {
  if (!/"items"\s*:\s*$/.test(text)) return undefined;
  try {
    const head = JSON.parse(`${text}[]}`) as Readonly<Record<string, unknown>>;
    const { apiVersion, kind } = head;
    // kubectl sorts: its lists have `v1` and then the items, and nothing else of v1 has any.
    const isList = kind === undefined ? apiVersion === 'v1' : typeof kind === 'string' && kind.endsWith('List');
    return isList ? head : undefined;
  } catch {
    return undefined;
  }
}

import { SplitError } from './split-json.ts';
import type { Piece } from './split-json.ts';

/**
 * Splits YAML into its documents without holding more than one. Errors: {@link SplitError} for a
 * document longer than `most`.
 */
export async function* yamlPieces(chunks: AsyncIterable<string>, most: number): AsyncGenerator<Piece> {
  let line = 1;
  let start = 1;
  let held: string[] = [];
  let length = 0;
  let rest = '';
  const piece = (): Piece => ({ text: held.join(''), line: start });
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const text of lines) {
      if (/^---(?:\s|$)/.test(text) && held.length > 0) {
        yield piece();
        [held, length, start] = [[], 0, line];
      }
      held.push(text, '\n');
      length += text.length + 1;
      line += 1;
    }
    if (length + rest.length > most) throw new SplitError(start, `a document has more than ${most} characters`);
  }
  if (/^---(?:\s|$)/.test(rest) && held.length > 0) {
    yield piece();
    [held, start] = [[], line];
  }
  held.push(rest);
  yield piece();
}

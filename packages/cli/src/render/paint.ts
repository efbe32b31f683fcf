import { styleText } from 'node:util';
import type { Output, Piece } from './output.ts';

const formats = { good: 'green', bad: 'red', warning: 'yellow', strong: 'bold', faint: 'dim' } as const;

/** The pieces as one text, with the escape sequences of their styles where colours are wanted. */
export function textOf(pieces: readonly Piece[], colours: boolean): string {
  return pieces
    .map((piece) => {
      if (typeof piece === 'string') return piece;
      return colours ? styleText(formats[piece.style], piece.text, { validateStream: false }) : piece.text;
    })
    .join('');
}

/** Writes text in no style, whatever the output would show. */
export function plainOutput(output: Output): Output {
  return { isTTY: output.isTTY, write: (...pieces) => output.write(textOf(pieces, false)) };
}

/**
 * Whether to print colours: on a terminal, unless NO_COLOR has a value (no-color.org) or TERM is
 * `dumb`. FORCE_COLOR takes precedence, as in Node: `0` and `false` mean no colours, every other
 * value, the empty one included, means colours.
 */
export function wantsColours(
  env: Readonly<Record<string, string | undefined>>,
  isTTY: boolean | undefined = false,
): boolean {
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  return isTTY && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
}

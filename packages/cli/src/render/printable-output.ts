import { visibleText } from '@isthmus/machinery';
import type { Output } from './output.ts';

/**
 * Writes text that no terminal takes for an instruction. Names in manifests, bundles and clusters
 * come from anywhere, and an escape sequence in one could clear the screen and show another
 * verdict. Control characters other than line ends and tabs, invisible characters, and characters
 * that change the direction of text are written as `\u001b`. Inside of JSON that means the same.
 * The program's own colours are styles of pieces, not text.
 */
export function printableOutput(output: Output): Output {
  return {
    isTTY: output.isTTY,
    write(...pieces) {
      output.write(
        ...pieces.map((piece) =>
          typeof piece === 'string' ? printable(piece) : { ...piece, text: printable(piece.text) },
        ),
      );
    },
  };
}

/** A text of one line, as a cell of a table. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\n\r]/g, (character) => visibleText(character));
}

function printable(text: string): string {
  return visibleText(text, '\n\t');
}

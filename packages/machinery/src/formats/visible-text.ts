/**
 * The text with every character written as `\u001b` that a terminal or a page would obey or hide
 * instead of showing it: control characters, format characters (those that turn the direction of
 * text, and those without a width), and separators of lines and paragraphs. Inside of JSON that
 * means the same. `keep`: characters that stay, such as line ends.
 */
export function visibleText(text: string, keep = ''): string {
  return text.replaceAll(invisible, (character) => (keep.includes(character) ? character : escaped(character)));
}

const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

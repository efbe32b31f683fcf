/** A table; `|` and line breaks in cells are made harmless, and so is what looks like HTML. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

function cell(text: string): string {
  const safe = text.replaceAll('|', '\\|').replaceAll('\n', ' ');
  // Inside of back-quotes everything is literal already.
  return safe
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : part.replaceAll('<', '&lt;')))
    .join('');
}

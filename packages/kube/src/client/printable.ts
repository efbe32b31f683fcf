/**
 * Foreign text in a form for one line of a message: control characters become spaces, text beyond
 * `maxLength` becomes `…`.
 */
export function printable(text: string, maxLength: number): string {
  const start = text.length > maxLength ? text.slice(0, maxLength) : text;
  const line = start.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').trim();
  return (text.length > maxLength ? `${line}…` : line).toWellFormed();
}

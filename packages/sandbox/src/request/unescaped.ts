/**
 * A text with its escapes decoded (`%2F` is a slash); one with a broken escape stays unchanged.
 */
export function unescaped(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * A text with its escapes read (`%2F` is a slash); one with a broken escape stays as it was sent.
 */
export function unescaped(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

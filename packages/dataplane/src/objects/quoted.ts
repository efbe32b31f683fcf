import { visibleText } from '@isthmus/machinery';

/** Quotes a text that any cluster may have written, for a message. */
export function quoted(text: string): string {
  return visibleText(JSON.stringify(text.length > 64 ? `${text.slice(0, 63)}…` : text));
}

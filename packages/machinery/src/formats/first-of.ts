/**
 * The first `most` items as texts, and if there are others, as one more text, how many:
 * `and 3 more`.
 */
export function firstOf<T>(items: readonly T[], most: number, text: (item: T) => string): readonly string[] {
  const more = items.length - most;
  return [...items.slice(0, most).map(text), ...(more > 0 ? [`and ${more} more`] : [])];
}

/** The first `most` names as part of a sentence: `a, b`, or `a, b and 3 more`. */
export function firstNames(names: readonly string[], most: number): string {
  const more = names.length - most;
  const shown = names.slice(0, most).join(', ');
  return more > 0 ? `${shown} and ${more} more` : shown;
}

import { labelSelectorOf, printLabelSelector } from '@isthmus/machinery';
import type { LabelSelectorObject } from '@isthmus/machinery';

/** The texts of cells without a value. */
export const none = '<none>';
export const unset = '<unset>';

export function orNone(text: string | undefined): string {
  return text === undefined || text === '' ? none : text;
}

/** `a=1,b=2`, by key. */
export function labelsText(labels: Readonly<Record<string, string>> | undefined): string {
  const pairs = Object.entries(labels ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return orNone(pairs.map(([key, value]) => `${key}=${value}`).join(','));
}

/** A selector in the form of `kubectl -l`; `<error>` if it is not valid. */
export function selectorText(selector: LabelSelectorObject | undefined): string {
  try {
    return orNone(printLabelSelector(labelSelectorOf(selector ?? {})));
  } catch {
    return '<error>';
  }
}

/** Up to three texts, and the number of further ones; `empty` if there are none. */
export function firstThree(texts: readonly string[], empty: string): string {
  if (texts.length === 0) return empty;
  const shown = texts.slice(0, 3).join(',');
  return texts.length > 3 ? `${shown} + ${texts.length - 3} more...` : shown;
}

/** The group of an apiVersion; empty for the core group. */
export function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash === -1 ? '' : apiVersion.slice(0, slash);
}

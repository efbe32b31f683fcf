import type { ComponentBundle } from '../component-bundle.ts';
import { placedComponents } from '../components-of.ts';
import type { Found } from './lint-context.ts';

/**
 * Lists of sentences: one in brackets and without quotation marks is cut in two by YAML at each of
 * its commas.
 */
export function* sentenceRules(bundle: ComponentBundle): Iterable<Found> {
  for (const { component, path } of placedComponents(bundle)) {
    for (const field of ['interrupts', 'irreversible'] as const) {
      const entries = component[field];
      const at = entries.findIndex((entry, index) => isCut(entry, entries[index + 1], entries));
      if (at < 0) continue;
      yield {
        rule: 'bundle.sentence-cut',
        severity: 'warn',
        subject: { component: component.id, path: `${path}.${field}[${at}]` },
        why: `${JSON.stringify(entries[at])} and ${JSON.stringify(entries[at + 1])} look like one sentence that was split at a comma`,
        unblock: 'put each sentence in quotation marks, or on a separate line after a dash',
      };
    }
  }
}

const sentenceEnd = /[.!?…]["')\]]*$/;

/**
 * A bracket that only the next entry closes; a next one that goes on with `and`; or one that begins
 * small after a beginning without an end.
 */
function isCut(entry: string, next: string | undefined, entries: readonly string[]): boolean {
  if (next === undefined) return false;
  const [first, second] = [entry.trim(), next.trim()];
  if (opened(first) > 0 && opened(second) < 0) return true;
  if (sentenceEnd.test(first)) return false;
  if (/^(?:and|or|but|nor)\b/.test(second)) return true;
  const isSentences = /^\p{Lu}/u.test(first) || entries.some((one) => sentenceEnd.test(one.trim()));
  return isSentences && /^\p{Ll}/u.test(second);
}

/** How many round brackets are left open; negative where more are closed. */
function opened(text: string): number {
  return text.split('(').length - text.split(')').length;
}

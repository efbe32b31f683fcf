// The one module of this package that imports node:crypto: a hash is a function of its input.
import { createHash } from 'node:crypto';

/**
 * The text that stands for all Pods with the same labels in Namespaces with the same labels
 * (docs/spec/wire.md §6): `ns:<labels>&pod:<labels>`, each entry `key=value`, entries sorted
 * bytewise as whole strings, joined by commas. Peers look label identities up by this text, so it
 * must agree to the byte.
 */
export function normalizedLabel(
  namespaceLabels: Readonly<Record<string, string>>,
  podLabels: Readonly<Record<string, string>>,
): string {
  return `ns:${sortedEntries(namespaceLabels)}&pod:${sortedEntries(podLabels)}`;
}

/**
 * The name of the label identity: the first 16 hex digits of the SHA-1 of its text in UTF-8
 * (docs/spec/wire.md §6).
 */
export function labelIdentityHash(label: string): string {
  return createHash('sha1').update(label).digest('hex').slice(0, 16);
}

/** Keys and values of labels are ASCII, so that UTF-16 order is byte order. */
function sortedEntries(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
    .join(',');
}

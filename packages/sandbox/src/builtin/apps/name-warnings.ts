import { dns1123LabelErrors } from '@isthmus/machinery';

/**
 * Warns of a name that is not a DNS label: Pods named after it cannot have it as their host name.
 */
export function nameWarnings(name: string): readonly string[] {
  const why = dns1123LabelErrors(name).map((text) =>
    text.replace(/^(must be no more than \d+) bytes$/, '$1 characters'),
  );
  if (why.length === 0) return [];
  return [
    `metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [${why.join(' ')}]`,
  ];
}

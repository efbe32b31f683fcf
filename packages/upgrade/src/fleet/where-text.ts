import { firstNames } from '@isthmus/machinery';
import type { Instance } from './fleet-state.ts';

/** How many names a sentence lists before it counts the rest. */
const listed = 10;

/** `a, b and c`, or the first ten and how many more; sorted bytewise, each once. */
export function namesText(names: Iterable<string>): string {
  return firstNames([...new Set(names)].toSorted(), listed);
}

/**
 * `antrea-agent v1.8.2 (Nodes n1, n2 of cluster east)`: instances of one component and version, and
 * where they are.
 */
export function instancesText(instances: readonly Instance[]): string {
  const [first] = instances;
  if (first === undefined) return '';
  const version = first.version.text === '' ? 'of unknown version' : first.version.text;
  const place = placesText(instances);
  return `${first.component} ${version}${place === '' ? '' : ` (${place})`}`;
}

function placesText(instances: readonly Instance[]): string {
  const clusters = new Set(instances.flatMap(({ cluster }) => cluster ?? []));
  const nodes = new Set(instances.flatMap(({ node }) => node ?? []));
  const names = new Set(instances.flatMap(({ name }) => name ?? []));
  // Nodes of several clusters would be reported without their cluster, so only the clusters are
  // reported.
  const inside = clusters.size > 1 ? '' : nodes.size > 0 ? count('Node', nodes) : namesText(names);
  if (clusters.size === 0) return inside;
  return `${inside === '' ? '' : `${inside} of `}${count('cluster', clusters)}`;
}

/** `cluster east`, `clusters east, west`: as {@link namesText}. */
export function clustersText(names: Iterable<string>): string {
  return count('cluster', new Set(names));
}

function count(word: string, names: ReadonlySet<string>): string {
  return `${word}${names.size > 1 ? 's' : ''} ${namesText(names)}`;
}

import type { ClusterSnapshot } from '../fleet/fleet-snapshot.ts';
import { readFacts } from './cluster-of-facts.ts';
import { skippedByEksa } from './read-components.ts';

/**
 * A cluster that was read again, with what a person wrote into its entry of the snapshot: facts
 * that no reading makes, that it is paused, and components to skip. Of another cluster that the
 * context leads to by now, nothing is kept.
 */
export function withHandWritten(read: ClusterSnapshot, last: ClusterSnapshot | undefined): ClusterSnapshot {
  const uid = last?.facts['cluster/uid'];
  if (last === undefined || (uid !== undefined && uid !== read.facts['cluster/uid'])) return read;
  const written = Object.entries(last.facts).filter(([name]) => !readFacts.has(name));
  const skips = new Map(last.components.map(({ id, skip }) => [id, skip]));
  return {
    ...read,
    paused: read.paused || last.paused,
    facts: { ...read.facts, ...Object.fromEntries(written) },
    components: read.components.map((one) => ({ ...one, skip: one.skip ?? handWrittenSkip(skips.get(one.id)) })),
  };
}

/** A reason that a reading gave holds no longer where the reading does not give it again. */
function handWrittenSkip(skip: string | undefined): string | undefined {
  return skip === skippedByEksa ? undefined : skip;
}

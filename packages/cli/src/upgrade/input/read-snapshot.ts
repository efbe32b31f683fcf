import { fleetProblems, fleetSnapshot, withOwnDefinitions } from '@isthmus/upgrade';
import type { FleetSnapshot } from '@isthmus/upgrade';
import type { Io } from '../../world/io.ts';
import { readInput, wrongFile } from './read-input.ts';

/**
 * Reads a FleetSnapshot in which each cluster has its definitions. Errors: as those of
 * {@link readSnapshotFile}.
 */
export async function readSnapshot(io: Pick<Io, 'readFile'>, path: string): Promise<FleetSnapshot> {
  return withOwnDefinitions(await readSnapshotFile(io, path));
}

/**
 * Reads a FleetSnapshot as it is written. Errors: UsageError with all its problems, including
 * references to clusters that it does not have.
 */
export async function readSnapshotFile(io: Pick<Io, 'readFile'>, path: string): Promise<FleetSnapshot> {
  const { value, lineOf } = await readInput(io, fleetSnapshot, path);
  const problems = fleetProblems(value, { source: path, lineOf });
  if (problems.length > 0) throw wrongFile(path, problems);
  return value;
}

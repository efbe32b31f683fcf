import { errorMessage } from '@isthmus/machinery';
import type { VirtualCluster, VirtualFleet } from './fleet.ts';
import { fleetState } from './fleet-state.ts';

/** An error with the state of all clusters and the last log lines of their controllers. */
export function failureText(what: string, error: unknown, fleet: VirtualFleet): string {
  return [`${what}: ${errorMessage(error)}`, ...fleetState(fleet), ...fleet.clusters.map(lastLines)].join('\n');
}

function lastLines({ name, log }: VirtualCluster): string {
  const last = log.entries.filter(({ level }) => level !== 'debug').slice(-8);
  const lines = last.map(
    ({ level, message, fields, error }) =>
      `${level} ${message} ${JSON.stringify(fields)} ${error instanceof Error ? error.message : ''}`,
  );
  return [`--- log of ${name}`, ...lines].join('\n');
}

import { parseRfc3339 } from '@isthmus/machinery';
import type { TableColumns } from '../registry/table-columns.ts';
import type { Stored } from '../store/stored.ts';

/** The columns of `kubectl get` for a kind without columns of its own. */
export const nameAndAge: TableColumns = {
  definitions: [
    { name: 'Name', type: 'string', format: 'name', description: '', priority: 0 },
    { name: 'Age', type: 'date', format: '', description: '', priority: 0 },
  ],
  cells: (object, now) => [object.metadata.name, ageOf(object, now)],
};

/** The columns of a kind for which the real server has none. */
export const nameAndCreation: TableColumns = {
  definitions: [
    { name: 'Name', type: 'string', format: 'name', description: '', priority: 0 },
    { name: 'Created At', type: 'date', format: '', description: '', priority: 0 },
  ],
  cells: ({ metadata }) => [metadata.name, metadata.creationTimestamp],
};

/** The time since the creation, in the short form of kubectl: `5s`, `3m20s`, `4h`, `2d`. */
export function ageOf({ metadata }: Stored, now: number): string {
  const created = parseRfc3339(metadata.creationTimestamp);
  return created === undefined ? '<unknown>' : humanDuration(now - created);
}

/**
 * A duration in the human-readable form of Kubernetes: two units while they are small. `ms`:
 * milliseconds.
 */
export function humanDuration(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return withRest(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return withRest(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  if (hours < 24 * 8) return withRest(days, 'd', hours % 24, 'h');
  if (hours < 24 * 365 * 2) return `${days}d`;
  const years = Math.floor(days / 365);
  return hours < 24 * 365 * 8 ? withRest(years, 'y', days % 365, 'd') : `${years}y`;
}

function withRest(count: number, unit: string, rest: number, restUnit: string): string {
  return rest === 0 ? `${count}${unit}` : `${count}${unit}${rest}${restUnit}`;
}

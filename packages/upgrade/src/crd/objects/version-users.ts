import { keyOfObject } from '@isthmus/machinery';
import type { KubernetesObject } from '@isthmus/machinery';
import type { VersionUsers } from '../object-problem.ts';

interface Counting {
  count: number;
  first: readonly string[];
  readonly managers: Set<string>;
}

/** Managers that are named of a version. */
const mostNames = 100;

/**
 * Counts by version which objects of a group are written in it, or were by one of their managers
 * the last time (`managedFields`). What it keeps does not grow with the objects.
 */
export function versionUsers(group: string) {
  const users = new Map<string, Counting>();
  return {
    add(object: KubernetesObject): void {
      const found = new Map<string, string[]>();
      const note = (apiVersion: unknown, manager?: unknown) => {
        if (typeof apiVersion !== 'string' || !apiVersion.startsWith(`${group}/`)) return;
        const version = apiVersion.slice(group.length + 1);
        const names = found.get(version) ?? [];
        found.set(version, typeof manager === 'string' ? [...names, manager] : names);
      };
      note(object.apiVersion);
      const { managedFields } = object.metadata as { readonly managedFields?: unknown };
      for (const entry of (Array.isArray(managedFields) ? managedFields : []) as readonly unknown[]) {
        const { apiVersion, manager } = (entry ?? {}) as { readonly apiVersion?: unknown; readonly manager?: unknown };
        note(apiVersion, manager);
      }
      for (const [version, names] of found) {
        const known: Counting = users.get(version) ?? { count: 0, first: [], managers: new Set() };
        known.count += 1;
        known.first = [...new Set([...known.first, keyOfObject(object)])].toSorted().slice(0, 5);
        for (const name of names) if (known.managers.size < mostNames) known.managers.add(name);
        users.set(version, known);
      }
    },
    report: (): readonly VersionUsers[] =>
      [...users]
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([version, { count, first, managers }]) => ({
          version,
          objects: count,
          first,
          managers: [...managers].toSorted(),
        })),
  };
}

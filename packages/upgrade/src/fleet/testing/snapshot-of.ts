import { problemLine, readFile } from '../../read/read-file.ts';
import type { FleetSnapshot } from '../fleet-snapshot.ts';
import { fleetSnapshot } from '../fleet-snapshot.ts';

/** A snapshot of the spec given, read as its file would be. Fails where it cannot be read. */
export function snapshotOf(spec: object): FleetSnapshot {
  const text = JSON.stringify({
    apiVersion: 'upgrade.isthmus.dev/v1alpha1',
    kind: 'FleetSnapshot',
    metadata: { name: 'fleet' },
    spec: { takenAt: '2026-11-21T09:00:00Z', clusters: [], ...spec },
  });
  const result = readFile(fleetSnapshot, text, 'snapshot.json');
  if (result.kind === 'refused') throw new Error(result.problems.map(problemLine).join('\n'));
  return result.value;
}

/**
 * What runs of a component, as it is written: the same version everywhere, on the Nodes given or as
 * one.
 */
export function running(id: string, version: string, nodes?: readonly string[]): object {
  const live = nodes === undefined ? [{ version }] : nodes.map((node) => ({ version, node }));
  return { id, recorded: { version }, live };
}

import type { ResourceExport, ResourceImport } from '@isthmus/api';
import { Annotation, SourceKind } from '@isthmus/api';
import { isWithdrawn, joinedImportName, partSource, serviceExchangeName, soleSource } from '@isthmus/wire';
import type { ImportSource } from '../../../own-cluster/import-source.ts';
import type { LeaderSession } from '../../../own-cluster/leader-session.ts';

/**
 * All objects of the Common Area for the Service `key` (`namespace/name`). An object that is being
 * deleted counts as gone. A leader publishes a Service under one form of its names. If an Antrea
 * leader has left those with a dot, and publishes it again, they count for nothing.
 */
export function remoteObjects(source: ImportSource, key: string): readonly ResourceImport[] {
  if (source.kind === 'none') return [];
  const objects = source.session.imports.cache
    .byIndex(serviceExchangeName, key)
    .filter((object) => !isWithdrawn(object));
  const joined = objects.filter((object) => joinedImportName(object) === object.metadata.name);
  const isPublished = joined.some(({ spec }) => spec?.kind === SourceKind.serviceImport);
  return isPublished && joined.length < objects.length ? joined : objects;
}

/** The ResourceExports of this cluster for the Service `key`, `namespace/name`. */
export function ownExports({ exports }: LeaderSession, key: string): readonly ResourceExport[] {
  return exports.cache.byIndex(serviceExchangeName, key);
}

/**
 * The import of the Service `key` that has the endpoints of this cluster. Undefined if the leader
 * has published none. It is found by the spec of the import: its name alone may be that of another
 * Service.
 */
export function ownPart(session: LeaderSession, key: string): ResourceImport | undefined {
  const { clusterID } = session.spec;
  const imports = session.imports.cache.byIndex(serviceExchangeName, key);
  return (
    imports.find((object) => partSource(object) === clusterID) ??
    imports.find((object) => soleSource(object) === clusterID)
  );
}

/**
 * Whether the leader has published the Service `key` with this cluster as its only exporter. That
 * import is the leader's only answer to members that read it (docs/spec/wire.md §9). The Service
 * comes last.
 */
export function isPublishedAlone(session: LeaderSession, key: string): boolean {
  const imports = remoteObjects({ kind: 'session', session }, key);
  return (
    imports.some((object) => soleSource(object) === session.spec.clusterID) &&
    imports.some(({ spec }) => spec?.kind === SourceKind.serviceImport)
  );
}

/**
 * When this cluster first exported the Service `key`, as the leader recorded it. Undefined if there
 * is no record.
 */
export function firstExportedByLeader(session: LeaderSession, key: string): string | undefined {
  return ownPart(session, key)?.metadata.annotations?.[Annotation.firstExported];
}

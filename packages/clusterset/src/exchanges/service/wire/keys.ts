import type { ResourceExport, ResourceImport } from '@isthmus/api';
import { Annotation, SourceKind, perClusterImportName, resourceImportName } from '@isthmus/api';
import { dns1123LabelErrors, refOf } from '@isthmus/machinery';
import { isWithdrawn } from '../../../exchange/loss/withdrawal.ts';
import type { ImportSource } from '../../../exchange/member/import-source.ts';
import { partSource, soleSource } from '../../../exchange/source-cluster.ts';
import type { LeaderSession } from '../../../exchange/member/leader-session.ts';

/** The name of the exchange of Services, and so of its indexes: by `namespace/name` of the Service. */
export const serviceExchangeName = 'Service';

/** The `namespace/name` that a ResourceExport of a Service or its endpoints was made for. */
export function exportKeys(object: ResourceExport): readonly string[] {
  const { kind, namespace = '', name = '' } = object.spec ?? {};
  return (kind === 'Service' || kind === 'Endpoints') && namespace !== '' && name !== ''
    ? [`${namespace}/${name}`]
    : [];
}

/**
 * The key, `namespace/name`, of the Service that an import belongs to. Nothing for other kinds, and for an import whose name does not
 * follow from what it says: it could claim anybody's Service.
 */
export function importKeys(object: ResourceImport): readonly string[] {
  const { kind, namespace = '', name = '' } = object.spec ?? {};
  if (dns1123LabelErrors(namespace).length > 0 || dns1123LabelErrors(name).length > 0) return [];
  return object.metadata.name === expectedName(object, kind, namespace, name) ? [`${namespace}/${name}`] : [];
}

function expectedName(
  object: ResourceImport,
  kind: string | undefined,
  namespace: string,
  name: string,
): string | undefined {
  switch (kind) {
    case SourceKind.serviceImport:
      return resourceImportName(namespace, name, 'Service');
    case SourceKind.endpoints:
      return resourceImportName(namespace, name, 'Endpoints');
    case SourceKind.endpointSlices:
      return partSource(object) === undefined ? undefined : object.metadata.name;
    default:
      return undefined;
  }
}

/** The name that an import with the endpoints of one cluster has where there are those of several; of other imports their own. */
export function partName(object: ResourceImport): string {
  const { namespace = '', name = '' } = object.spec ?? {};
  const sole = soleSource(object);
  return sole === undefined ? object.metadata.name : perClusterImportName(namespace, name, sole);
}

/** All that the Common Area has for the Service `key`, `namespace/name`; what is withdrawn and not gone yet counts as gone. */
export function remoteObjects(source: ImportSource, key: string): readonly ResourceImport[] {
  if (source.kind === 'none') return [];
  return source.session.imports.cache.byIndex(serviceExchangeName, key).filter((object) => !isWithdrawn(object));
}

/** The ResourceExports of this cluster for the Service `key`, `namespace/name`. */
export function ownExports({ exports }: LeaderSession, key: string): readonly ResourceExport[] {
  return exports.cache.byIndex(serviceExchangeName, key);
}

/**
 * The import of the Service `key` that has the endpoints of this cluster; undefined where the leader has published none. Found by the spec of the
 * import: its name alone may be that of another Service.
 */
export function ownPart(session: LeaderSession, key: string): ResourceImport | undefined {
  const { namespace = '', name } = refOf(key);
  const { clusterID } = session.spec;
  const ownName = perClusterImportName(namespace, name, clusterID);
  const imports = session.imports.cache.byIndex(serviceExchangeName, key);
  return (
    imports.find(({ metadata }) => metadata.name === ownName) ??
    imports.find((object) => soleSource(object) === clusterID)
  );
}

/**
 * Whether the leader has published the Service `key` with this cluster as its only exporter: to members that read this it says nothing else
 * (docs/spec/wire.md §9). The Service comes last.
 */
export function isPublishedAlone(session: LeaderSession, key: string): boolean {
  const imports = remoteObjects({ kind: 'session', session }, key);
  return (
    imports.some((object) => soleSource(object) === session.spec.clusterID) &&
    imports.some(({ spec }) => spec?.kind === SourceKind.serviceImport)
  );
}

/** When this cluster first exported the Service of `key`, as the leader recorded it; undefined where it recorded nothing. */
export function firstExportedByLeader(session: LeaderSession, key: string): string | undefined {
  return ownPart(session, key)?.metadata.annotations?.[Annotation.firstExported];
}

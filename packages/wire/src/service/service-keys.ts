import type { ResourceExport, ResourceImport } from '@isthmus/api';
import { SourceKind, joinedName, perClusterImportName, resourceImportName } from '@isthmus/api';
import { dns1123LabelErrors } from '@isthmus/machinery';
import { partSource, soleSource } from '../marks/source-cluster.ts';

/**
 * The name of the exchange of Services and of its indexes, whose key is `namespace/name` of the
 * Service.
 */
export const serviceExchangeName = 'Service';

/**
 * The key `namespace/name` of the Service for which a ResourceExport, of the Service or of its
 * endpoints, was made.
 */
export function serviceExportKeys(object: ResourceExport): readonly string[] {
  const { kind, namespace = '', name = '' } = object.spec ?? {};
  return (kind === 'Service' || kind === 'Endpoints') && namespace !== '' && name !== ''
    ? [`${namespace}/${name}`]
    : [];
}

/**
 * The key, `namespace/name`, of the Service that an import belongs to. Empty for other kinds, and
 * for an import whose name does not follow from its content: it could claim the Service of another
 * user.
 */
export function serviceImportKeys(object: ResourceImport): readonly string[] {
  const { kind, namespace = '', name = '' } = object.spec ?? {};
  if (dns1123LabelErrors(namespace).length > 0 || dns1123LabelErrors(name).length > 0) return [];
  const isPart = kind === SourceKind.endpointSlices && partSource(object) !== undefined;
  const isShared = joinedImportName(object) === sharedImportName(kind, namespace, name);
  return isPart || isShared ? [`${namespace}/${name}`] : [];
}

/** The name of an import that all exporters share, with a dash. Undefined for other kinds. */
function sharedImportName(kind: string | undefined, namespace: string, name: string): string | undefined {
  if (kind === SourceKind.serviceImport) return resourceImportName(namespace, name, 'Service');
  return kind === SourceKind.endpoints ? resourceImportName(namespace, name, 'Endpoints') : undefined;
}

/**
 * The name of an import with the endpoints of one cluster if several clusters export; for other
 * imports their own name. In either form of the name, the one with a dash.
 */
export function partName(object: ResourceImport): string {
  const { namespace = '', name = '' } = object.spec ?? {};
  const sole = soleSource(object);
  return sole === undefined ? joinedImportName(object) : perClusterImportName(namespace, name, sole);
}

/** The name of the import with a dash between Namespace and name, also if it has a dot there. */
export function joinedImportName({ metadata, spec }: ResourceImport): string {
  return joinedName(metadata.name, spec?.namespace ?? '');
}

import type { ResourceExport, ResourceImport } from '@isthmus/api';
import { SourceKind, perClusterImportName, resourceImportName } from '@isthmus/api';
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

/**
 * The name of an import with the endpoints of one cluster if several clusters export; for other
 * imports their own name.
 */
export function partName(object: ResourceImport): string {
  const { namespace = '', name = '' } = object.spec ?? {};
  const sole = soleSource(object);
  return sole === undefined ? object.metadata.name : perClusterImportName(namespace, name, sole);
}

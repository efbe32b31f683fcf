import type { EndpointSlice, Service } from '@isthmus/api';
import { Label, importedPrefix } from '@isthmus/api';
import type { Source } from '@isthmus/kube';
import { from } from '@isthmus/kube';
import { keyOfObject, refOf } from '@isthmus/machinery';
import type { LocalCluster } from '../local-cluster.ts';
import { exportKeys } from '../session/leader-session.ts';
import type { ImportSource } from './import-source.ts';
import { remoteObjects } from './import-source.ts';
import { isOurSlice } from './ownership.ts';
import { importKeys } from './read-imports.ts';

/** What wakes the import of a Service: all that its reconciler reads, by the `namespace/name` that it belongs to. */
export function importSources(local: LocalCluster, source: ImportSource): readonly Source[] {
  const wanted = (key: string) =>
    local.serviceImports.cache.getByKey(key) !== undefined || remoteObjects(source, key).length > 0 ? [key] : [];
  const remoteSources =
    source.kind === 'none'
      ? []
      : [from(source.session.imports.cache, importKeys), from(source.session.exports.cache, exportKeys)];
  return [
    ...remoteSources,
    from(local.serviceImports.cache, (object) => [keyOfObject(object)]),
    from(local.services.cache, (object) => [...derivedKeys(object), ...wanted(keyOfObject(object))]),
    from(local.slices.cache, (slice) => sliceKeys(slice).flatMap((key) => (isOurSlice(slice) ? [key] : wanted(key)))),
    from(local.serviceExports.cache, (object) => wanted(keyOfObject(object))),
    // A Namespace that appears gets the imports that waited for it.
    from(local.namespaces.cache, (namespace) =>
      source.kind === 'none'
        ? []
        : source.session.imports.cache
            .list()
            .flatMap(importKeys)
            .filter((key) => refOf(key).namespace === namespace.metadata.name),
    ),
  ];
}

/** The keys of an imported Service's local objects. */
function derivedKeys(service: Service): readonly string[] {
  const { name, namespace = '' } = service.metadata;
  return name.startsWith(importedPrefix) ? [`${namespace}/${name.slice(importedPrefix.length)}`] : [];
}

function sliceKeys(slice: EndpointSlice): readonly string[] {
  const { labels, namespace = '' } = slice.metadata;
  return [labels?.[Label.mcsServiceName], labels?.[Label.serviceName]].flatMap((name) =>
    name === undefined ? [] : [`${namespace}/${name}`],
  );
}

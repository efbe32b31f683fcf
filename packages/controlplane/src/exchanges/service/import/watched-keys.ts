import type { EndpointSlice } from '@isthmus/api';
import { Label, exportedServiceName } from '@isthmus/api';
import type { Source } from '@isthmus/kube';
import { from, onChange } from '@isthmus/kube';
import { equal, keyOfObject, refOf } from '@isthmus/machinery';
import { isOurSlice, serviceExportKeys, serviceImportKeys, sliceOriginOf } from '@isthmus/wire';
import type { LocalCluster } from '../local/services.ts';
import { onOwnAgents } from '../../../own-cluster/own-agents.ts';
import type { ImportSource } from '../../../own-cluster/import-source.ts';
import { usedRanges } from './slices/write-slices.ts';
import { remoteObjects } from '../local/leader-objects.ts';

/**
 * The sources that wake the import of a Service: all objects that its reconciler reads, mapped to
 * their `namespace/name`.
 */
export function importSources(local: LocalCluster, source: ImportSource): readonly Source[] {
  const wanted = (key: string) =>
    local.serviceImports.cache.getByKey(key) !== undefined || remoteObjects(source, key).length > 0 ? [key] : [];
  const remoteSources =
    source.kind === 'none'
      ? []
      : [from(source.session.imports.cache, serviceImportKeys), from(source.session.exports.cache, serviceExportKeys)];
  return [
    ...remoteSources,
    from(local.serviceImports.cache, (object) => [keyOfObject(object)]),
    from(local.services.cache, ({ metadata }) => [
      ...derivedKeys(metadata.namespace, metadata.name),
      ...wanted(keyOfObject({ metadata })),
    ]),
    from(local.slices.cache, (slice) => [
      ...sliceKeys(slice).flatMap((key) => (isOurSlice(slice) ? [key] : wanted(key))),
      ...derivedKeys(slice.metadata.namespace, slice.metadata.labels?.[Label.serviceName]).flatMap(wanted),
    ]),
    from(local.serviceExports.cache, (object) => wanted(keyOfObject(object))),
    onChange(
      (listener: () => void) => onOwnAgents(local, listener),
      () => local.serviceImports.cache.list().map(keyOfObject),
    ),
    onChange(
      (listener: () => void) => onUsedRanges(local, listener),
      () => local.serviceImports.cache.list().map(keyOfObject),
    ),
    // A Namespace that appears gets the imports that waited for it.
    from(local.namespaces.cache, (namespace) =>
      source.kind === 'none'
        ? []
        : source.session.imports.cache
            .list()
            .flatMap(serviceImportKeys)
            .filter((key) => refOf(key).namespace === namespace.metadata.name),
    ),
  ];
}

/**
 * Calls `listener` when the ranges change by which Pods of other clusters are reached. Returns the
 * unsubscriber.
 */
function onUsedRanges(local: LocalCluster, listener: () => void): () => void {
  let known = usedRanges(local);
  const look = () => {
    const now = usedRanges(local);
    if (known === now || (known !== undefined && now !== undefined && equal([...known], [...now]))) return;
    known = now;
    listener();
  };
  const caches = [local.gateways.cache, local.clusterInfoImports.cache];
  const unsubscribers = caches.flatMap((cache) => [cache.subscribe(look), cache.onState(look)]);
  return () => {
    for (const unsubscribe of unsubscribers) unsubscribe();
  };
}

/** The keys of the imports for which a Service of this name would be made. */
function derivedKeys(namespace = '', name = ''): readonly string[] {
  const exported = exportedServiceName(name);
  return exported === undefined ? [] : [`${namespace}/${exported}`];
}

function sliceKeys(slice: EndpointSlice): readonly string[] {
  const { labels, namespace = '' } = slice.metadata;
  return [sliceOriginOf(slice)?.name, labels?.[Label.serviceName]].flatMap((name) =>
    name === undefined ? [] : [`${namespace}/${name}`],
  );
}

import type { EndpointSlice } from '@isthmus/api';
import { Label, exportedServiceName } from '@isthmus/api';
import type { Source } from '@isthmus/kube';
import { from, onChange, onChangeOf } from '@isthmus/kube';
import { equal, keyOfObject, presenceOf, refOf } from '@isthmus/machinery';
import {
  isClusterID,
  isOurSlice,
  partSource,
  serviceExportKeys,
  serviceImportKeys,
  sliceOriginOf,
  soleSource,
} from '@isthmus/wire';
import type { LocalCluster } from '../local/services.ts';
import { onOwnAgents } from '../../../own-cluster/own-agents.ts';
import type { LeaderSession } from '../../../own-cluster/leader-session.ts';
import type { EndpointJudge } from './slices/endpoint-rules.ts';
import type { ImportSource } from '../../../own-cluster/import-source.ts';
import { usedRanges } from './slices/write-slices.ts';
import { remoteObjects } from '../local/leader-objects.ts';

/**
 * The sources that wake the import of a Service: all objects that its reconciler reads, mapped to
 * their `namespace/name`.
 */
export function importSources(local: LocalCluster, source: ImportSource, judge?: EndpointJudge): readonly Source[] {
  const wanted = (key: string) =>
    presenceOf(local.serviceImports.cache.getByKey(key)).state !== 'absent' || remoteObjects(source, key).length > 0
      ? [key]
      : [];
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
    ...(judge === undefined || source.kind === 'none' ? [] : judgeSources(local, source.session, judge)),
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

/** Wakes imports when other clusters may have other endpoints. */
function judgeSources(local: LocalCluster, session: LeaderSession, judge: EndpointJudge): readonly Source[] {
  const { serviceImports, clusterInfoImports, knownClusters, ownNodes, slices } = local;
  const all = () => serviceImports.cache.list().map(keyOfObject);
  let wereKnown = ownNodes.isKnown;
  return [
    judge.source,
    onChangeOf<string>((listener) => onAccepted(local, session, { judge, listener }), keysOf),
    onChange((listener: () => void) => {
      const stops = [knownClusters.cache.onState(listener), clusterInfoImports.cache.onState(listener)];
      return () => stops.forEach((stop) => stop());
    }, all),
    // A Node that appears concerns few imports of many.
    onChange(ownNodes.onChange, () => {
      const areNew = ownNodes.isKnown && !wereKnown;
      wereKnown = ownNodes.isKnown;
      return areNew ? all() : slices.cache.list().filter(isOurSlice).filter(hasOwnNode).flatMap(sliceKeys);
    }),
  ];

  /** The Services about which the ranges of a cluster decide, as imported and as published. */
  function keysOf(changedID: string): readonly string[] {
    const concerns = (clusterID: string | undefined) =>
      clusterID !== undefined && (clusterID === changedID || judge.isOpen(clusterID));
    const imported = serviceImports.cache
      .list()
      .filter(({ status }) => status?.clusters?.some(({ cluster }) => concerns(cluster)));
    const published = session.imports.cache.list().filter((one) => concerns(soleSource(one) ?? partSource(one)));
    return [...new Set([...imported.map(keyOfObject), ...published.flatMap(serviceImportKeys)])];
  }

  function hasOwnNode({ endpoints }: EndpointSlice): boolean {
    return endpoints?.some(({ addresses }) => addresses.some((address) => ownNodes.has(address))) === true;
  }
}

/** Calls `listener` when another cluster may have other endpoints. Returns the unsubscriber. */
function onAccepted(
  { clusterInfoImports, knownClusters }: LocalCluster,
  session: LeaderSession,
  { judge, listener }: { readonly judge: EndpointJudge; readonly listener: (clusterID: string) => void },
): () => void {
  const texts = new Map<string, string>();
  const look = (clusterID: string | undefined) => {
    if (!isClusterID(clusterID)) return;
    const text = judge.acceptedText(clusterID);
    if (texts.get(clusterID) === text) return;
    texts.set(clusterID, text);
    listener(clusterID);
  };
  const stops = [
    clusterInfoImports.cache.subscribe(({ before, after }) => look((after ?? before)?.spec?.clusterID)),
    knownClusters.cache.subscribe(({ before, after }) => look((after ?? before)?.spec.clusterID)),
    session.imports.cache.subscribe(({ before, after }) => look((after ?? before)?.spec?.clusterinfo?.clusterID)),
  ];
  return () => stops.forEach((stop) => stop());
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

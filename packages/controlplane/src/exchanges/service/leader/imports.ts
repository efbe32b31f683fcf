import type { EndpointSlicePayload, ResourceExport, ResourceImport } from '@isthmus/api';
import {
  Annotation,
  Label,
  SourceKind,
  dottedName,
  managedByIsthmus,
  marked,
  perClusterImportName,
  resourceImportName,
} from '@isthmus/api';
import type { NameForm } from './name-services.ts';
import type { Merged, Readers, WriteAnswers } from '@isthmus/wire';
import { carriesOurLabel, exportedMetadataAnnotation, joinedImportName, soleSource } from '@isthmus/wire';

export interface ImportedTuple {
  readonly namespace: string;
  readonly name: string;
  readonly names: NameForm;
  readonly exports: readonly ImportedSource[];
}

/** One of the exporters of an import. */
export interface ImportedSource {
  readonly clusterID: string;
  readonly firstExported: string;
  /** Whether the cluster marks what it withdraws. */
  readonly marks: boolean;
}

/** The facts that decide on the form of the imports, besides the exports. */
export interface ImportForm extends Pick<WriteAnswers, 'pruned'> {
  readonly readers: Readers;
  /** The imports of the Service that are published already. */
  readonly imports: readonly ResourceImport[];
}

/**
 * The imports of one Service (docs/spec/wire.md §8.2): one per source cluster for our members, the
 * merged endpoints for Antrea members, and the Service. The Service is last, so that every reader
 * that sees it has its endpoints too. None has an empty payload, and withdrawal is deletion
 * (docs/spec/wire.md §1). With a single exporter, the merged endpoints also have the slices, if all
 * members read them there.
 *
 * Members of 0.1.0 skip merged endpoints by their label. So the label is omitted if there are no
 * other endpoints, and if the API server drops `endpointSlices`.
 */
export function importsOf(tuple: ImportedTuple, merged: Merged, form: ImportForm): readonly ResourceImport[] {
  const { namespace, name, names } = tuple;
  const named = (joined: string) => (names === 'dotted' ? dottedName(joined, namespace) : joined);
  if (merged.import === undefined) return [];
  const labels = (kind: SourceKind) => ({
    [Label.sourceKind]: kind,
    [Label.sourceNamespace]: namespace,
    [Label.sourceName]: name,
    [Label.managedBy]: managedByIsthmus,
  });
  const service: ResourceImport = {
    metadata: {
      name: named(resourceImportName(namespace, name, 'Service')),
      labels: labels(SourceKind.serviceImport),
      annotations: exportedMetadataAnnotation(merged),
    },
    spec: { kind: SourceKind.serviceImport, namespace, name, serviceImport: { spec: merged.import } },
  };
  const sources = tuple.exports
    .filter(({ clusterID }) => merged.perCluster.has(clusterID))
    .toSorted((a, b) => (a.clusterID < b.clusterID ? -1 : 1));
  const slicesOf = ({ clusterID }: ImportedSource) => merged.perCluster.get(clusterID) ?? [];
  const sole = soleExporter(sources, sources.flatMap(slicesOf), form);
  const isPruned = form.pruned.includes('endpointSlices');
  const shared = {
    kind: SourceKind.endpoints,
    namespace,
    name,
    endpoints: { subsets: merged.subsets },
    // An empty list means: a leader that knows the field wrote this, and its slices are in the
    // imports of the clusters. Without it, an importer that finds no import of a cluster would take
    // the list for that of another leader, in which no endpoint belongs to a known cluster.
    ...(isPruned ? {} : { endpointSlices: [] }),
  };
  const endpoints: ResourceImport = {
    metadata: {
      name: named(resourceImportName(namespace, name, 'Endpoints')),
      labels: isPruned || sole !== undefined ? withoutKind(labels(SourceKind.endpoints)) : labels(SourceKind.endpoints),
      ...(sole === undefined ? {} : { annotations: sourceAnnotations(sole) }),
    },
    spec: sole === undefined ? shared : { ...shared, clusterID: [sole.clusterID], endpointSlices: slicesOf(sole) },
  };
  if (sole !== undefined) return [endpoints, service];
  const perCluster = sources.map((source): ResourceImport => ({
    metadata: {
      name: named(perClusterImportName(namespace, name, source.clusterID)),
      labels: { ...labels(SourceKind.endpointSlices), [Label.sourceClusterID]: source.clusterID },
      annotations: sourceAnnotations(source),
    },
    spec: { kind: SourceKind.endpointSlices, namespace, name, endpointSlices: slicesOf(source) },
  }));
  return [...perCluster, endpoints, service];
}

/**
 * The only exporter of the merged import. Imports of single clusters that exist are kept: a change
 * of the published form would cause writes without a benefit. The import of another exporter has to
 * be removed first: its endpoints are withdrawn when the new ones exist.
 */
function soleExporter(
  sources: readonly ImportedSource[],
  slices: readonly EndpointSlicePayload[],
  { readers, imports, pruned }: ImportForm,
): ImportedSource | undefined {
  const [sole, ...others] = sources;
  if (sole === undefined || others.length > 0 || pruned.includes('endpointSlices')) return undefined;
  if (!slices.every(isListed)) return undefined;
  const published = imports.flatMap((object) => soleSource(object) ?? []);
  const hasOther =
    imports.some(({ spec }) => spec?.kind === SourceKind.endpointSlices) ||
    published.some((clusterID) => clusterID !== sole.clusterID);
  const isRead = readers.allReadMerged ?? published.includes(sole.clusterID);
  return isRead && !hasOther ? sole : undefined;
}

/**
 * Whether subsets contain all serving endpoints of the slice. New members of 0.1.0 have only the
 * subsets until the imports of the clusters exist. Endpoints that are not ready serve no traffic.
 */
function isListed({ addressType, endpoints, ports = [] }: EndpointSlicePayload): boolean {
  return addressType === 'IPv4' && ports.length > 0 && endpoints.every(({ hostname = '' }) => hostname === '');
}

function sourceAnnotations({ firstExported, marks }: ImportedSource): Readonly<Record<string, string>> {
  return {
    [Annotation.firstExported]: firstExported,
    ...(marks ? { [Annotation.sourceWithdrawals]: marked } : {}),
  };
}

function withoutKind(labels: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const { [Label.sourceKind]: _, ...rest } = labels;
  return rest;
}

/**
 * The bases under which a ResourceImport of a Service or its endpoints is indexed. Empty for other
 * kinds.
 */
export function importBases(object: ResourceImport): readonly string[] {
  const { kind, namespace = '', name = '' } = object.spec ?? {};
  const merged =
    kind === SourceKind.serviceImport || kind === SourceKind.endpoints || kind === SourceKind.endpointSlices;
  return merged && namespace !== '' && name !== '' ? [`${namespace}-${name}`] : [];
}

/**
 * Whether the leader may change or delete this import. It may if the import carries our label. It
 * also may if a leader made the import for a Service that is exported, or whose export is just
 * being withdrawn. The export proves that. That leader is Antrea's, or one of ours whose label was
 * removed. An import that a user wrote stays unchanged.
 */
export function isOwnImport(object: ResourceImport, exports: readonly ResourceExport[]): boolean {
  if (carriesOurLabel(object)) return true;
  const { kind, namespace = '', name = '' } = object.spec ?? {};
  return exports.some(
    ({ spec }) =>
      spec?.namespace === namespace &&
      spec.name === name &&
      joinedImportName(object) === derivedName(kind, namespace, name, spec.clusterID ?? ''),
  );
}

/** The name of the imports of that kind, with a dash. Undefined: the kind is not merged here. */
function derivedName(kind: string | undefined, namespace: string, name: string, clusterID: string): string | undefined {
  switch (kind) {
    case SourceKind.serviceImport:
      return resourceImportName(namespace, name, 'Service');
    case SourceKind.endpoints:
      return resourceImportName(namespace, name, 'Endpoints');
    case SourceKind.endpointSlices:
      return perClusterImportName(namespace, name, clusterID);
    default:
      return undefined;
  }
}

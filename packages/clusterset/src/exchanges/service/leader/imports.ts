import type { ResourceExport, ResourceImport } from '@isthmus/api';
import {
  Annotation,
  Label,
  SourceKind,
  managedByIsthmus,
  marked,
  perClusterImportName,
  resourceImportName,
} from '@isthmus/api';
import type { WriteAnswers } from '../../../exchange/leader/leader-exchange.ts';
import type { Merged } from '../merge/index.ts';
import { exportedMetadataAnnotation } from '../wire/exported-metadata.ts';
import { carriesOurLabel } from '../../../exchange/ownership.ts';

export interface ImportedTuple {
  readonly namespace: string;
  readonly name: string;
  readonly exports: readonly {
    readonly clusterID: string;
    readonly firstExported: string;
    /** Whether the cluster marks what it withdraws. */
    readonly marks: boolean;
  }[];
}

/**
 * The imports of one Service, as docs/spec/wire.md §8.2 shows them: one per source cluster for our members, the merged endpoints for Antrea
 * members, and the Service last, so that whoever sees it has its endpoints too. None without a payload, and withdrawal is deletion
 * (docs/spec/wire.md §1). Where the API server drops `endpointSlices`, the merged endpoints go without the label by which
 * members of 0.1.0 skip them.
 */
export function importsOf(
  tuple: ImportedTuple,
  merged: Merged,
  { pruned }: Pick<WriteAnswers, 'pruned'>,
): readonly ResourceImport[] {
  const { namespace, name } = tuple;
  if (merged.import === undefined) return [];
  const labels = (kind: SourceKind) => ({
    [Label.sourceKind]: kind,
    [Label.sourceNamespace]: namespace,
    [Label.sourceName]: name,
    [Label.managedBy]: managedByIsthmus,
  });
  const service: ResourceImport = {
    metadata: {
      name: resourceImportName(namespace, name, 'Service'),
      labels: labels(SourceKind.serviceImport),
      annotations: exportedMetadataAnnotation(merged),
    },
    spec: { kind: SourceKind.serviceImport, namespace, name, serviceImport: { spec: merged.import } },
  };
  const endpoints: ResourceImport = {
    metadata: {
      name: resourceImportName(namespace, name, 'Endpoints'),
      labels: pruned.includes('endpointSlices')
        ? withoutKind(labels(SourceKind.endpoints))
        : labels(SourceKind.endpoints),
    },
    spec: { kind: SourceKind.endpoints, namespace, name, endpoints: { subsets: merged.subsets } },
  };
  const perCluster = tuple.exports
    .filter(({ clusterID }) => merged.perCluster.has(clusterID))
    .toSorted((a, b) => (a.clusterID < b.clusterID ? -1 : 1))
    .map(({ clusterID, firstExported, marks }): ResourceImport => ({
      metadata: {
        name: perClusterImportName(namespace, name, clusterID),
        labels: { ...labels(SourceKind.endpointSlices), [Label.sourceClusterID]: clusterID },
        annotations: {
          [Annotation.firstExported]: firstExported,
          ...(marks ? { [Annotation.sourceWithdrawals]: marked } : {}),
        },
      },
      spec: {
        kind: SourceKind.endpointSlices,
        namespace,
        name,
        endpointSlices: merged.perCluster.get(clusterID) ?? [],
      },
    }));
  return [...perCluster, endpoints, service];
}

function withoutKind(labels: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const { [Label.sourceKind]: _, ...rest } = labels;
  return rest;
}

/** The bases under which a ResourceImport of a Service or its endpoints is looked up; none for other kinds. */
export function importBases(object: ResourceImport): readonly string[] {
  const { kind, namespace = '', name = '' } = object.spec ?? {};
  const merged =
    kind === SourceKind.serviceImport || kind === SourceKind.endpoints || kind === SourceKind.endpointSlices;
  return merged && namespace !== '' && name !== '' ? [`${namespace}-${name}`] : [];
}

/**
 * Whether the leader may change or delete this import: it carries our label; or a leader, Antrea's or one of ours whose label somebody took
 * away, made it for a Service that is exported, or whose export is just being withdrawn: then the export vouches for it. One that somebody
 * wrote by hand is left alone.
 */
export function isOwnImport(object: ResourceImport, exports: readonly ResourceExport[]): boolean {
  if (carriesOurLabel(object)) return true;
  const { kind, namespace = '', name = '' } = object.spec ?? {};
  return exports.some(
    ({ spec }) =>
      spec?.namespace === namespace &&
      spec.name === name &&
      object.metadata.name === derivedName(kind, namespace, name, spec.clusterID ?? ''),
  );
}

/** The name under which the imports of that kind stand; undefined for kinds that are not merged here. */
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

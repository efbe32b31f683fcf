import type { EndpointSlicePayload, EndpointSubset, ResourceImport, ServiceImport } from '@isthmus/api';
import { SourceKind } from '@isthmus/api';
import { dns1123LabelErrors } from '@isthmus/machinery';
import { partSource, soleSource } from '../../marks/source-cluster.ts';
import type { ExportedMetadata } from '../merge/fields/exported-metadata.ts';
import { readExportedMetadata } from '../merge/fields/exported-metadata.ts';
import type { Problems } from '../merge/problems.ts';
import { mergeProblemsOf } from '../merge/problems.ts';
import type { EndpointGroup, ReadEndpoints } from '../merge/endpoints/read-endpoints.ts';
import { readEndpoints } from '../merge/endpoints/read-endpoints.ts';
import { recordOf, shown } from '../../untrusted.ts';
import { exportedMetadataOf } from '../metadata-annotation.ts';
import { isReady } from '../readiness.ts';
import type { ClusterPart, MergedPart } from './current-endpoints.ts';
import { judgeParts } from './current-endpoints.ts';
import { specProblem, usableSpec } from './import-spec.ts';

type ImportSpec = NonNullable<ServiceImport['spec']>;

/** The content of the Common Area for one Service, checked. */
export interface RemoteService {
  /** Undefined: no cluster exports it. */
  readonly spec: ImportSpec | undefined;
  /**
   * The labels and annotations of the import; undefined: their present values are unknown, so the
   * existing ones stay.
   */
  readonly exported?: ExportedMetadata | undefined;
  /**
   * Endpoints by source cluster, from per-cluster imports. Empty under an Antrea leader, even if a
   * leader of ours left imports.
   */
  readonly perCluster: ReadonlyMap<string, readonly EndpointSlicePayload[]>;
  /**
   * The merged endpoints, if they are to be used: the leader publishes nothing else. Undefined:
   * those of the single clusters are to be used.
   */
  readonly merged: readonly EndpointSubset[] | undefined;
  /**
   * The merged endpoints have some that no single cluster has: withdrawn a moment ago, or listed by
   * an Antrea leader.
   */
  readonly incomplete?: boolean | undefined;
  /**
   * As `incomplete`, and the imports of some clusters are younger than the merged list. They are
   * used, unless the list was used before.
   */
  readonly arriving?: boolean | undefined;
  /** What was left out, and why. */
  readonly problems: readonly string[];
  /** Why the import cannot be used at all; then the existing objects stay. */
  readonly unusable: string | undefined;
}

/**
 * Reads the imports of one Service. Another cluster wrote them. An address that API servers reject
 * would spoil a whole slice, and one on loopback or link-local would lead to this cluster's own
 * nodes. Both are left out and reported.
 *
 * `preferMerged`: the merged endpoints are used even if they only have more than the imports of
 * the single clusters. `existing`: the endpoints that were imported from each cluster before. If
 * imports of single clusters are missing, and the merged list equals their former content, the
 * former endpoints stay in use.
 */
export function readImports(
  imports: readonly ResourceImport[],
  { preferMerged = false, existing = new Map() }: ReadOptions = {},
): RemoteService {
  const problems: string[] = [];
  const service = imports.find((object) => object.spec?.kind === SourceKind.serviceImport);
  const endpoints = imports.find((object) => object.spec?.kind === SourceKind.endpoints);
  const unusable = service === undefined ? undefined : specProblem(service);
  const offered = unusable === undefined ? service?.spec?.serviceImport?.spec : undefined;
  const spec =
    offered === undefined
      ? undefined
      : usableSpec(offered, (why) => problems.push(`${service?.metadata.name ?? ''}: ${why}`));
  const ofClusters = imports.filter((object) => object.spec?.kind === SourceKind.endpointSlices).flatMap(partOf);
  // The endpoints of the only exporter. While its form changes both may exist: the form that is
  // written first is younger.
  const sole = endpoints === undefined ? undefined : solePart(endpoints);
  const parts =
    sole === undefined || ofClusters.some(({ clusterID }) => clusterID === sole.clusterID)
      ? ofClusters
      : [...ofClusters, sole];
  const listed = endpoints === undefined ? undefined : listOf(endpoints);
  // A leader of ours with older resource definitions: the API server has dropped the fields that
  // these do not have. The merged endpoints contain everything.
  const pruned = imports.some(
    (object) => object.spec?.kind === SourceKind.endpointSlices && object.spec.endpointSlices === undefined,
  );
  const writer = endpoints?.spec === undefined ? 'ours' : writerOf(endpoints.spec);
  const verdict =
    pruned || (writer === 'other' && parts.length === 0)
      ? 'stale'
      : writer === 'ours' || listed === undefined
        ? 'current'
        : judge(parts, listed, existing);
  const current = verdict === 'current' || (verdict !== 'stale' && !preferMerged);
  for (const used of current ? parts : [listed]) problems.push(...(used?.problems ?? []));
  return {
    spec,
    exported: service === undefined ? undefined : exportedWith(service, problems),
    perCluster: new Map(current ? parts.map(({ clusterID, slices }) => [clusterID, slices]) : []),
    merged: current ? undefined : listed?.subsets,
    incomplete: verdict === 'incomplete',
    arriving: verdict === 'arriving',
    problems,
    unusable,
  };
}

function exportedWith(service: ResourceImport, problems: string[]): ExportedMetadata {
  const found = mergeProblemsOf('');
  const exported = readExportedMetadata(exportedMetadataOf(service), found);
  problems.push(...found.list().map(({ message }) => `${service.metadata.name}: ${message}`));
  return exported;
}

export interface ReadOptions {
  readonly preferMerged?: boolean | undefined;
  readonly existing?: ReadonlyMap<string, readonly EndpointSlicePayload[]> | undefined;
}

/**
 * Which leader wrote the merged import last, by the fields beside the list. A leader that does not
 * know the slices drops them, but leaves the name of their exporter. Leaders of 0.1.0 write
 * neither.
 */
function writerOf({
  clusterID = [],
  endpointSlices,
}: NonNullable<ResourceImport['spec']>): 'ours' | 'other' | 'unknown' {
  if (endpointSlices !== undefined) return 'ours';
  return clusterID.length > 0 ? 'other' : 'unknown';
}

function judge(
  parts: readonly ReadPart[],
  listed: MergedPart,
  existing: ReadonlyMap<string, readonly EndpointSlicePayload[]>,
): ReturnType<typeof judgeParts> {
  const known = new Set(parts.map(({ clusterID }) => clusterID));
  // The endpoints that were imported earlier are older than any list.
  const missing = [...existing].flatMap(([clusterID, slices]) =>
    known.has(clusterID) ? [] : [{ resourceVersion: '1', slices }],
  );
  const isWhole = missing.length > 0 && judgeParts([...parts, ...missing], listed) === 'current';
  return isWhole ? 'current' : judgeParts(parts, listed);
}

interface ReadPart extends ClusterPart {
  readonly clusterID: string;
  readonly problems: readonly string[];
}

/** The endpoints of the only exporter, if the merged import has them in the form of our leaders. */
function solePart(object: ResourceImport): ReadPart | undefined {
  const clusterID = soleSource(object);
  return clusterID === undefined ? undefined : readPart(object, clusterID);
}

/** Empty if the cluster ID is not valid. */
function partOf(object: ResourceImport): readonly ReadPart[] {
  const clusterID = partSource(object);
  return clusterID === undefined ? [] : [readPart(object, clusterID)];
}

function readPart(object: ResourceImport, clusterID: string): ReadPart {
  const { resourceVersion } = object.metadata;
  const { slices, problems } = read(object, { endpointSlices: object.spec?.endpointSlices });
  return { clusterID, resourceVersion, slices: slicesOf(slices), problems };
}

function listOf(object: ResourceImport): MergedPart & Pick<ReadPart, 'problems'> {
  const { resourceVersion } = object.metadata;
  const { subsets, problems } = read(object, { subsets: recordOf(object.spec?.endpoints)?.['subsets'] });
  return { resourceVersion, subsets: subsetsOf(subsets), problems };
}

/**
 * By the rules of the merge: an address or a port that API servers reject is left out and reported.
 */
function read(object: ResourceImport, payload: unknown): ReadEndpoints & Pick<ReadPart, 'problems'> {
  const found = mergeProblemsOf('');
  const { slices, subsets } = readEndpoints(payload, found);
  const named = (groups: readonly EndpointGroup[] | undefined) => groups?.map((group) => withValidNames(group, found));
  const endpointsRead = { slices: named(slices), subsets: named(subsets) };
  return { ...endpointsRead, problems: found.list().map(({ message }) => `${object.metadata.name}: ${message}`) };
}

/** The merge matches names with those of a Service; here they are written as they come. */
function withValidNames(group: EndpointGroup, problems: Problems): EndpointGroup {
  const isValid = ({ name = '' }: EndpointGroup['ports'][number]) =>
    name === '' || dns1123LabelErrors(name).length === 0;
  for (const port of group.ports)
    if (!isValid(port)) problems.add(`port name ${shown(port.name)} is not valid; left out`);
  const { pods } = group;
  const named = { ...group, ports: group.ports.filter(isValid) };
  return pods === undefined ? named : { ...named, pods: pods.map((one) => withValidNames(one, problems)) };
}

function slicesOf(groups: readonly EndpointGroup[] = []): readonly EndpointSlicePayload[] {
  return groups.flatMap(({ ports, endpoints, pods }) => {
    // All endpoints of a slice are of one family.
    const [first] = endpoints;
    if (first === undefined) return [];
    const slice = { addressType: first.family, ports, endpoints: endpoints.map(({ endpoint }) => endpoint) };
    if (pods === undefined) return [slice];
    const behind = pods.map((one) => ({ ports: one.ports, endpoints: one.endpoints.map(({ endpoint }) => endpoint) }));
    return [{ ...slice, pods: behind }];
  });
}

/** Antrea's leaders merge only IPv4 addresses that are ready. */
function subsetsOf(groups: readonly EndpointGroup[] = []): readonly EndpointSubset[] {
  return groups.map(({ ports, endpoints }) => ({
    addresses: endpoints
      .filter(({ family, endpoint }) => family === 'IPv4' && isReady(endpoint))
      .flatMap(({ endpoint }) => endpoint.addresses)
      .map((ip) => ({ ip })),
    ports,
  }));
}

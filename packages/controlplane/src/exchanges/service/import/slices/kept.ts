import type { EndpointSlice, ServiceImport } from '@isthmus/api';
import { carriesOurLabel, localPortName, sliceSourceOf } from '@isthmus/wire';
import type { RemoteService } from '@isthmus/wire';
import type { Accepted, OwnService, SourceEndpoints } from './source-endpoints.ts';
import { acceptable, ownEndpoints } from './source-endpoints.ts';

/** Endpoints that only the leader knows: the slices stay as they are. */
export interface KeptEndpoints {
  readonly clusterID: string | undefined;
  readonly slices: 'kept';
}

/**
 * The import as it was when the leader was last read, from the ServiceImport that was made of it. Undefined where nothing can be told from it:
 * it is not ours, or cannot be the spec of a Service.
 */
export function keptService(serviceImport: ServiceImport | undefined): RemoteService | undefined {
  if (serviceImport?.spec === undefined || !carriesOurLabel(serviceImport)) return undefined;
  const { ips: _ips, ipFamilies: _families, ...spec } = serviceImport.spec;
  if (spec.type !== 'Headless' && (spec.ports ?? []).length === 0) return undefined;
  return { spec, perCluster: new Map(), merged: [], problems: [], unusable: undefined };
}

/**
 * Whether the ServiceImport is what the slices were made for: each of their ports is one of its ports. If not, the controller ended in the middle
 * of a change, and the Service is more recent than the ServiceImport.
 */
export function fitsSlices({ spec }: RemoteService, slices: readonly EndpointSlice[]): boolean {
  const ports = spec?.ports ?? [];
  const nameOf = localPortName(ports);
  const names = new Set(ports.map(({ name }) => nameOf(name) ?? ''));
  return slices.flatMap((slice) => slice.ports ?? []).every(({ name }) => names.has(name ?? ''));
}

export interface KeptInput {
  /** The ID of this cluster; undefined where it is not known: nothing can be said of the own Pods. */
  readonly clusterID: string | undefined;
  readonly remote: RemoteService;
  /** The clusters that export the Service, by the status of its ServiceImport; empty under an Antrea leader. */
  readonly clusters: readonly string[];
  readonly own: OwnService | undefined;
  /** Whether there is a ServiceExport of it. */
  readonly exported: boolean;
  /** The slices of the import. */
  readonly current: readonly EndpointSlice[];
}

/**
 * Where an imported Service leads while the leader cannot be read: the endpoints of other clusters are those of before, the own cluster's are its
 * ready Pods, on the ports that it served before and those that follow from the import. An own export that the leader had not taken when
 * it was last read waits for its word; one that was withdrawn since then serves until the leader has heard of it.
 */
export function keptEndpoints(input: KeptInput): readonly (SourceEndpoints | KeptEndpoints)[] {
  const { clusterID, remote, clusters, own, exported, current } = input;
  const bySource = Map.groupBy(current, sliceSourceOf);
  const others = [...bySource.keys()]
    .filter((source) => clusterID === undefined || source !== clusterID)
    .map((source): KeptEndpoints => ({ clusterID: source, slices: 'kept' }));
  if (clusterID === undefined) return others;
  const standing = bySource.get(clusterID);
  if (standing === undefined && !(exported && clusters.includes(clusterID))) return others;
  return [...others, { clusterID, slices: ownEndpoints(own, acceptedBefore(standing ?? [], own, remote), remote) }];
}

function acceptedBefore(
  standing: readonly EndpointSlice[],
  own: OwnService | undefined,
  remote: RemoteService,
): Accepted {
  const ruled = acceptable(own, remote);
  const nameOf = localPortName(remote.spec?.ports ?? []);
  const served = new Set(standing.flatMap((slice) => slice.ports ?? []).map(({ name }) => name ?? ''));
  const names = (remote.spec?.ports ?? [])
    .map(({ name = '' }) => name)
    .filter((name) => served.has(nameOf(name) ?? ''));
  return { names: new Set([...ruled.names, ...names]), portless: ruled.portless };
}

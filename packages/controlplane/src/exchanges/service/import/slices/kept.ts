import type { EndpointSlice, ServiceImport } from '@isthmus/api';
import { carriesOurLabel, localPortName, sliceSourceOf } from '@isthmus/wire';
import type { RemoteService } from '@isthmus/wire';
import type { Accepted, OwnService, SourceEndpoints } from './source-endpoints.ts';
import { acceptable, ownEndpoints } from './source-endpoints.ts';

/** Endpoints that only the leader knows: their slices stay unchanged. */
export interface KeptEndpoints {
  readonly clusterID: string | undefined;
  readonly slices: 'kept';
}

/**
 * The import at the last read of the leader, restored from its ServiceImport. Undefined if the
 * ServiceImport is not ours, or cannot be the spec of a Service.
 */
export function keptService(serviceImport: ServiceImport | undefined): RemoteService | undefined {
  if (serviceImport?.spec === undefined || !carriesOurLabel(serviceImport)) return undefined;
  const { ips: _ips, ipFamilies: _families, ...spec } = serviceImport.spec;
  if (spec.type !== 'Headless' && (spec.ports ?? []).length === 0) return undefined;
  return { spec, perCluster: new Map(), merged: [], problems: [], unusable: undefined };
}

/**
 * Whether the slices were made for the ServiceImport: each of their ports is one of its ports. If
 * not, the controller stopped in the middle of a change, and the Service is more recent than the
 * ServiceImport.
 */
export function fitsSlices({ spec }: RemoteService, slices: readonly EndpointSlice[]): boolean {
  const ports = spec?.ports ?? [];
  const nameOf = localPortName(ports);
  const names = new Set(ports.map(({ name }) => nameOf(name) ?? ''));
  return slices.flatMap((slice) => slice.ports ?? []).every(({ name }) => names.has(name ?? ''));
}

export interface KeptInput {
  /** The ID of this cluster. Undefined: not known, so the own Pods cannot be recognised. */
  readonly clusterID: string | undefined;
  readonly remote: RemoteService;
  /**
   * The clusters that export the Service, from the status of its ServiceImport. Empty under an
   * Antrea leader.
   */
  readonly clusters: readonly string[];
  readonly own: OwnService | undefined;
  /** Whether the Service has a ServiceExport. */
  readonly exported: boolean;
  /** The slices of the import. */
  readonly current: readonly EndpointSlice[];
}

/**
 * The endpoints of an imported Service while the leader cannot be read. Endpoints of other clusters
 * stay the same. The own cluster's endpoints are its ready Pods, on the ports that it served before
 * and those that follow from the import.
 *
 * An own export that the leader had not accepted at the last read waits for the leader's answer. An
 * own export that was withdrawn since then serves until the leader knows of the withdrawal.
 */
export function keptEndpoints(input: KeptInput): readonly (SourceEndpoints | KeptEndpoints)[] {
  const { clusterID, remote, clusters, own, exported, current } = input;
  const bySource = Map.groupBy(current, sliceSourceOf);
  const others = [...bySource.keys()]
    .filter((source) => clusterID === undefined || source !== clusterID)
    .map((source): KeptEndpoints => ({ clusterID: source, slices: 'kept' }));
  if (clusterID === undefined) return others;
  const existing = bySource.get(clusterID);
  if (existing === undefined && !(exported && clusters.includes(clusterID))) return others;
  return [...others, { clusterID, slices: ownEndpoints(own, acceptedBefore(existing ?? [], own, remote), remote) }];
}

function acceptedBefore(
  existing: readonly EndpointSlice[],
  own: OwnService | undefined,
  remote: RemoteService,
): Accepted {
  const ruled = acceptable(own, remote);
  const nameOf = localPortName(remote.spec?.ports ?? []);
  const served = new Set(existing.flatMap((slice) => slice.ports ?? []).map(({ name }) => name ?? ''));
  const names = (remote.spec?.ports ?? [])
    .map(({ name = '' }) => name)
    .filter((name) => served.has(nameOf(name) ?? ''));
  return { names: new Set([...ruled.names, ...names]), portless: ruled.portless };
}
